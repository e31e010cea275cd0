"""What visitors are about to buy, kept in memory."""

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass

import sentry_sdk

from demo.shop import catalogue

KEPT_CARTS = 500


@dataclass(frozen=True)
class Line:
    product: catalogue.Product
    quantity: int

    @property
    def total_cents(self) -> int:
        return self.product.price_cents * self.quantity


class Carts:
    def __init__(self) -> None:
        self._carts: OrderedDict[str, Counter[str]] = OrderedDict()
        self._lock = threading.Lock()

    def add(self, cart_id: str, product: catalogue.Product, quantity: int) -> int:
        """Put a product into a cart; how many things are in it now."""
        sentry_sdk.add_breadcrumb(category="cart", message=f"added {quantity} × {product.sku}")
        with self._lock:
            cart = self._carts.setdefault(cart_id, Counter())
            cart[product.sku] += quantity
            self._carts.move_to_end(cart_id)
            while len(self._carts) > KEPT_CARTS:
                self._carts.popitem(last=False)
            return cart.total()

    def lines(self, cart_id: str) -> list[Line]:
        with self._lock:
            cart = dict(self._carts.get(cart_id, {}))
        lines = [Line(catalogue.BY_SKU[sku], quantity) for sku, quantity in cart.items()]
        sentry_sdk.set_extra("cart", {line.product.sku: line.quantity for line in lines})
        return lines

    def empty(self, cart_id: str) -> None:
        with self._lock:
            self._carts.pop(cart_id, None)
