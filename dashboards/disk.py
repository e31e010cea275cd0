"""How full the disk is, in words."""

from dataclasses import dataclass
from datetime import date

from errata.reports import formats
from errata.warehouse.queries.storage import Storage

# Soon enough to order a larger disk.
SOON_DAYS = 30


@dataclass(frozen=True, slots=True)
class ShownDisk:
    """`refusal` is empty while deliveries are taken."""

    free: str
    note: str
    refusal: str
    is_bad: bool


def shown_disk(found: Storage, today: date) -> ShownDisk:
    free = formats.size(found.space.free_bytes)
    soon = found.full_on is not None and (found.full_on - today).days < SOON_DAYS
    return ShownDisk(
        free=free,
        note=_note(found),
        refusal=f"{free} of {formats.size(found.space.total_bytes)} are free, and "
        f"{formats.size(found.bound_bytes)} must stay free."
        if found.is_lacking
        else "",
        is_bad=found.is_lacking or soon,
    )


def _note(found: Storage) -> str:
    if found.growth_bytes is None:
        return f"of {formats.size(found.space.total_bytes)}"
    grown = f"+{formats.size(found.growth_bytes)} a day"
    if found.is_lacking:
        return f"{grown}; full"
    return f"{grown}; full on {found.full_on}" if found.full_on else f"{grown}; enough for ten years"
