"""What visitors do in the shop, and what goes wrong for them."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from playwright.async_api import Page

SKUS = [
    *("chair-fjord", "table-delta", "shelf-orbit", "desk-harbour"),
    *("sofa-drift", "rug-meadow", "clock-tide", "vase-ember"),
]


PRODUCT = "/products/{}"
LOOKS = 3


@dataclass
class Visit:
    page: Page
    shop: str
    # Seconds between two actions, about.
    pace_s: float

    async def go(self, path: str) -> None:
        await self.page.goto(self.shop + path, wait_until="load", timeout=15_000)
        await self.look()

    async def click(self, selector: str) -> None:
        await self.page.click(selector, timeout=5_000)
        await self.look()

    async def fill(self, selector: str, text: str) -> None:
        await self.page.fill(selector, text, timeout=5_000)

    async def look(self) -> None:
        """With a pointer on its way, which a replay shows."""
        seconds = self.pace_s * random.uniform(0.6, 1.6)
        for _ in range(LOOKS):
            await self.page.mouse.move(random.uniform(100, 380), random.uniform(100, 600), steps=4)
            await asyncio.sleep(seconds / LOOKS)

    async def sign_in(self, visitor_id: str) -> None:
        await self.go("/")
        await self.click(f"#sign-in-{visitor_id}")

    async def put_into_cart(self, sku: str) -> None:
        await self.go(f"/products/{sku}")
        await self.click("#add")


Journey = Callable[[Visit], Awaitable[None]]


async def look_around(visit: Visit) -> None:
    for path in random.choice((("/", "/products"), ("/", PRODUCT), ("/products", PRODUCT))):
        await visit.go(path.format(random.choice(SKUS)))


async def buy(visit: Visit) -> None:
    await visit.sign_in(random.choice(["1001", "1003", "1004"]))
    await visit.put_into_cart(random.choice(["chair-fjord", "table-delta", "shelf-orbit"]))
    await visit.go("/cart")
    await visit.go("/checkout")
    await visit.click("#pay .button")
    await visit.look()


async def use_an_old_coupon(visit: Visit) -> None:
    """KeyError on the server."""
    await visit.put_into_cart("table-delta")
    await visit.go("/cart")
    await visit.fill("#coupon input", "SUMMER24")
    await visit.click("#coupon button")


async def pay_taxes_in_monaco(visit: Visit) -> None:
    """ZeroDivisionError on the server, an unhandled rejection on the page."""
    await visit.sign_in("1005")
    await visit.put_into_cart("desk-harbour")
    await visit.go("/checkout")


async def pay_with_an_empty_card(visit: Visit) -> None:
    """PaymentDeclinedError with its cause; 402 on the page."""
    await visit.sign_in(random.choice(["1001", "1004", "1006"]))
    await visit.put_into_cart("chair-fjord")
    await visit.go("/checkout")
    await visit.fill("input[name=card_number]", f"4000 0000 0000 {random.choice(['0002', '0069'])}")
    await visit.click("#pay .button")
    await visit.look()


async def ask_the_north_warehouse(visit: Visit) -> None:
    """TimeoutError of another service; 504 on the page."""
    await visit.go(f"/products/{random.choice(['rug-meadow', 'clock-tide'])}")
    await visit.look()


async def open_the_unmeasured_lamp(visit: Visit) -> None:
    """UndefinedError in a template: the page itself is a 500."""
    await visit.go("/products?kind=Lighting")
    await visit.click(".card a")


async def meet_a_discontinued_product(visit: Visit) -> None:
    """TypeError on the page: a price that is null."""
    await visit.go("/products/sofa-drift")
    await visit.look()


async def compare_products(visit: Visit) -> None:
    """TypeError in a handler: an element that is not there."""
    await visit.go("/products?kind=Seating")
    await visit.click("#compare")


async def subscribe_with_a_typo(visit: Visit) -> None:
    """An unhandled rejection after a 422."""
    await visit.go("/")
    await visit.fill("#newsletter input", "ada.example.com")
    await visit.click("#newsletter button")


async def use_loyalty_points(visit: Visit) -> None:
    """ReferenceError in a handler."""
    await visit.sign_in("1006")
    await visit.put_into_cart("shelf-orbit")
    await visit.go("/cart")
    await visit.click("#loyalty")


async def ask_when_a_vase_arrives(visit: Visit) -> None:
    """503 of an API, then a RangeError for an invalid date."""
    await visit.go("/products/vase-ember")
    await visit.click("#delivery")


async def order_as_zoe(visit: Visit) -> None:
    """UnicodeEncodeError in a thread, after the payment; a logged error for large sums."""
    await visit.sign_in("1002")
    await visit.put_into_cart("sofa-drift")
    await visit.click("#add")
    await visit.go("/checkout")
    await visit.click("#pay .button")
    await visit.look()


async def search_slowly(visit: Visit) -> None:
    """No error: a page that takes its time."""
    await visit.go(f"/products?q={random.choice(['oak', 'lamp', 'a', 'desk'])}")
    await visit.go(f"/products/{random.choice(SKUS)}")


FAULTS: list[Journey] = [
    use_an_old_coupon,
    pay_taxes_in_monaco,
    pay_with_an_empty_card,
    ask_the_north_warehouse,
    open_the_unmeasured_lamp,
    meet_a_discontinued_product,
    compare_products,
    subscribe_with_a_typo,
    use_loyalty_points,
    ask_when_a_vase_arrives,
    order_as_zoe,
]
ORDINARY: list[Journey] = [look_around, look_around, look_around, buy, search_slowly]
"""With `LOADS_A_VISIT` of story.py, and the faults, as often as the history has page loads."""
