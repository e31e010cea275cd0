import sys

import raven  # type: ignore[import-not-found]

dsn, label = sys.argv[1:]
client = raven.Client(dsn, release="shop@1.0.0", environment="test", name="web-1", install_sys_hook=False)


def price(cart: dict[str, int]) -> int:
    return cart[f"discount of {label}"]


try:
    price({})
except KeyError:
    event_id = client.captureException()
print(event_id)
