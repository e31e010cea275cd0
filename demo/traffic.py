"""Calls of the shop's API by programs, beside the people on its pages."""

import json
import random
import threading
import urllib.error
import urllib.request
from datetime import UTC, datetime

from demo import story

CALLS = [
    ("GET", "/api/products", None),
    ("GET", "/api/products?q=oak", None),
    ("GET", "/api/products/chair-fjord", None),
    ("GET", "/api/products/table-delta", None),
    ("GET", "/api/stock/sofa-drift", None),
    ("GET", "/api/recommendations/chair-fjord", None),
    ("GET", "/api/recommendations/desk-harbour", None),
    ("GET", "/api/tax?country=DE&cents=64500", None),
    ("GET", "/api/coupons/WELCOME?cents=64500", None),
    ("POST", "/api/newsletter", {"email": "kenji@example.com"}),
    ("POST", "/api/cart", {"sku": "shelf-orbit", "quantity": 2}),
]
RARE = [
    ("GET", "/api/products/discontinued", None),
    ("GET", "/api/coupons/NONSENSE?cents=64500", None),
    ("POST", "/api/cart", {"sku": "shelf-orbit", "quantity": 0}),
    ("GET", "/api/coupons/SUMMER24?cents=64500", None),
    ("GET", "/api/tax?country=MC&cents=5400", None),
    ("GET", "/api/stock/rug-meadow", None),
]
CALLS_A_VISIT = 3.5
"""Calls of programs, in the time of one visit of a person."""


def keep_calling(shop: str, stopping: threading.Event) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while not stopping.wait(_pause_s()):
        method, path, body = random.choice(RARE if random.random() < 0.06 else CALLS)
        request = urllib.request.Request(
            shop + path,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={
                "Content-Type": "application/json",
                "Cookie": f"visitor={random.randint(1001, 1006)}; cart=api",
                "User-Agent": "nordlys-partner/2.3",
            },
        )
        try:
            with opener.open(request, timeout=10) as answer:
                answer.read()
        except OSError:
            # Answers of 400 and more, and a shop that is just being deployed.
            continue


def _pause_s() -> float:
    return random.expovariate(CALLS_A_VISIT * story.visits_an_hour(datetime.now(UTC)) / 3600)
