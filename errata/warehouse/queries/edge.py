"""What no build of a project knows yet: events that came in since, and variants that people moved.

A process keeps the events that it has read. Each look asks for a hash of the rows that the warehouse has of
them, and for variants that were assigned of late. If nothing differs, nothing is read; else what came in the
last half minute, or all, if what was received before differs. So rows that appear late or are erased are
noticed. Those who come while somebody looks share the next look.
"""

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import lru_cache
from threading import Lock
from time import monotonic
from typing import NamedTuple

from errata.clock import utc
from errata.warehouse import sql
from errata.warehouse.asked import Asked, Table, is_recording
from errata.warehouse.client import Parameters, Row, Warehouse

ALWAYS = "true"
FRESH = (
    "variant_hash UInt64, issue_id UInt64, recorded_at DateTime64(3, 'UTC'), "
    "occurred_at DateTime64(3, 'UTC'), received_at DateTime64(3, 'UTC'), "
    "environment String, release String, user_hash UInt64, is_matching Bool"
)
MOVED = (
    "variant_hash UInt64, issue_id UInt64, cut_at DateTime64(6, 'UTC'), recorded_at DateTime64(3, 'UTC'), "
    "is_joining Bool"
)
KEYS = ("variant_hash", "issue_id", "received_at")
NOTHING_MOVED = Table("moved", MOVED, b"")
# As in live_edge.sql.
SETTLED_AFTER = timedelta(seconds=30)
# A fifth of a kilobyte each.
MOST_KEPT = 20_000
MOST_PROJECTS = 32
# As in live_edge.sql: more are not told.
MOST_ASSIGNED = 1_000
# Longer than a look takes, unless the warehouse is busy.
WAIT_SECONDS = 2.0


class Arrival(NamedTuple):
    """A new event: `row` is that of the table `fresh`, as RowBinary."""

    variant_hash: int
    issue_id: int
    received_at: datetime
    row: bytes


@dataclass(frozen=True)
class Edge:
    """`asked_at`: by the warehouse's clock; `recent_count`: events received in the 20 s before, copies
    included. `known`: what came in since the build."""

    asked_at: datetime
    recent_count: int
    known: "Known"

    @property
    def arrivals(self) -> Sequence[Arrival]:
        return self.known.arrivals

    @property
    def moved(self) -> Table:
        return self.known.moved

    @property
    def assigned(self) -> Hashable:
        """Known to be equal while all variants are in the same issues."""
        return self.known.since, self.known.assigned_hash

    def tables(self, issue_ids: Collection[int] | None = None) -> tuple[Table, Table]:
        """To be sent along with a statement: `fresh`, of all issues or of these, and `moved`."""
        ids = None if issue_ids is None else set(issue_ids)
        rows = [one.row for one in self.arrivals if ids is None or one.issue_id in ids]
        return Table("fresh", FRESH, b"".join(rows), self.known.asked), self.moved


@dataclass(frozen=True)
class Since:
    """What marts count: events received before `arrivals`, in issues as of `assigned`; `variants`: the
    `variants_through` of moved_variants.sql."""

    arrivals: datetime
    assigned: datetime
    variants: datetime


@dataclass(frozen=True)
class Known:
    """What one look found: events received `since.arrivals`, of copies the first, and `moved`, the variants
    that are in other issues than totals have them in.

    `settled_hash` is that of the rows that the warehouse had of the events received before `until`, when no
    more of them would appear, `recent_hash` that of the others.
    """

    since: Since
    until: datetime
    settled_hash: int = 0
    recent_hash: int = 0
    arrivals: Sequence[Arrival] = ()
    asked: Asked | None = None
    assigned_hash: int = 0
    moved: Table = NOTHING_MOVED

    @classmethod
    def nothing(cls, since: Since) -> "Known":
        return cls(since, since.arrivals)

    def are_settled_right(self, live: Row) -> bool:
        """Whether the events received before `until` are as they would be read now."""
        return live["kept_hash"] == self.settled_hash and not _have_moved(live, self.settled)

    def are_right(self, live: Row) -> bool:
        """Whether all are, if those received before `until` are."""
        return live["arrived_hash"] == self.recent_hash and not _have_moved(live, self.arrivals)

    @property
    def settled(self) -> Sequence[Arrival]:
        return [one for one in self.arrivals if one.received_at < self.until]


