import sys

import sentry_sdk

dsn, label = sys.argv[1:]
sentry_sdk.init(dsn, release="shop@1.0.0", environment="test", server_name="web-1", traces_sample_rate=1.0)


def price(cart: dict[str, int]) -> int:
    return cart[f"discount of {label}"]


with sentry_sdk.start_transaction(op="task", name=f"nightly {label}"), sentry_sdk.start_span(op="db"):
    try:
        price({})
    except KeyError:
        event_id = sentry_sdk.capture_exception()
sentry_sdk.flush(10)
print(event_id)
