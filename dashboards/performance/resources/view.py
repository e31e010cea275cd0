"""The cards above the tables of resources."""

from collections.abc import Sequence
from dataclasses import dataclass

from dashboards.performance.resource_types import TYPES
from errata.reports import formats
from errata.warehouse.queries.performance.resources import ResourceRow


@dataclass(frozen=True, slots=True)
class Card:
    name: str
    value: str
    note: str


def cards(types: Sequence[ResourceRow]) -> list[Card]:
    """Figures of each type, over the page loads that have any."""
    known = {row.type: row for row in types}
    found = []
    for name in ("script", "style", "image", "font"):
        row = known.get(name)
        if row is not None:
            note = f"compressed, in {row.per_view:.1f} files a page load"
            found.append(Card(TYPES[name], formats.size(row.bytes_per_view), note))
    if "api" in known:
        calls = known["api"]
        note = f"p75, {calls.per_view:.1f} calls a page load"
        found.append(Card("API", formats.duration(calls.duration_ms.p75), note))
    wire = sum(row.transfer_bytes for row in types)
    if types:
        found.append(Card("Over the wire", formats.size(wire), "all of the period, without the cache"))
    return found
