"""Taxes by country."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Rate:
    percent: float
    # Prices are shown in units of this many cents.
    rounding_cents: int


RATES = {
    "GB": Rate(20, 1),
    "DE": Rate(19, 1),
    "JP": Rate(10, 100),
    "CZ": Rate(21, 1),
    "PT": Rate(23, 1),
    "CH": Rate(8.1, 5),
    # Imported from a table with an empty cell.
    "MC": Rate(20, 0),
}
ELSEWHERE = Rate(0, 1)


def tax_cents(country: str, net_cents: int) -> int:
    rate = RATES.get(country, ELSEWHERE)
    return round_to(net_cents * rate.percent / 100, rate.rounding_cents)


def round_to(cents: float, unit_cents: int) -> int:
    return round(cents / unit_cents) * unit_cents
