"""The column lineage that Dagster shows is what the SQL says: of models, and of the questions Python asks."""

import pytest

from errata.warehouse import sql
from errata.warehouse.computed_columns import COMPUTED_FROM
from errata.warehouse.lineage import origins_of, outputs_of, result_columns, tables
from errata.warehouse.python_marts import PYTHON_MARTS, PythonMart
from pipelines.marts.compared_loads import METRICS
from tests.modules_of_marts import text_of

DERIVED = {table: origins_of(table) for table in (*(file.name for file in sql.models()), *COMPUTED_FROM)}
PARAMETERS = {"built_through", "counted_through", "decided_through", "computed_through", "periods", "version"}
COUNTED = {"batch_count", "repeated_batch_count", "resource_count", "event_count", "is_whole"}
# Of tables that Python makes: moments of builds, and the names of its metrics.
FROM_NOTHING = {
    "errata_mart.similar_issues": {"found_at"},
    "errata_mart.regrouping_proposals": {"proposed_at"},
    "errata_mart.release_metrics": {"built_through", "counted_through"},
    "errata_mart.release_impact": {"built_through", "metric"},
    "errata_mart.change_points": {"built_through", "counted_through"},
    "errata_mart.budget_status": {
        *("project_id", "budget_id", "name", "metric", "statistic", "threshold", "pattern"),
        *("environment", "device", "window_hours", "least_samples", "built_through"),
    },
}
# What questions answer that goes into no column: rows are chosen by it, or people are told of it.
NO_VALUES = {
    "projects_to_compare": {"is_regrouped"},
    "stacks_of_project": {"variant_hash", "is_new"},
    "waiting_drafts": {"configuration"},
    "placements_of_project": {"issue_id", "own_issue_id", "is_placed", "first_seen_ms"},
    "shapes_of_variants": {"title", "culprit"},
    "first_loads_of_releases": {"release"},
    "loads_to_compare": {"after_count", "before_count"},
    "loads_compared": {"view_id", "chosen_by"},
    "metrics_of_releases": {"release", "metric"},
    "loads_of_seldom_seen_releases": {"release"},
    "errors_of_releases": {"release"},
    "errors_beside_sessions": {"number"},
    "errors_beside_loads": {"number"},
    "sessions_of_releases": {"number"},
    "issues_of_releases": {"release"},
    "projects_with_page_loads": {"day_count"},
    "daily_series": {"sample_count"},
    "release_starts": {"environment", "loads"},
    "page_metric_over_time": {"largest_count", "error_count"},
    "endpoint_metric_over_time": {"largest_count"},
}
each_made_by_python = pytest.mark.parametrize("made", PYTHON_MARTS, ids=lambda made: made.name)


def test_every_column_but_counts_and_parameters_comes_from_tables_the_model_reads() -> None:
    for mart in (file.name for file in sql.models()):
        columns = DERIVED[mart]
        without = {name for name, origins in columns.items() if not origins}
        assert without <= PARAMETERS | COUNTED, mart
        read = {origin.rpartition(".")[0] for origins in columns.values() for origin in origins}
        assert read and all(table.startswith(("errata_raw.", "errata_mart.")) for table in read)
    assert all(DERIVED.values())


@each_made_by_python
def test_every_column_of_a_table_that_python_makes_is_told_and_no_other(made: PythonMart) -> None:
    for table in made.tables:
        assert set(COMPUTED_FROM[table]) == tables()[table], table


def test_the_tables_told_are_those_that_python_makes() -> None:
    assert list(COMPUTED_FROM) == [table for made in PYTHON_MARTS for table in made.tables]


@each_made_by_python
def test_what_python_makes_comes_from_columns_of_what_it_reads(made: PythonMart) -> None:
    for table in made.tables:
        without = {name for name, origins in DERIVED[table].items() if not origins}
        assert without == FROM_NOTHING[table]
        for origin in {origin for origins in DERIVED[table].values() for origin in origins}:
            source, _, column = origin.rpartition(".")
            assert source in made.inputs and column in tables()[source], (table, origin)


@each_made_by_python
def test_what_python_computes_with_is_asked_and_taken_by_its_modules(made: PythonMart) -> None:
    text, asked = text_of(made), made.questions
    for question, column in answers_of(made):
        assert question in asked, question
        taken = (f'["{column}"]', f'.get("{column}", ')
        assert any(words in text for words in taken) or column in METRICS, (question, column)


def test_everything_that_a_question_answers_goes_into_a_column_or_is_known_not_to() -> None:
    used: dict[str, set[str]] = {}
    for made in PYTHON_MARTS:
        for question, column in answers_of(made):
            used.setdefault(question, set()).add(column)
    unused = {question: set(result_columns(question)) - columns for question, columns in used.items()}
    assert {question: columns for question, columns in unused.items() if columns} == NO_VALUES


def answers_of(made: PythonMart) -> set[tuple[str, str]]:
    answers = {answer for table in made.tables for told in COMPUTED_FROM[table].values() for answer in told}
    return {(question, column) for question, _, column in (answer.partition(".") for answer in answers)}


@pytest.mark.parametrize(
    ("mart", "column", "origins"),
    [
        ("weekly_trends", "week", {"page_metrics_daily.day"}),
        ("weekly_trends", "sample_count", {"page_metrics_daily.sample_count"}),
        ("page_loads", "page", {"page_views.page"}),
        ("page_metrics_daily", "page", {"page_loads.page"}),
        ("endpoint_metrics_daily", "success_count", {"requests.status_code"}),
        ("variant_daily", "users_state", {"variant_hourly.users_state"}),
        ("issues", "event_count", {"issue_totals.event_count"}),
        ("similar_issues", "score", {"variants.shape", "variants.precedence"}),
        ("release_metrics", "error_count", {"variant_daily.event_count"}),
        ("release_metrics", "js_bytes_p50", {"page_loads.script_bytes"}),
        ("release_metrics", "view_count", {"page_metrics_daily.sample_count"}),
        ("release_impact", "user_count", {"page_loads.user_hash"}),
        ("change_points", "environment", {"page_metrics_daily.environment"}),
        ("budget_status", "window_end", {"page_metrics_hourly.hour", "endpoint_metrics_hourly.hour"}),
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
