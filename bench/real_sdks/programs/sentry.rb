require "logger"
require "sentry-ruby"

dsn, label = ARGV
Sentry.init do |config|
  config.dsn = dsn
  config.logger = Logger.new($stderr)
  config.release = "shop@1.0.0"
  config.environment = "test"
  config.server_name = "web-1"
  config.traces_sample_rate = 1.0
  config.background_worker_threads = 0
end

def price(cart, label)
  cart.fetch("discount of #{label}")
end

transaction = Sentry.start_transaction(name: "nightly #{label}", op: "task")
begin
  price({}, label)
rescue KeyError => error
  event_id = Sentry.capture_exception(error).event_id
end
transaction.finish
puts event_id
