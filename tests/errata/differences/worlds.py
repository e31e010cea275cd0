"""Traffic in which an issue differs from others in nothing, or in what is planted, as warehouse rows."""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import combinations, product
from random import Random
from uuid import UUID

import numpy as np

from errata.differences.dominance import SourceCount, SourceKind, dominant_source
from errata.differences.findings import FEWEST_SOURCES, Found
from errata.differences.inflation import found_apart
from errata.differences.redundancy import Joint, Joints, Key
from errata.differences.traffic import (
    FEW_HOURS,
    LARGEST_CLIENTS,
    QUARTERS,
    SHARE_OF_FEW_HOURS,
    Stratum,
    Traffic,
    Value,
)
from errata.statistics.stratified import Floats, Integers
from tests.builders import Row
from tests.errata.statistics.traffic import DAY, HOUR, START, moments

SECONDS = 14 * DAY
JOB_SECONDS = 10 * 60
SINCE = START
REST_ISSUES = 30
ISSUE = 1
# The client's columns and tags of one's own, with how many values they have.
COLUMNS = {"browser": 5, "os": 4, "device": 3}
TAGS = {"plan": 3, "country": 8, "locale": 6, "theme": 2, "experiment": 4, "app_version": 5}
PLANTED_SHARE, COMMON_SHARE = 0.8, 0.3
# Of all moments this share is after it.
DEPLOYED = SINCE + (1 - COMMON_SHARE) * SECONDS


@dataclass(frozen=True)
class World:
    """`users` of the issue; those of the rest are eight times as many. `identified` is a share of them."""

    users: int = 60
    identified: float = 1.0
    events_a_user: float = 5.0
    pareto: float = 0.0
    """Events a user have this tail instead; 0: geometric."""
    visit_seconds: float = 10 * HOUR
    has_traces: bool = False
    """Each event has a trace of its own, as SDKs send them; every second has a replay."""
    bot_share: float = 0.0
    """Of the issue's events one more client has this share."""
    bots: int = 1
    """So many clients have that share together."""
    bot_is_identified: bool = False
    job_seconds: float = 0.0
    """The issue is one job of one server that fails so long."""
    tenants: int = 0
    has_tenant_tag: bool = True
    tenant_spread: float = 1.0
    """How differently often an issue strikes tenants, as the standard deviation of logarithms."""
    season: float = 0.0
    """How differently values are shared out in each part of the week, likewise."""
    hourly_swing: float = 0.0
    """How differently values are shared out in each hour of the day, likewise."""
    hour: int | None = None
    """The issue occurs in this hour of the day, on every day."""
    issue_seconds: float = SECONDS
    """The issue occurs within a span this long."""
    scheduled_share: float = 0.0
    """Of all users this share meets a job that runs for the ten minutes after 15:00, on every day."""
    office_hours: bool = False
    """The issue occurs between 9:00 and 17:00."""
    has_clients: bool = True
    """Browser, system and device are sent."""
    is_deployed: bool = False
    """Everybody gets another release when `COMMON_SHARE` of the time is left."""
    bot_is_new: bool = False
    """The bots come since then."""
    planted: str = ""
    """Of this tag the issue's users have the second value more often."""

    @property
    def planted_value(self) -> tuple[str, str]:
        return self.planted, f"{self.planted}-1"


