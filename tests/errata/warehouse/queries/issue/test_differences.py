from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest
from numpy.random import default_rng

from errata.differences.dominance import SourceKind
from errata.differences.findings import Verdict
from errata.period import Period
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.differences import Differences, Sides, differences_of_issue
from errata.warehouse.roles import Role
from tests.builders import Row, a_mapping, a_variant, an_error_event, insert
from tests.cases import each
from tests.errata.differences import worlds
from tests.errata.differences.worlds import WORLDS, events_of_trial, told_of
from tests.processes import WarehouseProcess

# Events are compared within parts of the week, so that of the clock matters: always a Wednesday evening.
TODAY = datetime.now(UTC).replace(hour=18, minute=0, second=0, microsecond=0)
NOW = TODAY - timedelta(days=(TODAY.weekday() - 2) % 7 or 7)
PERIOD = Period("7d").of_events(NOW)
ISSUE = 101
REST = 201


@pytest.fixture
def clients(warehouse: WarehouseProcess) -> Iterator[tuple[Warehouse, Warehouse]]:
    ingest, read = warehouse.client(Role.INGEST), warehouse.client(Role.READ)
    variants = {1: ISSUE, 2: ISSUE, 3: REST, 4: 202, 5: 203}
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=each) for each in variants])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=each, issue_id=issue) for each, issue in variants.items()],
    )
    yield ingest, read
    ingest.close()
    read.close()


def an_event(random: Random, variant: int, user: int, **values: object) -> Row:
    return an_error_event(
        variant_hash=variant,
        occurred_at=NOW - timedelta(minutes=random.randrange(5, 9000)),
        user_hash=user,
        user_email=f"u{user}@{'big.example' if user % 3 else 'small.example'}",
        browser=random.choice(("Chrome", "Firefox", "Safari")),
        os=random.choice(("Windows", "macOS")),
        transaction=random.choice(("/cart", "/checkout", "/")),
        server_name=random.choice(("web-1", "web-2", "web-3")),
        **values,
    )


def asked(read: Warehouse, environment: str = "") -> Differences:
    return differences_of_issue(read, 7, ISSUE, PERIOD, environment)


def test_a_tag_that_only_the_issue_has_is_told_once_with_its_twin_beside_it(
    clients: tuple[Warehouse, Warehouse],
) -> None:
    ingest, read = clients
    random = Random(5)
    rest = [an_event(random, 3 + n % 3, n % 151 + 1, tags={"plan": random.choice("abc")}) for n in range(600)]
    issue = [
        an_event(
            random, 1 + n % 2, n + 1, release="shop@2.0", tags={"plan": random.choice("abc"), "build": "77"}
        )
        for n in range(60)
    ]
    insert(ingest, "errata_raw.error_events", rest + issue)
    # A client that retries sends the same events again.
    insert(ingest, "errata_raw.error_events", issue)
    different = asked(read)
    assert different.verdict is Verdict.COMPARED
    assert (different.issue_sources, different.rest_sources) == (60, 453)
    (told,) = different.findings
    assert (told.finding.tag, told.finding.value) == ("release", "shop@2.0")
    assert [(each.tag, each.value) for each in told.along] == [("build", "77")]
    assert (told.finding.issue_share, told.finding.rest_share) == (1.0, 0.0)
    assert told.finding.interval.low > 10


@pytest.mark.slow
def test_one_person_who_repeats_an_error_a_hundred_times_is_one_source(
    clients: tuple[Warehouse, Warehouse],
) -> None:
    ingest, read = clients
    random = Random(6)
    insert(ingest, "errata_raw.error_events", [an_event(random, 3, n % 200 + 1) for n in range(400)])
    loop = [an_event(random, 1, 999, tags={"tenant": "loud"}) for _ in range(300)]
    insert(ingest, "errata_raw.error_events", loop + [an_event(random, 1, n + 1) for n in range(40)])
    different = asked(read)
    assert different.verdict is Verdict.COMPARED and different.issue_sources == 41
    assert different.findings == ()


def test_the_rest_are_events_of_the_same_platform_period_and_environment(
    clients: tuple[Warehouse, Warehouse],
) -> None:
    ingest, read = clients
    random = Random(7)
    issue = [an_event(random, 1, n + 1) for n in range(40)]
    rest = [an_event(random, 3, n + 1) for n in range(200)]
    others = [an_event(random, 3, n + 1, platform="javascript", release="app@1") for n in range(300)]
    staging = [an_event(random, 3, n + 1, environment="staging", release="next") for n in range(300)]
    old = [
        {**an_event(random, 3, n + 1, release="old"), "occurred_at": NOW - timedelta(days=9)}
        for n in range(300)
    ]
    insert(ingest, "errata_raw.error_events", issue + rest + others + staging + old)
    different = asked(read)
    assert (different.rest_sources, different.environments) == (200, ("production",))
    assert [(told.finding.tag, told.finding.value) for told in different.findings] == [
        ("environment", "production")
    ]
    assert asked(read, "production").findings == ()


