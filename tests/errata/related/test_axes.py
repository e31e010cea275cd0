"""The four axes over a real warehouse: issues 1 to 5, each of one variant."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta

import pytest

from errata.grouping.shape import ExceptionShape, FrameShape, VariantShape
from errata.period import Period
from errata.related import AXES, Axis, subject
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.head import issue_head
from errata.warehouse.queries.vocabulary import issue_text
from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from pipelines.builder.lease import Pace
from tests.builders import a_mapping, a_variant, an_error_event, insert
from tests.processes import WarehouseProcess

MARTS = ("variant_hourly", "variant_daily", "variant_totals", "issue_totals", "issues")
FAST = Pace(lag=timedelta(0), settle=timedelta(milliseconds=100))
NOW = datetime.now(UTC).replace(second=0, microsecond=0) - timedelta(minutes=2)
SUBJECT, WITH_IT, ALWAYS, ALIKE, OTHER = 1, 2, 3, 4, 5


def a_shape(*functions: str, type: str = "KeyError") -> str:  # noqa: A002
    frames = tuple(FrameShape(module="shop", function=name, in_app=True) for name in functions)
    return VariantShape("python", (ExceptionShape(type=type, frames=frames),)).to_json()


SHAPES = {
    SUBJECT: a_shape("view", "checkout", "price", "discount"),
    WITH_IT: a_shape("job", "mail", type="SMTPError"),
    ALWAYS: a_shape("cron", type="Timeout"),
    ALIKE: a_shape("api", "checkout", "price", "discount"),
    OTHER: a_shape("login", "session", "discount_of_none"),
}
TYPES = {SUBJECT: "KeyError", WITH_IT: "SMTPError", ALWAYS: "Timeout", ALIKE: "KeyError", OTHER: "KeyError"}


def store(ingest: Warehouse) -> None:
    """The subject occurs in every tenth of 300 minutes, WITH_IT half a minute later, ALWAYS in each."""
    numbers = list(SHAPES)
    looks = [
        a_variant(
            variant_hash=n,
            shape=SHAPES[n],
            type=TYPES[n],
            title=f"{TYPES[n]}: {n}",
            culprit=f"at {n}",
            first_seen_at=NOW - timedelta(minutes=300),
        )
        for n in numbers
    ]
    insert(ingest, "errata_raw.variants", looks)
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=n, issue_id=n) for n in numbers])

    def event(variant: int, minute: int, user: int, release: str, second: int = 0) -> dict[str, object]:
        at = NOW - timedelta(minutes=minute) + timedelta(seconds=second)
        return an_error_event(variant_hash=variant, occurred_at=at, user_hash=user, release=release)

    events = []
    for minute in range(300):
        events.append(event(ALWAYS, minute, 1000 + minute, "shop@1"))
        if minute % 10 == 0:
            events.append(event(SUBJECT, minute, 1 + minute // 10, "shop@2"))
            events.append(event(WITH_IT, minute, 500 + minute, "shop@1", second=30))
        if minute % 30 == 7:
            events.append(event(OTHER, minute, 1 + minute // 30, "shop@2"))
    events.append(event(ALIKE, 3, 0, "shop@1"))
    insert(ingest, "errata_raw.error_events", events)
    insert(ingest, "errata_raw.error_events", events)


def axes(read: Warehouse, issue_id: int) -> dict[str, Axis]:
    head = issue_head(read, 7, issue_id, Period("14d").of_events(datetime.now(UTC)))
    assert head is not None
    about = subject(read, head.merged, head.first_release, head.first_seen, datetime.now(UTC))
    return {found.name: found for found in (axis(about) for axis in AXES)}


def found(axis: Axis) -> list[int]:
    return [int(issue.id, 16) for issue in axis.issues]


@pytest.mark.slow
def test_each_axis_finds_what_is_related_and_says_why(warehouse: WarehouseProcess) -> None:
    read = warehouse.client(Role.READ)
    store(warehouse.client(Role.INGEST))
    list(build_due(warehouse.client(Role.BUILD), MARTS, FAST))
    related = axes(read, SUBJECT)
    assert list(related) == ["same_user", "same_time", "similar_stack", "same_release"]

    users = related["same_user"]
    assert found(users) == [OTHER]
    assert users.issues[0].reason == "10 of 30 users also hit this (100% of its users)"

    # What occurs in every minute occurs in these as well, as chance has it.
    times = related["same_time"]
    assert found(times) == [WITH_IT]
    assert re.fullmatch(
        r"in 30 of the 30 minutes when this issue occurred; 3\.\d expected by chance, so [89]\.\d "
        r"times as often \(odds by chance: less than 1 in 1,000,000\)",
        times.issues[0].reason,
    )

    stacks = related["similar_stack"]
    assert found(stacks) == [ALIKE]
    assert "both have shop discount, shop price, shop checkout" in stacks.issues[0].reason

    release = related["same_release"]
    assert found(release) == [OTHER]
    assert release.issues[0].title == "KeyError: 5"
    assert release.issues[0].reason.startswith("also first seen in shop@2, ")
    assert release.rule == "2 of 5 issues were first seen in shop@2, like this one; nearest in time first."
    # Most issues began in shop@1.
    common = axes(read, WITH_IT)["same_release"]
    assert not common.issues
    assert common.rule == "3 of all 5 issues were first seen in shop@1, so sharing it means little."


def store_minutes(
    ingest: Warehouse, minutes: Mapping[int, Iterable[int]], issues: Mapping[int, int] | None = None
) -> None:
    """Variants, the minutes before now in which each occurred, and the issue of those with others."""
    placed = {n: n for n in minutes} | dict(issues or {})
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=n) for n in minutes])
    insert(
        ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=n, issue_id=placed[n]) for n in minutes]
    )
    events = [
        an_error_event(variant_hash=n, occurred_at=NOW - timedelta(minutes=minute), release="")
        for n, ago in minutes.items()
        for minute in ago
    ]
    insert(ingest, "errata_raw.error_events", events)


@pytest.mark.slow
def test_issues_that_share_all_of_few_minutes_are_related_though_nothing_else_occurred(
    warehouse: WarehouseProcess,
) -> None:
    few = [3, 200, 1500, 4000]
    store_minutes(warehouse.client(Role.INGEST), {SUBJECT: few, WITH_IT: few, OTHER: [m + 2 for m in few]})
    times = axes(warehouse.client(Role.READ), SUBJECT)["same_time"]
    assert found(times) == [WITH_IT]
    assert times.issues[0].reason.startswith("in 4 of the 4 minutes when this issue occurred; 0.0")


@pytest.mark.slow
def test_one_burst_in_common_is_no_relation_however_long(warehouse: WarehouseProcess) -> None:
    burst, others = range(600, 640), (2000, 5000)
    minutes: dict[int, Iterable[int]] = {
        SUBJECT: (*burst, *others),
        WITH_IT: burst,
        OTHER: (*burst, *(m + 100 for m in others)),
    }
    store_minutes(warehouse.client(Role.INGEST), minutes)
    assert found(axes(warehouse.client(Role.READ), SUBJECT)["same_time"]) == []


def test_of_an_issue_with_several_variants_the_one_that_is_tied_most_is_shown(
    warehouse: WarehouseProcess,
) -> None:
    few = [3, 200, 1500, 4000, 5000]
    variants = {SUBJECT: few, 20: few[:4], 21: few, 22: [*few[1:4], 900]}
    store_minutes(warehouse.client(Role.INGEST), variants, dict.fromkeys((20, 21, 22), WITH_IT))
    times = axes(warehouse.client(Role.READ), SUBJECT)["same_time"]
    assert found(times) == [WITH_IT]
    assert times.issues[0].reason.startswith("in 5 of the 5 minutes")


def test_an_issue_without_users_stack_or_release_is_related_to_nothing(warehouse: WarehouseProcess) -> None:
    ingest = warehouse.client(Role.INGEST)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=9)])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=9, issue_id=9)])
    insert(ingest, "errata_raw.error_events", [an_error_event(variant_hash=9, release="")])
    related = axes(warehouse.client(Role.READ), 9)
    assert {name: axis.issues for name, axis in related.items()} == dict.fromkeys(related, ())
    assert issue_text(9) not in str(related)
