"""How many there are, asked of the warehouses' own services."""

import socket
import urllib.request

import sentry_sdk

NORTH = {"clock-tide", "rug-meadow"}
BEING_COUNTED = {"vase-ember"}


class StockUnavailableError(Exception):
    """A warehouse that did not answer."""

    def __init__(self, sku: str, warehouse: str) -> None:
        super().__init__(f"The {warehouse} warehouse did not tell the stock of {sku}")
        self.sku = sku
        self.warehouse = warehouse


class BeingCountedError(Exception):
    """Stock-taking: an expected answer, no bug."""


def silent_service() -> socket.socket:
    """The north warehouse's service: it listens, and never answers."""
    listener = socket.create_server(("127.0.0.1", 0), backlog=64)
    return listener


def available(sku: str, north_port: int) -> int:
    if sku in BEING_COUNTED:
        raise BeingCountedError(sku)
    if sku in NORTH:
        return ask_north(sku, north_port)
    with sentry_sdk.start_span(op="cache.get", name=f"stock:{sku}"):
        return 3 + len(sku) % 7


def ask_north(sku: str, port: int, timeout_s: float = 0.6) -> int:
    address = f"http://127.0.0.1:{port}/stock/{sku}"
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(address, timeout=timeout_s) as answer:
            return int(answer.read())
    except TimeoutError as error:
        raise StockUnavailableError(sku, "north") from error
