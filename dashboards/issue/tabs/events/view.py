"""Events of an issue as rows of a list."""

from dataclasses import dataclass

from dashboards.issue.event_address import event_address
from dashboards.issue.tabs.events.particulars import Particulars
from dashboards.shared.addresses import View, user_address
from errata.warehouse.queries.issue.events import EventRow


@dataclass(frozen=True, slots=True)
class ListedEvent:
    event_id: str
    address: str
    row: EventRow
    person: str
    person_address: str
    particulars: Particulars


def listed(view: View, slug: str, row: EventRow, particulars: Particulars) -> ListedEvent:
    person = row.user.email or row.user.name or row.user.id or row.user.ip
    address = user_address(slug, row.user_hash)
    return ListedEvent(row.id, event_address(view, row.event_id), row, person, address, particulars)
