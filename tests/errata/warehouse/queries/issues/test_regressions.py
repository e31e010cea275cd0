import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issues.regressions import Regression, regressions_of_projects
from tests.builders import Row, a_mapping, a_variant, an_error_event, an_issue_action, insert

NOW = datetime.now(UTC).replace(microsecond=0)
RESOLVED, SEEN = NOW - timedelta(hours=2), NOW - timedelta(hours=1)


@pytest.fixture
def issues(ingest: Warehouse) -> None:
    """Variants 1 and 2 are issue 101, 3 is issue 103; shop@1, shop@2 and shop@3 are known."""
    numbers = (1, 2, 3)
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=each) for each in numbers])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=each, issue_id=103 if each == 3 else 101) for each in numbers],
    )
    insert(
        ingest,
        "errata_raw.error_events",
        [seen(9, f"shop@{number}", NOW - timedelta(days=9 - number)) for number in (1, 2, 3)],
    )


def seen(variant: int, release: str, at: datetime = SEEN) -> Row:
    return an_error_event(variant_hash=variant, release=release, occurred_at=at, received_at=at)


def resolve(ingest: Warehouse, issue_id: int, number: int, **detail: str) -> None:
    action = {"action_id": UUID(int=number), "acted_at": RESOLVED, "detail": json.dumps(detail)}
    insert(ingest, "errata_raw.issue_actions", [an_issue_action(issue_id=issue_id, **action)])


@pytest.mark.slow
@pytest.mark.usefixtures("issues")
def test_an_issue_resolved_without_a_release_comes_back_with_any_later_event(
    ingest: Warehouse, read: Warehouse
) -> None:
    resolve(ingest, 101, 1)
    resolve(ingest, 103, 2)
    insert(
        ingest,
        "errata_raw.error_events",
        [
            seen(1, "shop@1"),
            seen(2, "shop@2", SEEN + timedelta(minutes=1)),
            seen(3, "shop@3", RESOLVED - timedelta(minutes=1)),
        ],
    )
    latest = SEEN + timedelta(minutes=1)
    assert regressions_of_projects(read, [7, 8]) == [Regression(7, 101, UUID(int=1), "shop@2", latest)]
    assert regressions_of_projects(read, [8]) == []
    marked = {"action": "regress", "about_action_id": UUID(int=1), "acted_at": NOW}
    insert(ingest, "errata_raw.issue_actions", [an_issue_action(**marked)])
    assert regressions_of_projects(read, [7]) == []


@pytest.mark.usefixtures("issues")
@pytest.mark.parametrize(
    ("detail", "release", "is_back"),
    [
        ({"release": "shop@2"}, "shop@1", False),
        ({"release": "shop@2"}, "shop@2", True),
        ({"release": "shop@2"}, "shop@3", True),
        ({"release": "shop@2", "in": "next"}, "shop@2", False),
        ({"release": "shop@2", "in": "next"}, "shop@3", True),
        ({"release": "shop@2"}, "(other)", True),
    ],
)
def test_events_of_releases_before_the_resolution_speak_for_nothing(
    ingest: Warehouse, read: Warehouse, detail: dict[str, str], release: str, is_back: bool
) -> None:
    resolve(ingest, 101, 1, **detail)
    insert(ingest, "errata_raw.error_events", [seen(1, release)])
    expected = [Regression(7, 101, UUID(int=1), release, SEEN)] if is_back else []
    assert regressions_of_projects(read, [7]) == expected