WORLDS = {
    "identified people": World(),
    "heavy users (Pareto 1.5)": World(pareto=1.5),
    "seasons": World(season=0.7),
    "seasons, an issue of one evening": World(season=0.7, issue_seconds=6 * HOUR, visit_seconds=HOUR),
    "anonymous visitors": World(identified=0.0),
    "anonymous visitors, with traces": World(identified=0.0, has_traces=True),
    "anonymous heavy visitors (Pareto 1.5)": World(identified=0.0, pareto=1.5, has_traces=True),
    "anonymous visitors of unknown clients": World(identified=0.0, has_clients=False, has_traces=True),
    "half identified": World(identified=0.5, has_traces=True),
    "one bot 20%, people identified": World(bot_share=0.2),
    "one identified bot 20%": World(bot_share=0.2, bot_is_identified=True),
    "one bot 20%, nobody identified": World(
        identified=0.0, events_a_user=1.0, users=200, bot_share=0.2, has_traces=True
    ),
    "a job failing for an hour": World(job_seconds=HOUR, identified=0.0, has_traces=True),
    "unequal tenants": World(tenants=40, users=150),
    "unequal tenants, anonymous": World(tenants=40, users=150, identified=0.0, has_traces=True),
    "true: 30 identified users": World(users=30, planted="browser"),
    "true: 60 identified users": World(planted="browser"),
    "true: 200 identified users": World(users=200, planted="browser"),
    "true: half of 60 identified": World(identified=0.5, planted="browser", has_traces=True),
    "true: 60 anonymous visitors": World(identified=0.0, planted="browser", has_traces=True),
    "true: 150 users of 40 unequal tenants": World(tenants=40, users=150, planted="browser"),
    "an issue of one hour of the day": World(hourly_swing=1.5, hour=15, visit_seconds=60.0),
    "true: an issue of one hour of the day": World(
        users=200, hourly_swing=1.5, hour=15, visit_seconds=60.0, planted="browser"
    ),
    "true: 200 anonymous visitors": World(users=200, identified=0.0, planted="browser", has_traces=True),
    "true: a tag of 60 anonymous visitors": World(identified=0.0, planted="experiment", has_traces=True),
    "anonymous visitors, coming back": World(identified=0.0, visit_seconds=12 * DAY, has_traces=True),
    "two bots 30%, nobody identified": World(
        identified=0.0, events_a_user=2.0, users=100, bot_share=0.3, bots=2, has_traces=True
    ),
    "companies that no tag names": World(tenants=40, users=150, has_tenant_tag=False),
    "a scheduled job, an issue of office hours": World(
        users=200, visit_seconds=60.0, scheduled_share=0.2, office_hours=True
    ),
    "a new release, anonymous heavy visitors": World(
        identified=0.0, pareto=1.5, has_traces=True, is_deployed=True
    ),
    "a bot 20% since a new release, nobody identified": World(
        identified=0.0, users=200, bot_share=0.2, bot_is_new=True, has_traces=True, is_deployed=True
    ),
    "true: a release, 60 identified users": World(planted="release", is_deployed=True),
    "true: a release, 60 anonymous visitors": World(
        identified=0.0, planted="release", has_traces=True, is_deployed=True
    ),
    "true: a release, 200 anonymous visitors": World(
        users=200, identified=0.0, planted="release", has_traces=True, is_deployed=True
    ),
}


