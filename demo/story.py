"""What the weeks before today tell, stated once: history injects it, the banner says it, a test compares."""

from dataclasses import dataclass
from datetime import datetime, timedelta

SEED = 20
LOADS_A_DAY = 160
CALLS_A_DAY = 640
RESTED_ON_WEEKENDS = 0.75
"""Traffic of a Saturday or Sunday, as a share of a workday's."""
GROWTH = 2.5
"""Traffic of the last day, as a multiple of the first day's."""
# Visitors by hour of the day in UTC, from several continents.
HOURS = (9, 8, 7, 7, 7, 8, 9, 11, 12, 14, 15, 15, 15, 15, 15, 15, 15, 16, 17, 18, 17, 15, 12, 10)
LOADS_A_VISIT = 2.5
PEOPLE = 400
SIGNED_IN = 0.6
STAGING = 0.03

CHECKOUT = "/checkout"


@dataclass(frozen=True)
class Release:
    """`begins`: the share of the weeks before its deployment. The factors are of its loads."""

    version: str
    begins: float
    pages: float = 1.0
    checkout: float = 1.0
    scripts: float = 1.0
    verdict: str = "no_change"

    def begins_at(self, since: datetime, until: datetime) -> datetime:
        """In the morning of a day, when people deploy; the first one is there from the start."""
        if not self.begins:
            return since
        day = since + timedelta(days=round((until - since).days * self.begins))
        return day.replace(hour=9, minute=0, second=0, microsecond=0)


RELEASES = (
    Release("shop-web@1.0.0", 0.0, pages=1.25, checkout=1.25),
    Release("shop-web@1.1.0", 0.27, pages=0.75, checkout=0.75, verdict="better"),
    Release("shop-web@1.2.0", 0.45, pages=0.75, checkout=0.75),
    Release("shop-web@1.3.0", 0.61, pages=1.0, checkout=1.0, scripts=1.8, verdict="worse"),
    Release("shop-web@1.4.0", 0.82, pages=1.0, checkout=1.0, scripts=1.8),
)
BETTER, SLOWER, NEWEST = RELEASES[1], RELEASES[3], RELEASES[4]
DEPLOYED_LIVE = "shop-web@1.5.0"
"""What the live shop is deployed as while people watch: the checkout takes longer, and paying does."""

# Milliseconds until the load event: the median of a desktop's loads.
LOAD_MS = {"/": 1000, "/products": 850, "/products/{id}": 880, "/cart": 620, CHECKOUT: 760}
VISITED = {"/": 26, "/products": 20, "/products/{id}": 22, "/cart": 8, CHECKOUT: 24}
MOBILE = 1.45
SPREAD = 0.3
"""Standard deviation of the logarithms of one page's loads."""


@dataclass(frozen=True)
class Endpoint:
    """`share`: of a hundred calls, about. `lasts_ms`: the median of calls that succeed."""

    share: float
    lasts_ms: float


ENDPOINTS = {
    "/": Endpoint(9, 190),
    "/products": Endpoint(7, 220),
    "/products/{id}": Endpoint(9, 160),
    "/cart": Endpoint(3, 170),
    CHECKOUT: Endpoint(4, 160),
    "/sign-in/{visitor_id}": Endpoint(2, 3),
    "/api/cart": Endpoint(33, 17),
    "/api/products": Endpoint(5, 200),
    "/api/products/{sku}": Endpoint(4, 15),
    "/api/recommendations/{sku}": Endpoint(10, 410),
    "/api/stock/{sku}": Endpoint(9, 18),
    "/api/tax": Endpoint(4, 8),
    "/api/coupons/{code}": Endpoint(2, 16),
    "/api/newsletter": Endpoint(1, 6),
}
FAILING = {500: 250.0, 504: 660.0}
"""Milliseconds until such an answer, whatever the endpoint."""
OUTCOMES = {"answered": 0.91, "refused": 0.04, "failing": 0.05}
"""Shares of calls; refused is 400 to 499, failing 500 or more."""


def traffic(day: datetime, passed: float = 1.0) -> float:
    """Of a day, around 1 over the weeks; `passed`: the share of them that is over."""
    weekend = RESTED_ON_WEEKENDS if day.weekday() >= 5 else 1.0
    return weekend * (1 + (GROWTH - 1) * passed) / (1 + (GROWTH - 1) / 2)


def visits_an_hour(moment: datetime) -> float:
    """Of the live shop at this hour, as the last day of the weeks before had them."""
    return LOADS_A_DAY * traffic(moment) * HOURS[moment.hour] / sum(HOURS) / LOADS_A_VISIT