def _have_moved(live: Row, arrivals: Sequence[Arrival]) -> bool:
    """Whether some may be in other issues now."""
    assigned = set(live["assigned_variants"])
    if len(assigned) > MOST_ASSIGNED:
        return bool(arrivals)
    return bool(assigned) and any(one.variant_hash in assigned for one in arrivals)


@dataclass(frozen=True)
class Looking:
    """The questions of one look."""

    warehouse: Warehouse
    project_id: int
    since: Since

    def live(self, kept_until: datetime) -> Row:
        parameters = {
            "project_id": self.project_id,
            "arrivals_since": self.since.arrivals,
            "assigned_since": self.since.assigned,
            "kept_until": kept_until,
        }
        (row,) = self.warehouse.rows(sql.query("live_edge"), parameters)
        return row

    def arrived(
        self,
        known: Known,
        live: Row,
        matching: str = ALWAYS,
        parameters: Parameters | None = None,
    ) -> Known:
        """With what came in since, in place of what is known of it."""
        if not live["arrived_hash"]:
            # There is no moment to look for copies from.
            return replace(known, arrivals=known.settled)
        statement = sql.query("arrivals").at(event_condition=matching)
        moments = {"arrivals_since": known.until, "copies_since": utc(live["copies_since"])}
        asked = {**(parameters or {}), "project_id": self.project_id, **moments}
        rows, question = self.warehouse.packed(FRESH, KEYS, statement, asked)
        came = [Arrival(variant, issue, utc(received_at), row) for variant, issue, received_at, row in rows]
        # A fixed order: equal rows are sent along as an equal table, which the cache recognizes.
        came.sort(key=lambda one: (one.received_at, one.row))
        return replace(known, arrivals=[*known.settled, *came], asked=question)

    def moved(self) -> Table:
        parameters = {
            "project_id": self.project_id,
            "assigned_since": self.since.assigned,
            "variants_through": self.since.variants,
        }
        return self.warehouse.table("moved", MOVED, sql.query("moved_variants"), parameters)


@dataclass
class Arrivals:
    """The events of a project received since a build, as one process knows them. Thread-safe."""

    _lock: Lock = field(default_factory=Lock)
    _known: Known | None = None
    _edge: Edge | None = None
    _looked_at: float = float("-inf")

    def edge(self, looking: Looking) -> Edge:
        came_at = monotonic() - looking.warehouse.shared_seconds
        if not self._lock.acquire(timeout=WAIT_SECONDS):
            return Arrivals().edge(looking)
        try:
            known = self._known if self._known and self._known.since == looking.since else None
            if not (known and self._edge) or self._looked_at < came_at:
                self._looked_at = monotonic()
                self._known, self._edge = _looked(looking, known or Known.nothing(looking.since))
            return self._edge
        finally:
            self._lock.release()


def _looked(looking: Looking, known: Known) -> tuple[Known, Edge]:
    live = looking.live(known.until)
    if not known.are_settled_right(live):
        known = Known.nothing(looking.since)
        live = looking.live(known.until)
    if not known.are_right(live):
        known = looking.arrived(known, live)
    if live["assigned_hash"] != known.assigned_hash:
        known = replace(known, assigned_hash=live["assigned_hash"], moved=looking.moved())
    asked_at, settled = utc(live["asked_at"]), live["settled_hash"]
    edge = Edge(asked_at, live["recent_count"], known)
    if len(known.arrivals) > MOST_KEPT:
        return Known.nothing(known.since), edge
    recent = (live["kept_hash"] + live["arrived_hash"] - settled) % (1 << 64)
    until = max(known.since.arrivals, asked_at - SETTLED_AFTER)
    return replace(known, until=until, settled_hash=settled, recent_hash=recent), edge


def edge_of(looking: Looking, of: str, matching: str, parameters: Parameters) -> Edge:
    """`matching`: a condition with its parameters, which tells `is_matching` of new events. `of`: what the
    edge is told for, which is built apart."""
    is_kept = looking.warehouse.cache is not None and not is_recording()
    arrivals = _kept(looking.warehouse.address, looking.project_id, of) if is_kept else Arrivals()
    edge = arrivals.edge(looking)
    if matching == ALWAYS or not edge.arrivals:
        return edge
    live = looking.live(looking.since.arrivals)
    nothing = replace(edge.known, until=looking.since.arrivals)
    return replace(edge, known=looking.arrived(nothing, live, matching, parameters))


@lru_cache(MOST_PROJECTS)
def _kept(address: str, project_id: int, of: str) -> Arrivals:
    return Arrivals()
