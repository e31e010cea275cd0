"""How often an issue occurred, in standard periods and of all time: what was built, and what arrived since.

Plain rows are asked for and put together here: one statement that did all of it would cost the engine five
times as much to understand as to answer.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property, lru_cache

from errata.clock import EPOCH, utc
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.published import one_snapshot
from errata.warehouse.queries.live_edge import live_edge
from errata.warehouse.queries.period import Period
from errata.warehouse.queries.variant_counts import counted_rows_of
from errata.warehouse.queries.whole_issue import WholeIssue

ALL = "all"
# All environments together; one may be without a name.
WHOLE = None
Key = tuple[str, str | None]
"""Span, environment."""
PRIORITY_PERIODS = ("24h", "7d", "14d")
# The warehouse takes 128 KiB in one parameter. More users than that are no edge: days are counted instead.
MOST_WRITTEN = 120_000
ARRIVED = ("variant_hash", "environment", "release", "user_hash", "occurred_at")


@dataclass(frozen=True)
class Span:
    """A period; `count` steps of `step`, none of all time."""

    name: str
    since: datetime
    step: timedelta
    count: int

    @classmethod
    def of(cls, period: Period) -> "Span":
        return cls(period.text, period.since, period.bucket, len(period.bucket_starts))

    def place(self, moment: datetime) -> int:
        return min((moment - self.since) // self.step, self.count - 1)


OF_ALL_TIME = Span(ALL, EPOCH, timedelta(days=1), 0)


@dataclass(frozen=True)
class Counted:
    """Of one span and environment. `steps` are events by step of the period."""

    event_count: int = 0
    user_count: int = 0
    steps: tuple[int, ...] = ()
    first_seen: datetime | None = None
    last_seen: datetime | None = None
    first_release: str = ""
    last_release: str = ""


NOTHING = Counted()


@dataclass(frozen=True)
class Marks:
    """Of all time. While they stay as they are, so do the events of an issue of the same variants."""

    event_count: int
    first_seen: datetime | None
    last_seen: datetime | None


@dataclass(frozen=True)
class IssueCounts:
    """By span and environment; WHOLE is all of them together."""

    spans: Mapping[str, Span]
    counted: Mapping[Key, Counted]

    @property
    def marks(self) -> "Marks":
        lives = self.of(ALL)
        return Marks(lives.event_count, lives.first_seen, lives.last_seen)

    def of(self, span: str, environment: str | None = WHOLE) -> Counted:
        return self.counted.get((span, environment), NOTHING)

    def lines(self, span: str) -> list[tuple[str, tuple[int, ...]]]:
        """Events by step for each environment, the one with most first."""
        found = [
            (environment, counted)
            for (name, environment), counted in self.counted.items()
            if name == span and environment is not None
        ]
        found.sort(key=lambda line: (-line[1].event_count, line[0]))
        return [(environment, counted.steps) for environment, counted in found]

    def moment_of(self, event_count: int) -> datetime:
        """From it on at least so many events occurred; the epoch where there are not as many."""
        for span in sorted(self.spans.values(), key=lambda span: span.step):
            held = 0
            for place, count in reversed(list(enumerate(self.of(span.name).steps))):
                held += count
                if held >= event_count:
                    return span.since + place * span.step
        return EPOCH


@dataclass(frozen=True)
class Arrival:
    variant_hash: int
    environment: str
    release: str
    user_hash: int
    occurred_at: datetime


@dataclass(frozen=True)
class Version:
    """Of the totals: what they count. `held`: the spans they have."""

    built_through: datetime
    held: frozenset[str]


def spans_of(period: Period) -> dict[str, Span]:
    """Those that the page of an issue speaks of."""
    chosen = [period, *(Period.parse(text, period.now) for text in PRIORITY_PERIODS)]
    return {span.name: span for span in (*map(Span.of, chosen), OF_ALL_TIME)}


def totals_version(warehouse: Warehouse, project_id: int, spans: Mapping[str, Span]) -> Version:
    return _version(warehouse, project_id, _named(spans.values()), *warehouse.builds_of("variant_totals"))


# A build never changes.
@lru_cache(maxsize=64)
def _version(
    warehouse: Warehouse, project_id: int, spans: tuple[tuple[str, str], ...], _variant_totals: str
) -> Version:
    (row,) = warehouse.rows(sql.query("totals_version"), {"project_id": project_id, "spans": list(spans)})
    return Version(utc(row["built_through"]), frozenset(name for name, _ in row["held"]))


def issue_counts(
    warehouse: Warehouse, whole: WholeIssue, spans: Mapping[str, Span], version: Version
) -> IssueCounts:
    # Totals are without what was deleted by their build.
    is_of_use = whole.deleted.changed_at < version.built_through
    held = {name: span for name, span in spans.items() if is_of_use and name in version.held}
    found = _by_totals(warehouse, whole, held, version) if held else None
    if found is None:
        held, found = {}, {}
    found = dict(found)
    for span in spans.values():
        if span.name not in held:
            found |= _by_days(warehouse, whole, span)
    return IssueCounts(spans, found)


@dataclass(frozen=True)
class VariantCount:
    event_count: int
    last_seen: datetime


def counts_by_variant(warehouse: Warehouse, whole: WholeIssue) -> dict[int, VariantCount]:
    """Of all time; without those that no event is left of."""
    with one_snapshot():
        return _counts_by_variant(warehouse, whole)


def _counts_by_variant(warehouse: Warehouse, whole: WholeIssue) -> dict[int, VariantCount]:
    version = totals_version(warehouse, whole.project_id, {ALL: OF_ALL_TIME})
    is_of_use = version.held and whole.deleted.changed_at < version.built_through
    rows = whole.rows(warehouse, "totals_by_variant") if is_of_use else []
    arrivals = _arrivals(warehouse, whole, version.built_through) if is_of_use else None
    if arrivals is None:
        return _by_variant(_days_by_variant(warehouse, whole))
    found = _by_variant(rows)
    for arrival in arrivals:
        known = found.get(arrival.variant_hash, VariantCount(0, EPOCH))
        found[arrival.variant_hash] = VariantCount(
            known.event_count + 1, max(known.last_seen, arrival.occurred_at)
        )
    return found


def _by_variant(rows: Iterable[Row]) -> dict[int, VariantCount]:
    return {row["variant_hash"]: VariantCount(row["event_count"], utc(row["last_seen"])) for row in rows}


def _days_by_variant(warehouse: Warehouse, whole: WholeIssue) -> list[Row]:
    statement, bound = whole.statement("days_by_variant")
    return counted_rows_of(warehouse, statement, [whole.project_id], bound)


def _by_totals(
    warehouse: Warehouse, whole: WholeIssue, spans: Mapping[str, Span], version: Version
) -> dict[Key, Counted] | None:
    """None where too much arrived since the build, or what arrived cannot be named."""
    arrivals = _arrivals(warehouse, whole, version.built_through)
    if arrivals is None:
        return None
    return _laid_over(warehouse, whole, tuple(spans.values()), version.built_through, tuple(arrivals))


# A build never changes: asked again while nothing arrived, it is known.
@lru_cache(maxsize=256)
def _laid_over(
    warehouse: Warehouse,
    whole: WholeIssue,
    spans: tuple[Span, ...],
    built_through: datetime,
    arrivals: tuple[Arrival, ...],
) -> dict[Key, Counted] | None:
    totals = Totals({span.name: span for span in spans}, arrivals)
    if len(repr(totals.arrived_users)) > MOST_WRITTEN:
        return None
    rows = _built(warehouse, whole, spans, built_through)
    users = _users(warehouse, whole, spans, built_through, totals.arrived_users)
    return totals.counted(rows, users)


@lru_cache(maxsize=256)
def _built(
    warehouse: Warehouse, whole: WholeIssue, spans: tuple[Span, ...], _built_through: datetime
) -> list[Row]:
    return whole.rows(warehouse, "totals_of_issue", spans=list(_named(spans)))


@lru_cache(maxsize=256)
def _users(
    warehouse: Warehouse,
    whole: WholeIssue,
    spans: tuple[Span, ...],
    built_through: datetime,
    arrived: tuple[tuple[str, str, int], ...],
) -> dict[Key, int]:
    """Users of thousands of variants are put together by the build, unless other ones belonged together."""
    told = {"spans": list(_named(spans)), "arrived_users": list(arrived)}
    about = {"project_id": whole.project_id, "issue_id": whole.issue_id, "counted_through": built_through}
    rows = warehouse.rows(sql.query("users_of_issue"), {**about, **told})
    variants = {variant for row in rows for variant in row["variants"]}
    if variants != set(whole.variant_hashes):
        rows = whole.rows(warehouse, "users_of_variants", **told)
    return {_key(row): row["user_count"] for row in rows}


def _key(row: Row) -> Key:
    return row["period"], WHOLE if row["is_whole"] else row["environment"]


def _arrivals(warehouse: Warehouse, whole: WholeIssue, built_through: datetime) -> list[Arrival] | None:
    """Of events received since; of copies the one received first counts, whichever variant it has."""
    edge = live_edge(warehouse, whole.project_id, built_through).arrivals()
    if edge is None:
        return None
    own = {variant.variant_hash for variant in whole.variants}
    return [
        Arrival(**{name: getattr(copy, name) for name in ARRIVED})
        for copy in edge.firsts
        if copy.variant_hash in own and not whole.deleted.has(copy.variant_hash, copy.received_at)
    ]


@dataclass(frozen=True)
class Totals:
    """What is counted, with what arrived since laid over it."""

    spans: Mapping[str, Span]
    arrivals: Sequence[Arrival]

    @cached_property
    def by_key(self) -> Mapping[Key, list[Arrival]]:
        """Those of each span and environment."""
        by_key: dict[Key, list[Arrival]] = defaultdict(list)
        for span in self.spans.values():
            for arrival in self.arrivals:
                if arrival.occurred_at >= span.since:
                    by_key[span.name, arrival.environment].append(arrival)
                    by_key[span.name, WHOLE].append(arrival)
        return dict(by_key)

    @cached_property
    def arrived_users(self) -> tuple[tuple[str, str, int], ...]:
        users = {
            (span, environment, arrival.user_hash)
            for (span, environment), arrivals in self.by_key.items()
            for arrival in arrivals
            if environment is not None and arrival.user_hash
        }
        return tuple(sorted(users))

    def counted(self, rows: Iterable[Row], users: Mapping[Key, int]) -> dict[Key, Counted]:
        """`users`: with those that arrived, of what the build counts something of."""
        built = {_key(row): row for row in rows}
        return {key: self._counted(key, built.get(key), users) for key in {**built, **self.by_key}}

    def _counted(self, key: Key, row: Row | None, users: Mapping[Key, int]) -> Counted:
        span, arrivals = self.spans[key[0]], self.by_key.get(key, [])
        steps = [*(row["event_counts"] if row else ())][: span.count]
        steps += [0] * (span.count - len(steps))
        for arrival in arrivals if span.count else ():
            steps[span.place(arrival.occurred_at)] += 1
        seen = sorted(_seen(row, arrivals), key=lambda sight: sight[0])
        named = [release for _, release in seen if release]
        return Counted(
            event_count=(row["event_count"] if row else 0) + len(arrivals),
            user_count=users[key] if key in users else self._arrived(key),
            steps=tuple(steps),
            first_seen=seen[0][0] if seen else None,
            last_seen=seen[-1][0] if seen else None,
            first_release=named[0] if named else "",
            last_release=named[-1] if named else "",
        )

    def _arrived(self, key: Key) -> int:
        return len({arrival.user_hash for arrival in self.by_key.get(key, ())} - {0})


def _seen(row: Row | None, arrivals: Iterable[Arrival]) -> Iterator[tuple[datetime, str]]:
    if row and row["event_count"]:
        yield utc(row["first_seen"]), row["first_release"]
        yield utc(row["last_seen"]), row["last_release"]
    for arrival in arrivals:
        yield arrival.occurred_at, arrival.release


def _by_days(warehouse: Warehouse, whole: WholeIssue, span: Span) -> dict[Key, Counted]:
    """What no total holds: any other period, and all before the first build. Exact, and slower."""
    statement, bound = whole.statement("days_of_issue")
    rows = counted_rows_of(
        warehouse,
        statement,
        [whole.project_id],
        {
            **bound,
            "since": span.since,
            "by_hour": timedelta(0) < span.step < timedelta(days=1),
            "bucket_seconds": int(span.step.total_seconds()),
            "bucket_count": span.count,
        },
    )
    return {
        (span.name, WHOLE if row["is_whole"] else row["environment"]): Counted(
            event_count=row["event_count"],
            user_count=row["user_count"],
            steps=tuple(row["event_counts"]),
            first_seen=utc(row["first_seen"]),
            last_seen=utc(row["last_seen"]),
            first_release=row["first_release"],
            last_release=row["last_release"],
        )
        for row in rows
    }


def _named(spans: Iterable[Span]) -> tuple[tuple[str, str], ...]:
    return tuple((span.name, span.since.strftime("%Y-%m-%d %H:%M:%S")) for span in spans)
