"""What else somebody may like."""

import random
import time
from typing import Any

import sentry_sdk

from demo.shop import catalogue


def like(sku: str) -> list[dict[str, Any]]:
    """Three other products. One of a discontinued line comes without a price."""
    others = [product for product in catalogue.PRODUCTS if product.sku != sku]
    picked = random.Random(sku).sample(others, 3)
    for _ in picked:
        # One question for each product: what makes this call slow.
        with sentry_sdk.start_span(op="db", name="SELECT score FROM affinities WHERE left_sku = %s"):
            time.sleep(random.uniform(0.03, 0.22))
    return [_told(product, discontinued=sku == "sofa-drift" and n == 2) for n, product in enumerate(picked)]


def _told(product: catalogue.Product, discontinued: bool) -> dict[str, Any]:
    price = None if discontinued else {"cents": product.price_cents, "currency": "EUR"}
    return {"sku": product.sku, "name": product.name, "price": price}
