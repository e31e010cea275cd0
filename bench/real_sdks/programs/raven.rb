require "logger"
require "sentry_raven_without_integrations"

dsn, label = ARGV
Raven.configure do |config|
  config.dsn = dsn
  config.logger = Logger.new($stderr)
  config.release = "shop@1.0.0"
  config.current_environment = "test"
  config.server_name = "web-1"
end

def price(cart, label)
  cart.fetch("discount of #{label}")
end

begin
  price({}, label)
rescue KeyError => error
  puts Raven.capture_exception(error).id
end