@dataclass(frozen=True)
class Fault:
    """A bug of the shop: how often a day it is met, in which releases (by their numbers in RELEASES).

    `title` is part of its issue's; empty where nobody decides anything about it. `browser` is part of the
    user agents, `plan` that of the people who meet it; empty: of all alike.
    """

    case: str
    a_day: float
    releases: range = range(5)
    title: str = ""
    browser: str = ""
    plan: str = ""


COMES_BACK = Fault("related-price", 1.6, range(3), "of null (reading 'cents')")
"""Mended by 1.3.0, then resolved; the newest release brings it back."""
BROUGHT_BACK = 6
"""Events with which it comes back."""
MERGED = (
    Fault("upstream_orders", 1.6, title="orders upstream did not answer"),
    Fault("upstream_inventory", 0.8, title="inventory upstream did not answer"),
)
ASSIGNED = Fault("declined", 5.2, title="ApiError: POST /api/pay answered 402")
IGNORED = Fault("newsletter", 2.6, title="ApiError: POST /api/newsletter answered 422")
SHARED = Fault("stock", 5.2, title="ApiError: GET /api/stock/")
OF_BROWSER = Fault("delivery-date", 4, title="RangeError: Invalid time value", browser="Firefox/")
"""Met in Firefox alone."""
OF_PLAN = Fault("coupon", 3.2, title="ApiError: GET /api/coupons/", plan="team")
"""Only teams were sent the coupon that the server no longer knows."""
FAULTS = (
    COMES_BACK,
    *MERGED,
    ASSIGNED,
    IGNORED,
    SHARED,
    OF_BROWSER,
    OF_PLAN,
    Fault("KeyError", 3.2, plan="team"),
    Fault("tax", 1.8),
    Fault("compare", 2.8),
    Fault("loyalty", 4.2, range(2, 5)),
    Fault("StockUnavailableError", 2.8),
    Fault("ZeroDivisionError", 0.7),
    Fault("PaymentDeclinedError", 2.2),
    Fault("stock_accounts", 0.8),
    Fault("no_discount_payments", 1),
    Fault("bad_json_orders", 1.2, range(2, 3)),
    Fault("missing_row_catalog", 0.5),
    Fault("zero_reports", 0.2),
    Fault("index_accounts", 0.4),
    Fault("attribute_search", 0.3),
    Fault("decode_search", 0.24),
    Fault("bad_amount_payments", 0.4, range(4, 5)),
    Fault("duplicate_shipping", 0.3),
    Fault("nested_invoices", 0.2),
    Fault("assertion_invoices", 0.2, range(4, 5)),
    Fault("missing_row_mailing", 0.16),
    Fault("attribute_accounts", 0.6),
    Fault("missing_row_orders", 0.4),
)


WROTE = {
    "coupon": (
        "My colleague gave me the code SUMMER24. The field turns red and nothing happens.",
        "The coupon from your mail doesn't work.",
        "Your shop forgot the discount for our team.",
    ),
    "declined": (
        "My card is fine, I paid elsewhere with it an hour ago.",
        "Payment fails again and again. I give up.",
    ),
    "delivery-date": (
        "I can't see when the vase comes. In another browser I can.",
        "The page stays empty where the date should be.",
    ),
    "related-price": ("The page of this lamp is broken.",),
}
"""What people wrote who met a fault, by its case."""
WROTE_OF = 0.08
"""Of those who met it."""


@dataclass(frozen=True)
class Job:
    """A job of the shop, which runs by the clock. `failed` and `missed`: how many days ago it did."""

    slug: str
    crontab: str
    lasts_s: float
    failed: range = range(0)
    missed: range = range(0)


JOBS = (
    Job("stock-import", "*/30 * * * *", 4, failed=range(3, 4)),
    Job("price-export", "30 2 * * *", 9, missed=range(6, 7)),
)


def release_at(moment: datetime, since: datetime, until: datetime) -> tuple[int, Release]:
    """The one in use, with its number."""
    number = max(n for n, release in enumerate(RELEASES) if release.begins_at(since, until) <= moment)
    return number, RELEASES[number]


# The state of each budget of `configuration.yaml` after the weeks.
BUDGETS = {
    "Checkout is fast": "breached",
    "Pages load within 2 seconds": "kept",
    "First byte comes soon": "kept",
    "Nothing jumps around": "kept",
    "Phones are not left behind": "kept",
}
BREACHED = next(name for name, state in BUDGETS.items() if state == "breached")
