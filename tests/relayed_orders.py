"""How the service orders versions as releases of one package."""

from collections.abc import Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta

from errata.search.versions import order
from errata.warehouse.roles import Role
from tests.builders import an_error_event, insert
from tests.processes import WarehouseProcess
from tests.relay_differences import OURS, Pair

FIRST_SEEN = datetime(2026, 11, 1, tzinfo=UTC)
# In one project they are first seen in this order, in the other one in the opposite.
PROJECTS = (7, 8)
Positions = Sequence[Mapping[str, int]]


def release_positions(warehouse: WarehouseProcess, versions: Sequence[str]) -> Positions:
    """The positions in each of the projects."""
    with closing(warehouse.client(Role.INGEST)) as ingest, closing(warehouse.client(Role.READ)) as read:
        for project_id, names in zip(PROJECTS, (versions, versions[::-1]), strict=True):
            events = [
                an_error_event(
                    project_id=project_id,
                    occurred_at=FIRST_SEEN + timedelta(minutes=number),
                    release=f"shop@{name}",
                )
                for number, name in enumerate(names)
            ]
            insert(ingest, "errata_raw.error_events", events)
        statement = "select release, position from errata_read.releases"
        return [
            {row["release"]: row["position"] for row in read.rows(statement, {"project_id": project_id})}
            for project_id in PROJECTS
        ]


def compared_pair(one: str, other: str, theirs: int | None, positions: Positions) -> Pair:
    """A version and a name that is none stand as they were first seen: not as versions."""
    signs = {_sign(known[f"shop@{one}"], known[f"shop@{other}"]) for known in positions}
    are_versions = bool(OURS.fullmatch(one) and OURS.fullmatch(other))
    # Of one rank, the first event decides.
    ours = (signs.pop() if len(signs) == 1 else 0) if are_versions else None
    first, second = order(one), order(other)
    search = None if first is None or second is None else (first > second) - (first < second)
    return Pair(one, other, theirs, ours, search)


def _sign(one: int, other: int) -> int:
    return (one > other) - (one < other)
