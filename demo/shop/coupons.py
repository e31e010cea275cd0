"""Codes that make things cheaper."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Coupon:
    code: str
    campaign: str


CAMPAIGN_PERCENT = {"welcome": 10, "winter": 15, "friends": 20}
COUPONS = {
    coupon.code: coupon
    for coupon in (
        Coupon("WELCOME", "welcome"),
        Coupon("WINTER26", "winter"),
        # The campaign is over and was removed above; the code still goes around.
        Coupon("SUMMER24", "summer"),
    )
}


def discount_cents(code: str, total_cents: int) -> int | None:
    """What a code takes off; None if nobody knows the code."""
    coupon = COUPONS.get(code.strip().upper())
    return None if coupon is None else total_cents * percent_of(coupon) // 100


def percent_of(coupon: Coupon) -> int:
    return CAMPAIGN_PERCENT[coupon.campaign]