def events_of_trial(world: World, project: int, generator: np.random.Generator) -> list[Row]:
    people = _People(world, generator)
    rest = people.events(8 * world.users, is_issue=False)
    issue = people.job() if world.job_seconds else people.events(world.users, is_issue=True)
    if world.bot_share:
        of_bots = round(len(issue) * world.bot_share / (1 - world.bot_share))
        issue += [event for _ in range(world.bots) for event in people.bot(of_bots // world.bots)]
    variants = generator.integers(ISSUE + 1, ISSUE + 1 + REST_ISSUES, len(rest))
    for event, variant in zip(rest, variants.tolist(), strict=True):
        event["variant_hash"] = project * 1000 + variant
    for event in issue:
        event["variant_hash"] = project * 1000 + ISSUE
    ids = generator.bytes(16 * (len(rest) + len(issue)))
    for number, event in enumerate((*rest, *issue)):
        event |= {"project_id": project, "item_id": UUID(bytes=ids[16 * number : 16 * number + 16])}
    return rest + issue


class _People:
    """Who can meet an error in a world: their clients, tenants and habits."""

    def __init__(self, world: World, generator: np.random.Generator) -> None:
        self.world, self.generator = world, generator
        self.random = Random(int(generator.integers(0, 2**62)))
        self.fields = {**COLUMNS, **TAGS} if world.has_clients else TAGS
        self.shares = {name: generator.dirichlet(np.full(count, 2.0)) for name, count in self.fields.items()}
        if world.planted in self.fields:
            others = self.shares[world.planted].copy()
            others[1] = 0
            self.shares[world.planted] = others / others.sum() * (1 - COMMON_SHARE)
            self.shares[world.planted][1] = COMMON_SHARE
        self.tilts = {
            name: generator.normal(0, world.season, (8, count)) for name, count in self.fields.items()
        }
        self.swings = {
            name: generator.normal(0, world.hourly_swing, (24, count))
            if world.hourly_swing
            else np.zeros((24, count))
            for name, count in self.fields.items()
        }
        if world.planted in self.fields:
            self.swings[world.planted] = np.zeros((24, self.fields[world.planted]))
        self.server_weights = generator.dirichlet(np.full(4, 4.0)).tolist()
        if world.tenants:
            sizes = 1 + generator.pareto(1.2, world.tenants)
            self.tenant_shares = sizes / sizes.sum()
            strikes = sizes * np.exp(generator.normal(0, world.tenant_spread, world.tenants))
            self.struck_shares = strikes / strikes.sum()
            self.tenant_values = {
                name: generator.choice(count, world.tenants, p=self.shares[name])
                for name, count in self.fields.items()
            }

    def events(self, count: int, *, is_issue: bool) -> list[Row]:
        world, generator = self.world, self.generator
        begun = self._begun(count, is_issue=is_issue)
        values = {name: self._values(name, begun, is_issue=is_issue) for name in self.fields}
        tenants = None
        if world.tenants:
            shares = self.struck_shares if is_issue else self.tenant_shares
            tenants = generator.choice(world.tenants, count, p=shares)
            for name in self.fields:
                if is_issue and name == world.planted:
                    continue
                # Most users of a tenant have what the tenant has.
                alike = generator.random(count) < 0.8
                values[name] = np.where(alike, self.tenant_values[name][tenants], values[name])
        known = generator.random(count) < world.identified
        events: list[Row] = []
        for person, size in enumerate(self._sizes(count).tolist()):
            own = {name: f"{name}-{values[name][person]}" for name in self.fields}
            if tenants is not None and world.has_tenant_tag:
                own["tenant"] = f"tenant-{tenants[person]}"
            user = int(generator.integers(1, 2**62)) if known[person] else 0
            seconds = begun[person] + generator.uniform(0, world.visit_seconds, size)
            events += [self._event(own, user, moment) for moment in seconds.tolist()]
        return events

    def bot(self, count: int) -> list[Row]:
        values = {name: f"{name}-{self.generator.integers(0, size)}" for name, size in self.fields.items()}
        user = 4711 if self.world.bot_is_identified else 0
        since = DEPLOYED if self.world.bot_is_new else SINCE
        moments_of_bot = self.generator.uniform(since, SINCE + SECONDS, count)
        return [self._event(values, user, moment) for moment in moments_of_bot.tolist()]

    def job(self) -> list[Row]:
        """One process of one server: all its events have the same tags, apart from the trace."""
        values = {name: f"{name}-{self.generator.integers(0, size)}" for name, size in TAGS.items()}
        begun = SINCE + self.generator.uniform(0, SECONDS - self.world.job_seconds)
        seconds = begun + np.arange(0, self.world.job_seconds, 30.0)
        job = {"server_name": "server-3", "transaction": "jobs.import_orders", "request_url": ""}
        return [self._event(values, 0, moment) | job for moment in seconds.tolist()]

    def _begun(self, count: int, *, is_issue: bool) -> Floats:
        begun = moments(self.generator, count, SINCE, SINCE + SECONDS - self.world.visit_seconds)
        if is_issue and self.world.planted == "release":
            is_later = self.generator.random(count) < PLANTED_SHARE
            begun = np.where(
                is_later,
                moments(self.generator, count, DEPLOYED, SINCE + SECONDS - self.world.visit_seconds),
                moments(self.generator, count, SINCE, DEPLOYED),
            )
        if is_issue and self.world.hour is not None:
            begun = begun - begun % DAY + (self.world.hour + 0.7 * self.generator.random(count)) * HOUR
        if self.world.scheduled_share:
            is_of_job = self.generator.random(count) < self.world.scheduled_share
            begun = np.where(is_of_job, begun - begun % DAY + 15 * HOUR + begun % JOB_SECONDS, begun)
        if is_issue and self.world.office_hours:
            hour = _hour_of_day(begun)
            begun = self.generator.choice(begun[(hour >= 9) & (hour < 17)], count)
        if is_issue and self.world.issue_seconds < SECONDS:
            # In the evening of one of the days.
            start = SINCE + 6 * HOUR + int(self.generator.integers(0, 13)) * DAY
            begun = start + self.generator.uniform(0, self.world.issue_seconds, count)
        return begun

    def _values(self, name: str, begun: Floats, *, is_issue: bool) -> Integers:
        if is_issue and name == self.world.planted:
            others = self.shares[name].copy()
            others[1] = 0
            shares = np.tile(others / others.sum() * (1 - PLANTED_SHARE), (len(begun), 1))
            shares[:, 1] = PLANTED_SHARE
        else:
            shares = self.shares[name] * np.exp(
                self.tilts[name][_part_of_week(begun)] + self.swings[name][_hour_of_day(begun)]
            )
            shares /= shares.sum(axis=1, keepdims=True)
        chosen: Integers = (shares.cumsum(axis=1) < self.generator.random((len(begun), 1))).sum(axis=1)
        chosen = np.minimum(chosen, shares.shape[1] - 1)
        return chosen

    def _sizes(self, count: int) -> Integers:
        if self.world.pareto:
            least = self.world.events_a_user * (self.world.pareto - 1) / self.world.pareto
            drawn = np.minimum(300, least * (1 + self.generator.pareto(self.world.pareto, count)))
            return np.maximum(1, np.round(drawn)).astype(np.int64)
        drawn_sizes: Integers = self.generator.geometric(1 / self.world.events_a_user, count)
        return drawn_sizes

    def _event(self, values: dict[str, str], user: int, moment: float) -> Row:
        random = self.random
        traces: Row = {}
        if self.world.has_traces:
            traces["trace_id"] = UUID(int=random.getrandbits(128))
            if random.random() < 0.5:
                traces["replay_id"] = UUID(int=random.getrandbits(128))
        occurred_at = datetime.fromtimestamp(moment, UTC)
        return {
            "occurred_at": occurred_at,
            "received_at": occurred_at,
            "level": "error",
            "platform": "python",
            "environment": "production",
            "release": f"release-{int(self.world.is_deployed and moment >= DEPLOYED)}",
            "type": "ValueError",
            "message": "bad value",
            "payload": "{}",
            "user_hash": user,
            "user_id": str(user) if user else "",
            "server_name": f"server-{random.choices(range(4), self.server_weights)[0]}",
            "request_url": "https://shop.example/",
            "transaction": "jobs.digest"
            if self.world.scheduled_share and occurred_at.hour == 15 and occurred_at.minute < 10
            else f"/page-{random.randrange(6)}",
            **{name: values[name] for name in COLUMNS if name in values},
            "tags": {name: value for name, value in values.items() if name not in COLUMNS},
            **traces,
        }


def _part_of_week(seconds: Floats) -> Integers:
    """A quarter of the day, on workdays or weekends."""
    day = (seconds // DAY + 3) % 7
    part: Integers = (seconds % DAY // (6 * HOUR)).astype(np.int64) + 4 * (day >= 5)
    return part


def _hour_of_day(seconds: Floats) -> Integers:
    hour: Integers = (seconds % DAY // HOUR).astype(np.int64)
    return hour


def told_of(events: list[Row], is_of_issue: Callable[[Row], bool]) -> tuple[Found, SourceCount | None]:
    """What the product tells of events that the warehouse would have counted as `traffic_of` counts them."""
    traffic = traffic_of(events, is_of_issue)
    own = [event for event in events if is_of_issue(event)]
    counts: defaultdict[SourceKind, Counter[str]] = defaultdict(Counter)
    for event in own:
        tenant = event["tags"].get("tenant", "")
        trace = str(event.get("replay_id") or event.get("trace_id") or "")
        if tenant:
            counts[SourceKind.TENANT][tenant] += 1
        if event["user_hash"]:
            counts[SourceKind.USER][str(event["user_hash"])] += 1
        elif trace:
            counts[SourceKind.TRACE][trace] += 1
        if not event["user_hash"] and not event.get("browser") and not event["request_url"]:
            counts[SourceKind.JOB][event["transaction"] + event["server_name"]] += 1
    largest = [
        SourceCount(kind, "tenant" if kind is SourceKind.TENANT else "", name, number, len(own), len(of_kind))
        for kind, of_kind in counts.items()
        for name, number in of_kind.most_common(1)
    ]
    told, _ = found_apart(traffic, lambda result: _joints(_sources(events, is_of_issue), result))
    return told, dominant_source(largest, traffic)


def traffic_of(events: list[Row], is_of_issue: Callable[[Row], bool]) -> Traffic:
    """As compared_sources and differences_of_issue count events; a test holds them to be the same."""
    chosen = _sources(events, is_of_issue)
    of_issue = Counter(event["occurred_at"].hour for is_issue, event in chosen if is_issue)
    most = dict(of_issue.most_common(FEW_HOURS))
    few_hours = most if sum(most.values()) >= SHARE_OF_FEW_HOURS * of_issue.total() else {}
    counts: Counter[tuple[bool, Stratum]] = Counter()
    clusters: defaultdict[tuple[bool, Hashable], Counter[Stratum]] = defaultdict(Counter)
    clients: tuple[Counter[tuple[str, ...]], Counter[tuple[str, ...]]] = Counter(), Counter()
    for is_issue, event in chosen:
        clients[is_issue][_client(event)] += 1
    largest = [
        client
        for of_side in reversed(clients)
        for client, _ in [each for each in of_side.most_common() if each[0]][:LARGEST_CLIENTS]
    ]
    ranks = {client: rank for rank, client in enumerate(dict.fromkeys(largest), 1)}
    values: Counter[tuple[str, str, bool, Stratum]] = Counter()
    for is_issue, event in chosen:
        tenant = event["tags"].get("tenant", "")
        seconds, hour = np.array([event["occurred_at"].timestamp()]), event["occurred_at"].hour
        week_part = int(_part_of_week(seconds)[0])
        if hour in few_hours:
            week_part = QUARTERS + hour + 24 * (week_part >= 4)
        stratum = Stratum(event["environment"], week_part, _is_known(event), ranks.get(_client(event), 0))
        counts[is_issue, stratum] += 1
        clusters[is_issue, _cluster(event, tenant)][stratum] += 1
        for name, value in _values_of(event):
            values[name, value, is_issue, stratum] += 1
    products: Counter[tuple[bool, tuple[Stratum, Stratum]]] = Counter()
    for (is_issue, _), strata in clusters.items():
        for one, number in strata.items():
            for other, further in strata.items():
                products[is_issue, (one, other)] += number * further
    by_value: defaultdict[tuple[str, str], dict[Stratum, tuple[int, int]]] = defaultdict(dict)
    for name, value, _, stratum in values:
        by_value[name, value][stratum] = (
            values[name, value, True, stratum],
            values[name, value, False, stratum],
        )
    return Traffic(
        {stratum: (counts[True, stratum], counts[False, stratum]) for _, stratum in list(counts)},
        {strata: (products[True, strata], products[False, strata]) for _, strata in list(products)},
        [
            Value(name, value, own)
            for (name, value), own in by_value.items()
            if sum(map(sum, own.values())) >= FEWEST_SOURCES
        ],
    )


def _sources(events: list[Row], is_of_issue: Callable[[Row], bool]) -> list[tuple[bool, Row]]:
    """One event of each source of each issue, and whether it is this issue."""
    chosen: dict[tuple[bool, int, Hashable], Row] = {}
    for event in sorted(events, key=lambda event: event["item_id"].int):
        chosen.setdefault((is_of_issue(event), event["variant_hash"], _source(event)), event)
    return [(is_issue, event) for (is_issue, *_), event in chosen.items()]


def _joints(sources: list[tuple[bool, Row]], result: Found) -> Joints:
    """As joint_differences counts two values at once."""
    keys = [(finding.tag, finding.value) for finding in result.findings]
    counts: Counter[tuple[bool, Key, Key]] = Counter()
    totals = [0, 0]
    for is_issue, event in sources:
        if result.is_of_known and not _is_known(event):
            continue
        totals[is_issue] += 1
        own = set(_values_of(event)).intersection(keys)
        counts.update((is_issue, one, other) for one, other in product(own, repeat=2))
    joints = {
        (one, other): Joint(
            *(
                (counts[side, one, one], counts[side, other, other], counts[side, one, other])
                for side in (True, False)
            )
        )
        for one, other in combinations(keys, 2)
    }
    return joints, totals[True], totals[False]


def _is_known(event: Row) -> bool:
    return bool(event["user_hash"] or event["tags"].get("tenant"))


def _values_of(event: Row) -> list[tuple[str, str]]:
    names = ("environment", "release", "server_name", "transaction", *COLUMNS)
    return [(name, event[name]) for name in names if event.get(name)] + list(event["tags"].items())


def _source(event: Row) -> Hashable:
    source: Hashable = (
        event["user_hash"] or event.get("replay_id") or event.get("trace_id") or event["item_id"]
    )
    return source


def _cluster(event: Row, tenant: str) -> Hashable:
    if tenant:
        return tenant
    if event["user_hash"]:
        return int(event["user_hash"])
    if client := _client(event):
        return client, event["occurred_at"].timestamp() // (3 * DAY)
    if event["request_url"] or not event["server_name"]:
        return event.get("os", ""), event.get("device", "")
    return event["server_name"], event["transaction"]


def _client(event: Row) -> tuple[str, ...]:
    """Empty if the user is known or nothing is known of the client."""
    client = tuple(event.get(name, "") for name in COLUMNS)
    return () if _is_known(event) or not (client[0] or (not event["server_name"] and any(client))) else client
