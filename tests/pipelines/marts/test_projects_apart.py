"""In each mart that Python makes, a project that cannot be made keeps no other from being made."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from errata.warehouse import sql
from errata.warehouse.client import Parameters, QueryFailed, Row, Warehouse
from errata.warehouse.python_marts import PYTHON_MARTS
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.queries.issues.regrouping import computed
from errata.warehouse.roles import Role
from pipelines.marts import change_points, regrouping_proposals, similar_issues
from tests.builders import a_mapping, a_variant, insert
from tests.page_loads import RELEASED, deliver, loads
from tests.processes import WarehouseProcess

NOW = timedelta(0)
BROKEN, WORKS = 7, 8


@pytest.fixture
def builder(warehouse: WarehouseProcess) -> Iterator[Warehouse]:
    """Both projects have variants, page loads and a draft of grouping."""
    ingest, client = warehouse.client(Role.INGEST), warehouse.client(Role.BUILD)
    for project_id in (BROKEN, WORKS):
        insert(ingest, "errata_raw.variants", [a_variant(project_id=project_id)])
        insert(ingest, "errata_raw.variant_issues", [a_mapping(project_id=project_id)])
        insert(
            ingest,
            "errata_raw.grouping_drafts",
            [
                {
                    "project_id": project_id,
                    "configuration": 2,
                    "fingerprint_version": 2,
                    "rules": "",
                    "actor": "ada@example.org",
                }
            ],
        )
    deliver(warehouse, *(loads("shop@1", RELEASED, 20, project_id=project) for project in (BROKEN, WORKS)))
    yield client
    ingest.close()
    client.close()


def failing_for_the_first(
    function: Callable[..., Any], project_of: Callable[..., int | None], error: Exception
) -> Callable[..., Any]:
    def asked(*given: Any, **named: Any) -> Any:
        if project_of(*given, **named) == BROKEN:
            raise error
        return function(*given, **named)

    return asked


def project_asked(question: str) -> Callable[..., int | None]:
    """Of a call of `Warehouse.rows` the project that the question is asked about."""

    def project_of(
        _: Warehouse, statement: str, parameters: Parameters | None = None, *more: Any, **named: Any
    ) -> int | None:
        is_asked = parameters is not None and statement == sql.query(question)
        return parameters["project_id"] if parameters is not None and is_asked else None

    return project_of


def let_retries_be_due(warehouse: WarehouseProcess) -> None:
    admin = warehouse.client(Role.ADMIN)
    admin.execute(
        "alter table errata_ops.set_aside_windows update next_attempt_at = now64(3) - interval 1 second "
        "where true settings mutations_sync = 1"
    )
    admin.close()


@pytest.mark.slow
def test_similar_issues_are_compared_for_the_others_and_later_from_where_they_were_left(
    warehouse: WarehouseProcess, builder: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = Warehouse.rows
    failing = failing_for_the_first(rows, project_asked("stacks_of_project"), ValueError("shape"))
    monkeypatch.setattr(Warehouse, "rows", failing)
    assert similar_issues.compare(builder, NOW).project_count == 1
    assert [one.project_window[0] for one in standing(builder, similar_issues.MART)] == [BROKEN]
    monkeypatch.undo()
    let_retries_be_due(warehouse)
    seen: list[tuple[int, datetime]] = []

    def watched(
        self: Warehouse, statement: str, parameters: Parameters | None = None, *more: Any, **named: Any
    ) -> list[Row]:
        if parameters and statement == sql.query("stacks_of_project"):
            seen.append((parameters["project_id"], parameters["since"]))
        return rows(self, statement, parameters, *more, **named)

    monkeypatch.setattr(Warehouse, "rows", watched)
    assert similar_issues.compare(builder, NOW).project_count == 1
    assert seen == [(BROKEN, datetime(1970, 1, 1, tzinfo=UTC))] and not standing(builder)


@pytest.mark.slow
def test_changes_of_level_are_looked_for_in_the_others_and_later_in_the_one_left_out(
    warehouse: WarehouseProcess, builder: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = failing_for_the_first(Warehouse.rows, project_asked("daily_series"), QueryFailed("memory", 241))
    monkeypatch.setattr(Warehouse, "rows", failing)
    change_points.find_change_points(builder, NOW)
    told = "select distinct project_id from errata_mart.change_points order by project_id"
    assert [row["project_id"] for row in builder.rows(told)] == [WORKS]
    assert [(one.project_id, one.reason) for one in standing(builder)] == [(BROKEN, "out_of_memory")]
    monkeypatch.undo()
    let_retries_be_due(warehouse)
    change_points.find_change_points(builder, NOW)
    assert [row["project_id"] for row in builder.rows(told)] == [BROKEN, WORKS] and not standing(builder)


@pytest.mark.slow
def test_proposals_are_made_for_the_others_and_later_for_the_one_left_out(
    warehouse: WarehouseProcess, builder: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = failing_for_the_first(computed, lambda _, project_id, *__: project_id, RecursionError("deep"))
    monkeypatch.setattr(regrouping_proposals, "computed", failing)
    assert [each.project_id for each in regrouping_proposals.propose(builder)] == [WORKS]
    assert [one.project_id for one in standing(builder)] == [BROKEN]
    monkeypatch.undo()
    let_retries_be_due(warehouse)
    assert [each.project_id for each in regrouping_proposals.propose(builder)] == [WORKS, BROKEN]
    assert not standing(builder)


def test_every_mart_that_python_makes_goes_through_projects_alone() -> None:
    for made in PYTHON_MARTS:
        assert "by_project(" in made.source, made.name
