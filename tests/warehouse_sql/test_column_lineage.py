"""The column lineage that Dagster shows is what the SQL of the models says."""

import json

import pytest

from errata.warehouse import sql
from tests.warehouse_sql.column_lineage import FILE, lineage, outputs_of

DERIVED = lineage()
PARAMETERS = {"built_through"}
COUNTED = {"batch_count", "repeated_batch_count", "resource_count", "event_count", "is_whole"}


def test_the_lineage_written_down_is_that_of_the_models() -> None:
    told = "python -m tests.warehouse_sql.column_lineage writes it anew"
    assert json.loads(FILE.read_text()) == DERIVED, told


def test_every_column_but_counts_and_parameters_comes_from_tables_the_model_reads() -> None:
    for mart, columns in DERIVED.items():
        without = {name for name, origins in columns.items() if not origins}
        assert without <= PARAMETERS | COUNTED, mart
        read = {origin.rpartition(".")[0] for origins in columns.values() for origin in origins}
        assert read and all(table.startswith(("errata_raw.", "errata_mart.")) for table in read)
    assert set(DERIVED) == {file.name for file in sql.models()}


@pytest.mark.parametrize(
    ("mart", "column", "origins"),
    [
        ("weekly_trends", "week", {"page_metrics_daily.day"}),
        ("weekly_trends", "sample_count", {"page_metrics_daily.sample_count"}),
        ("page_metrics_daily", "page", {"page_views.page"}),
        ("endpoint_metrics_daily", "success_count", {"requests.status_code"}),
        ("variant_daily", "users_state", {"variant_hourly.users_state"}),
        ("issues", "event_count", {"variant_totals.event_count"}),
    ],
)
def test_columns_whose_origin_is_known(mart: str, column: str, origins: set[str]) -> None:
    found = DERIVED[f"errata_mart.{mart}"][column]
    assert {origin.partition(".")[2] for origin in found} == origins


def test_lineage_follows_steps_aliases_joins_unions_tuples_and_lambdas() -> None:
    found = outputs_of(
        """
        with steps as (
            select project_id, page as name, (load_at_ms, started_at_ms) as moments, release
            from errata_raw.page_views
            union all
            select project_id, route, (duration_ms, duration_ms), release from errata_raw.requests
        )
        select
            steps.name as page,
            moments.1 - moments.2 as spent,
            spent * 2 as twice,
            arrayMap(page -> page + length(release), [1]) as mapped,
            (select max(received_at) from errata_raw.sessions) as last,
            count() as n
        from steps
        left join errata_raw.variants as variants on steps.project_id = variants.project_id
        """
    )
    spent = {
        "errata_raw.page_views.load_at_ms",
        "errata_raw.page_views.started_at_ms",
        "errata_raw.requests.duration_ms",
    }
    assert {name: set(origins) for name, origins in found.items()} == {
        "page": {"errata_raw.page_views.page", "errata_raw.requests.route"},
        "spent": spent,
        "twice": spent,
        "mapped": {"errata_raw.page_views.release", "errata_raw.requests.release"},
        "last": {"errata_raw.sessions.received_at"},
        "n": set(),
    }