@pytest.mark.slow
def test_too_few_sources_and_nothing_to_compare_with_are_said(
    clients: tuple[Warehouse, Warehouse],
) -> None:
    ingest, read = clients
    assert asked(read).verdict is Verdict.TOO_FEW
    random = Random(8)
    insert(ingest, "errata_raw.error_events", [an_event(random, 1, n + 1) for n in range(40)])
    assert asked(read).verdict is Verdict.NO_REST
    insert(ingest, "errata_raw.error_events", [an_event(random, 3, n + 1) for n in range(40)])
    assert asked(read).verdict is Verdict.COMPARED


@each(
    ("rest_events", "days"),
    [(900_000, 0), (3_000_000, 30), (7_000_000, 12), (900_000_000, 0)],
    ids=["few are read whole", "every third", "never every seventh", "a period too short for it"],
)
def test_of_a_large_rest_some_days_are_read_on_all_weekdays(rest_events: int, days: int) -> None:
    sides = Sides(7, "", NOW - timedelta(days=88), NOW, [1], ["python"], 10, rest_events)
    read = sides.rest_days
    assert len(read) == days
    assert not read or len({day.weekday() for day in read}) == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "half identified",
        "unequal tenants, anonymous",
        "a job failing for an hour",
        "anonymous visitors of unknown clients",
        "one bot 20%, nobody identified",
        "true: a tag of 60 anonymous visitors",
    ],
)
def test_the_laboratory_counts_sources_as_the_warehouse_does(
    clients: tuple[Warehouse, Warehouse], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    ingest, read = clients
    since = (NOW - timedelta(days=15)).timestamp()
    monkeypatch.setattr(worlds, "SINCE", since)
    # One event each: which of several stands for its source is left to a hash of the engine's.
    world = replace(WORLDS[name], events_a_user=1.0)
    rows = events_of_trial(world, 7, default_rng(3))
    for row in rows:
        is_of_issue = row["variant_hash"] == 7001
        row["variant_hash"] = 1 if is_of_issue else 3 + row["variant_hash"] % 3
    insert(ingest, "errata_raw.error_events", rows)
    told, dominating = told_of(rows, lambda row: row["variant_hash"] == 1)
    different = differences_of_issue(read, 7, ISSUE, Period("30d").of_events(NOW))
    assert (different.issue_sources, different.rest_sources) == told.sources
    assert different.effective == pytest.approx(told.effective)
    assert (different.verdict, different.is_of_known) == (told.verdict, told.is_of_known)
    assert different.tested_count == told.tested_count
    assert different.findings[:1] == () or different.findings[0].finding.tag == told.findings[0].tag
    assert (different.dominant and different.dominant.kind) == (dominating and dominating.kind)


def test_one_user_with_most_events_is_named(clients: tuple[Warehouse, Warehouse]) -> None:
    ingest, read = clients
    random = Random(9)
    rest = [an_event(random, 3, n % 200 + 1) for n in range(400)]
    issue = [an_event(random, 1, n + 1) for n in range(60)] + [an_event(random, 2, 999) for _ in range(40)]
    insert(ingest, "errata_raw.error_events", rest + issue)
    dominant = asked(read).dominant
    assert dominant is not None
    assert (dominant.kind, dominant.name) == (SourceKind.USER, "u999@small.example")
    assert dominant.share == pytest.approx(0.4)


def test_anonymous_events_of_few_clients_are_too_few_to_tell(clients: tuple[Warehouse, Warehouse]) -> None:
    ingest, read = clients
    random = Random(10)
    rest = [an_event(random, 3, n % 200 + 1) for n in range(400)]
    # Two hundred events, perhaps of one visitor.
    issue = [
        {**an_event(random, 1, 0, tags={"plan": "free"}), "browser": "Chrome", "os": "macOS"}
        for _ in range(200)
    ]
    insert(ingest, "errata_raw.error_events", rest + issue)
    different = asked(read)
    assert (different.verdict, different.is_of_known) == (Verdict.TOO_FEW, False)
    assert different.findings == ()
