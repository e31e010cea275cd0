"""A step in the days of a page, through the real warehouse to a change with the release that brought it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select

from errata.state import Store
from errata.state.annotations import Note
from errata.state.users import User
from errata.warehouse.queries.performance.shifts import shifts
from errata.warehouse.roles import Role
from pipelines.builder.due import make_due
from pipelines.marts.change_points import find_change_points
from pipelines.marts.release_impact import judge_releases
from pipelines.people import People
from tests.page_loads import Row, deliver
from tests.processes import WarehouseProcess

NOW = timedelta(0)
TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
STEP = 16


def days(count: int, slower: range | None = None, project_id: int = 7) -> list[Row]:
    """25 loads a day, a fifth slower on these days; otherwise from day 16 on, when another release came."""
    slower = slower or range(STEP, count)
    generator = np.random.default_rng(6)
    rows: list[Row] = []
    for number in range(count * 25):
        day = number // 25
        occurred_at = TODAY - timedelta(days=count - day) + timedelta(hours=6, minutes=number % 25)
        started = occurred_at.timestamp() * 1000
        load_ms = float(np.exp(generator.normal(7, 0.1))) * (1.2 if day in slower else 1.0)
        rows.append(
            {
                "project_id": project_id,
                "view_id": number + 1,
                "occurred_at": occurred_at,
                "received_at": occurred_at + timedelta(seconds=5),
                "item_id": f"00000000-0000-0000-0000-{number:012d}",
                "is_load": True,
                "navigation_type": "navigate",
                "page": "/",
                "environment": "production",
                "release": "shop@1.1" if day >= STEP else "shop@1.0",
                "device": "desktop",
                "started_at_ms": started,
                "load_at_ms": started + round(load_ms, 1),
            }
        )
    return rows


@pytest.mark.slow
def test_a_step_is_found_on_its_day_with_its_release_and_looked_for_once_a_day(
    warehouse: WarehouseProcess,
) -> None:
    builder, reader = warehouse.client(Role.BUILD), warehouse.client(Role.READ)
    # Weeks that arrive after the first search of a day are searched on that day.
    assert find_change_points(builder, NOW).series_count == 0
    deliver(warehouse, days(32))
    assert shifts(reader, 7, "production").as_of is None
    judge_releases(builder, NOW)
    assert find_change_points(builder, NOW).series_count == 2
    assert find_change_points(builder, NOW).series_count == 0
    found = shifts(reader, 7, "production")
    (change,) = found.rows
    assert found.as_of is not None
    assert (change.page, change.metric, change.release) == ("", "load_ms", "shop@1.1")
    assert change.day == (TODAY - timedelta(days=32 - STEP)).date()
    assert change.kind == "step" and change.first_day <= change.day <= change.last_day
    assert 0.15 < change.change_ratio < 0.25 and change.went_away_on is None
    # All pages are this one page: both series are one finding.
    assert change.moved_together == 2
    assert [one.page for one in shifts(reader, 7, "production", page="/").rows] == ["/"]
    assert shifts(reader, 7, "staging").rows == []
    builder.close()
    reader.close()


@pytest.mark.slow
def test_annotated_holidays_are_left_out(warehouse: WarehouseProcess) -> None:
    builder, reader = warehouse.client(Role.BUILD), warehouse.client(Role.READ)
    week = range(18, 27)
    deliver(warehouse, days(48, week), days(48, week, project_id=8))
    first, *others = [(TODAY - timedelta(days=48 - day)).date() for day in week]
    # Without them, the week is one shift that went away, of the page and of all pages.
    assert find_change_points(builder, NOW, holidays={7: [first, *others]}).change_count == 2
    assert shifts(reader, 7, "production").rows == []
    (change,) = shifts(reader, 8, "production").rows
    assert abs((change.day - first).days) <= 1 and change.went_away_on is not None
    assert abs((change.went_away_on - first).days - 9) <= 1


@pytest.mark.slow
def test_a_build_by_hand_leaves_holidays_out_too(warehouse: WarehouseProcess, tmp_path: Path) -> None:
    builder, url = warehouse.client(Role.BUILD), f"sqlite:///{tmp_path / 'state.db'}"
    store = Store.open(url, b"a secret of more than sixteen bytes")
    store.migrate()
    store.accounts.create_first("Acme", "Web shop", "ada@example.org")
    ((organization_id, project),) = store.projects.all()
    with store.database.reading() as connection:
        owner = connection.execute(select(User)).one()
    week = range(18, 27)
    first = TODAY - timedelta(days=48 - week[0])
    note = Note("holidays", first, first + timedelta(days=len(week)))
    store.annotations.write(organization_id, project.slug, owner.id, note)
    store.close()
    deliver(warehouse, days(48, week, project_id=project.id))
    (with_them,) = make_due(builder, ["change_points"], people=People(url))
    assert "2 series, 0 change," in with_them
    admin = warehouse.client(Role.ADMIN)
    admin.execute(
        "alter table errata_ops.builds delete where mart = 'change_points' settings mutations_sync = 1"
    )
    admin.close()
    (without,) = make_due(builder, ["change_points"])
    assert "2 change," in without
    builder.close()
