"""The free space of the disk in words."""

from dataclasses import dataclass
from datetime import date

from errata.reports import formats
from errata.warehouse.queries.delivery.storage import Storage

# Soon enough to order a larger disk.
SOON_DAYS = 30


@dataclass(frozen=True, slots=True)
class ShownDisk:
    """`refusal` is empty while deliveries are taken."""

    words: str
    refusal: str
    is_full_soon: bool


def shown_disk(found: Storage, today: date) -> ShownDisk:
    free = f"{formats.size(found.space.free_bytes)} of {formats.size(found.space.total_bytes)}"
    refusal = f"{free} free; {formats.size(found.bound_bytes)} must stay free."
    return ShownDisk(
        words=f"{free} free{_outlook(found)}",
        refusal=refusal if found.is_lacking else "",
        is_full_soon=found.full_on is not None and (found.full_on - today).days < SOON_DAYS,
    )


def _outlook(found: Storage) -> str:
    if found.growth_bytes is None:
        return ". Its growth is shown after three whole days of deliveries."
    grown = f"; grows by {formats.size(found.growth_bytes)} per day"
    if found.is_lacking:
        return f"{grown}."
    return f"{grown}, full on {found.full_on}." if found.full_on else f"{grown}, enough for ten years."
