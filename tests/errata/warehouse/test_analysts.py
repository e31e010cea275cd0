"""What analysts read: plain columns of the marts, nothing else, within bounds."""

import io
import json
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import mean
from typing import Any
from uuid import uuid4

import plotly.graph_objects as go
import polars as pl
import pytest
import yaml
from sqlalchemy import insert as insert_of

from errata.state.capability import Capability
from errata.state.project import ProjectRow
from errata.up.analyst import FORMS, Access
from errata.warehouse.analysis import analysis_views
from errata.warehouse.client import QueryFailed, WarehouseUnavailable
from errata.warehouse.profiles import ANALYST_CHOICES
from errata.warehouse.queries.vocabulary import issue_text
from errata.warehouse.roles import Role
from tests.builders import a_deletion, a_delivery, a_mapping, a_variant, an_error_event, insert
from tests.cases import each
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.page_loads import RELEASED, deliver, loads
from tests.processes import WarehouseProcess
from tests.uploading import Uploading, serving

NOTEBOOK = Path("docs/analysts.ipynb")
GUIDE = Path("docs/analysts.md").read_text()
QUESTIONS = [part.split("```")[0] for part in GUIDE.split("```sql\n")[1:]]
VIEWS = [file.name.partition(".")[2] for file in analysis_views()]
MERGED = "quantilesTDigestMerge(0.5, 0.75, 0.95)(digest)[2]"
STATES = {
    "page_days_states": MERGED,
    "page_weeks_states": MERGED,
    "page_hours_states": "quantileTDigestMerge(0.75)(digest)",
}
REFUSALS = (
    r"privileges|readonly|is closed|SETTING_CONSTRAINT|shouldn't|memory limit|Timeout|doesn't exist|"
    r"UNKNOWN_TABLE"
)
ANALYST_BOUNDS = (
    *("max_threads", "max_execution_time", "max_memory_usage", "max_result_rows", "max_result_bytes"),
    "max_block_size",
)
# Parts of a statement, given as settings. No profile closes them; access is checked as in a statement.
PARTS_OF_A_STATEMENT = (
    *("limit", "offset", "page", "select", "order", "sort", "filter", "database", "compression"),
    *("format", "default_format", "input_format", "output_format", "implicit_table_at_top_level"),
)
TWICE = (
    "page_metrics_daily",
    "page_metrics_hourly",
    "weekly_trends",
    "endpoint_metrics_daily",
    "variant_daily",
)
MARTS = (
    *("page_metrics_hourly", "weekly_trends", "endpoint_metrics_daily", "endpoint_metrics_hourly"),
    *(
        "variant_hourly",
        "variant_daily",
        "variant_totals",
        "issue_totals",
        "issues",
        "repeated_events",
        "issue_totals",
    ),
    "delivery_daily",
)


def asked(warehouse: WarehouseProcess, question: str) -> pl.DataFrame:
    """As Parquet over HTTP, as the guide says."""
    address = urllib.parse.urlsplit(warehouse.url(Role.ANALYST))
    request = urllib.request.Request(
        f"http://{address.hostname}:{address.port}/?default_format=Parquet", question.encode()
    )
    request.add_header("X-ClickHouse-User", address.username or "")
    request.add_header("X-ClickHouse-Key", address.password or "")
    with urllib.request.urlopen(request, timeout=30) as answer:
        return pl.read_parquet(io.BytesIO(answer.read()))


def test_dbt_gets_every_view_and_column_with_its_description(warehouse_of_module: WarehouseProcess) -> None:
    address = urllib.parse.urlsplit(warehouse_of_module.url(Role.ANALYST))
    place = f"{address.hostname}:{address.port}"
    access = Access(place, address.username or "", address.password or "", projects={})
    (source,) = yaml.safe_load(FORMS["dbt"](access))["sources"]
    plain = {view.name for view in analysis_views() if not view.name.endswith("_states")}
    assert {f"{source['schema']}.{table['name']}" for table in source["tables"]} == plain
    for table in source["tables"]:
        undescribed = [one["name"] for one in table["columns"] if not one["description"]]
        assert table["columns"] and not undescribed, (table["name"], undescribed)


@pytest.fixture(scope="module")
def loaded(warehouse_of_module: WarehouseProcess) -> pl.Series:
    """Delivers a day's page loads of two environments with calls, errors and log files, builds, and returns
    the load times."""
    staging = [row | {"environment": "staging"} for row in loads("shop@1.1", RELEASED, 12_000, seed=2)]
    views = [
        row
        for row in loads("shop@1.0", RELEASED, 6000) + staging
        if row["occurred_at"] < RELEASED + timedelta(hours=10)
    ]
    calls_errors_and_files(warehouse_of_module)
    deliver(warehouse_of_module, views)
    build_marts(warehouse_of_module, *MARTS)
    admin = warehouse_of_module.client(Role.ADMIN)
    for mart in TWICE:
        admin.execute(
            f"insert into errata_mart.{mart} "
            f"select * replace (version + 1000000 as version) from errata_mart.{mart}"
        )
    admin.close()
    let_bound_take_hold(warehouse_of_module)
    return pl.Series([view["load_at_ms"] - view["started_at_ms"] for view in views if view["is_load"]])


def calls_errors_and_files(warehouse: WarehouseProcess) -> None:
    now = datetime.now(UTC)
    ingest = warehouse.client(Role.INGEST)
    names = [(7, "shop", "Web shop"), (8, "empty", "Nothing yet")]
    insert(
        ingest,
        "errata_raw.projects",
        [dict(zip(("project_id", "slug", "name"), row, strict=True)) for row in names],
    )
    insert(
        ingest,
        "errata_raw.requests",
        [
            {
                "project_id": 7,
                "item_id": uuid4(),
                "occurred_at": now - timedelta(minutes=number),
                "side": "server",
                "method": "GET",
                "route": "/cart",
                "status_code": 500 if number % 4 == 0 else 200,
                "duration_ms": number,
                "environment": "production",
            }
            for number in range(100)
        ],
    )
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=one) for one in (1, 2)])
    insert(
        ingest,
        "errata_raw.variant_issues",
        [a_mapping(variant_hash=one, issue_id=100 + one) for one in (1, 2)],
    )
    insert(
        ingest,
        "errata_raw.error_events",
        [an_error_event(variant_hash=1 + number % 2, user_hash=1 + number % 6) for number in range(12)],
    )
    insert(ingest, "errata_raw.deliveries", [a_delivery()])
    ingest.close()


@pytest.mark.slow
def test_figures_of_the_marts_are_read_without_knowing_states_and_of_versions_the_published(
    warehouse_of_module: WarehouseProcess, loaded: pl.Series
) -> None:
    warehouse, truth = warehouse_of_module, loaded
    days = asked(warehouse, "select * from page_days where metric = 'load_ms'")
    assert days.schema["day"] == pl.Date
    assert days.schema["built_through"] == pl.Datetime("ms", "UTC")
    assert days["sample_count"].sum() == len(truth)
    for row in days.iter_rows(named=True):
        for name, level in (("p50", 0.5), ("p75", 0.75), ("p95", 0.95)):
            assert row[name] == pytest.approx(pl.Series(row["samples"]).quantile(level, "linear"))
        assert row["mean"] == pytest.approx(mean(row["samples"]))
    p75 = truth.quantile(0.75, "linear")
    for view, merging in STATES.items():
        merged = asked(
            warehouse, f"select sum(sample_count) as n, {merging} as p75 from {view} where metric = 'load_ms'"
        )
        assert merged.row(0) == (len(truth), pytest.approx(p75, rel=0.01))


@pytest.mark.usefixtures("loaded")
def test_endpoints_issues_and_deliveries_are_counted_as_on_the_pages(
    warehouse_of_module: WarehouseProcess,
) -> None:
    warehouse = warehouse_of_module
    calls = "sum(call_count) as calls, sum(error_ratio * call_count) as errors"
    for view in ("endpoint_days", "endpoint_hours"):
        assert asked(warehouse, f"select {calls} from {view}").row(0) == pytest.approx((100, 25))
    assert asked(warehouse, "select issue_id, event_count, user_count from issues order by 1").rows() == [
        (issue_text(101), 6, 3),
        (issue_text(102), 6, 3),
    ]
    days = "select issues.issue_id, sum(issue_days.event_count) from issues join issue_days using (issue_id)"
    joined = asked(warehouse, f"{days} group by issue_id order by issue_id")
    assert joined.rows() == [(issue_text(101), 6), (issue_text(102), 6)]
    merged = (
        "select issue_id, sum(event_count), uniqMerge(users) from issue_days_states "
        "group by issue_id order by issue_id"
    )
    assert asked(warehouse, merged).rows() == [(issue_text(101), 6, 3), (issue_text(102), 6, 3)]
    ingest = warehouse.client(Role.INGEST)
    insert(ingest, "errata_raw.issue_actions", [a_deletion(102, 2)])
    ingest.close()
    assert asked(warehouse, merged).rows() == [(issue_text(101), 6, 3)]
    assert asked(warehouse, "select gap_bytes from delivery_days").rows() == [(0,)]


@each("view", VIEWS)
def test_every_view_answers_and_is_in_the_guide(warehouse_process: WarehouseProcess, view: str) -> None:
    analyst = warehouse_process.client(Role.ANALYST)
    if not view.endswith("_states"):
        analyst.rows(f"select * from {view} limit 1")
    described = analyst.rows(f"describe table {view}")
    analyst.close()
    assert all(column["comment"] for column in described)
    assert f"`{view}`" in GUIDE


def test_questions_of_the_guide_run(warehouse_of_module: WarehouseProcess, loaded: pl.Series) -> None:
    warehouse, truth = warehouse_of_module, loaded
    assert len(QUESTIONS) == 6
    for question in QUESTIONS:
        is_of_others = "release_effects" in question or "cause_days" in question
        assert len(asked(warehouse, question)) >= (0 if is_of_others else 1)
    programs = (part.split("```")[0] for part in GUIDE.split("```python\n")[1:])
    (program,) = (each for each in programs if "PASSWORD" in each)
    address = urllib.parse.urlsplit(warehouse.url(Role.ANALYST))
    read: dict[str, object] = {"PASSWORD": address.password}
    exec(program.replace("127.0.0.1:18123", f"127.0.0.1:{address.port}"), read)  # noqa: S102
    days = read["days"]
    assert isinstance(days, pl.DataFrame)
    assert days["sample_count"].sum() == len(truth)


@pytest.fixture
def service(warehouse_of_module: WarehouseProcess, tmp_path: Path) -> Iterator[Uploading]:
    """With the projects whose rows `loaded` delivers."""
    with serving(warehouse_of_module, tmp_path) as (service, _):
        shared = {"organization_id": 1, "platform": "", "created_at": datetime.now(UTC)}
        projects = [{"id": 7, "slug": "loads", "name": "Loads"}, {"id": 8, "slug": "empty", "name": "Empty"}]
        with service.store.database.writing() as connection:
            connection.execute(insert_of(ProjectRow), [{**shared, **each} for each in projects])
        yield service


def run_notebook(service: Uploading, monkeypatch: pytest.MonkeyPatch, project: str) -> dict[str, Any]:
    """Runs all cells in order, and returns the variables they leave."""
    made = service.store.project_tokens.create(1, project, [Capability.SQL], "Notebook", 1, actor="owner")
    monkeypatch.setenv("ERRATA_CLIENT_URL", service.context.base_url)
    monkeypatch.setenv("ERRATA_CLIENT_API_KEY", made.text)
    scope: dict[str, Any] = {}
    for cell in json.loads(NOTEBOOK.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), scope)  # noqa: S102 the notebook is ours
    return scope


def test_the_notebook_runs_on_a_project_of_two_environments(
    service: Uploading, loaded: pl.Series, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = run_notebook(service, monkeypatch, "loads")
    assert read["projects"]["slug"].to_list() == ["shop"]
    exact, pages, weeks = read["exact"], read["pages"], read["weeks"]
    assert exact["loads"].sum() == pages["loads"].sum() == weeks["sample_count"].sum() == len(loaded)
    assert set(weeks["environment"]) == {"production", "staging"}
    both = exact.join(pages, on=["environment", "page"], suffix="_merged")
    assert len(both) == 4
    assert both.select(((pl.col("p75") - pl.col("p75_merged")).abs() / pl.col("p75")).max()).item() < 0.01
    assert isinstance(read["figure"], go.Figure) and isinstance(read["slowest"], go.Figure)
    assert {line["name"] for line in read["figure"].data} == {"p50", "p75", "p95"}
    (week,) = read["busiest_weeks"].rows(named=True)
    assert (week["environment"], list(read["figure"].data[1]["y"])) == (
        "staging",
        [pytest.approx(week["p75"])],
    )
    assert list(read["slowest"].data[0]["y"]) == ["GET /cart"]


@pytest.mark.usefixtures("loaded")
def test_the_notebook_runs_on_a_project_without_data(
    service: Uploading, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = run_notebook(service, monkeypatch, "empty")
    assert read["pages"].is_empty() and read["issues"].is_empty()


def test_an_analyst_changes_only_bounds_and_looks(warehouse_process: WarehouseProcess) -> None:
    analyst = warehouse_process.client(Role.ANALYST)
    changeable = {row["name"] for row in analyst.rows("select name from system.settings where not readonly")}
    assert changeable == {*ANALYST_CHOICES, *ANALYST_BOUNDS, *PARTS_OF_A_STATEMENT}
    asked = analyst.rows(
        "select getSetting('max_threads') as threads, toString(toDateTime(0)) as began",
        settings={"max_threads": 2, "session_timezone": "Asia/Tokyo"},
    )
    assert asked == [{"threads": 2, "began": "1970-01-01 09:00:00"}]
    analyst.close()


def test_statements_of_analysts_wait_for_those_of_pages(warehouse_process: WarehouseProcess) -> None:
    priorities = {}
    for role in (Role.READ, Role.ANALYST):
        client = warehouse_process.client(role)
        [row] = client.rows("select toUInt32(getSetting('priority')) as priority")
        priorities[role] = row["priority"]
        client.close()
    # 0 would be without a priority: such a statement waits for none and lets none wait.
    assert 0 < priorities[Role.READ] < priorities[Role.ANALYST]


def test_a_third_statement_at_once_is_refused_with_a_sentence_of_the_guide(
    warehouse_process: WarehouseProcess,
) -> None:
    analyst, admin = warehouse_process.client(Role.ANALYST), warehouse_process.client(Role.ADMIN)
    # Not what the driver asks first, of each connection.
    running = (
        f"select count() as n from system.processes where user = '{Role.ANALYST}' and query like '%sleep(3)%'"
    )
    with ThreadPoolExecutor(2) as threads:
        two = [threads.submit(analyst.rows, "select sleep(3) as slept") for _ in range(2)]
        while admin.rows(running)[0]["n"] < 2:
            assert not any(one.done() for one in two)
        with pytest.raises((QueryFailed, WarehouseUnavailable)) as refused:
            analyst.rows("select 1")
        assert all(one.result() for one in two)
    said = str(refused.value.__cause__)
    [row] = [line.split("|") for line in GUIDE.splitlines() if line.startswith("| 202 |")]
    assert "Code: 202" in said and row[2].strip(" `") in said
    analyst.close()
    admin.close()


@each(
    "statement",
    [
        "select count() from errata_raw.error_events",
        "select 1 settings dialect = 'prql'",
        "select 1 settings additional_result_filter = '1'",
        "select addressToLine(1)",
        "select * from eval('select 1') settings allow_experimental_eval_table_function = 1",
        "select file('/etc/hostname')",
        "select 1 settings implicit_table_at_top_level = 'errata_raw.error_events'",
        "select 1 as a settings filter = 'file(\\'/etc/hostname\\') != 0'",
        "select 1 as a settings select = '(select count() from errata_raw.error_events)'",
        "select count() from errata_mart.page_metrics_daily",
        "select count() from errata_ops.migrations",
        "select * from errata_read.issue_states",
        "select * from file('/etc/passwd', LineAsString)",
        "select * from url('http://127.0.0.1:1/', LineAsString)",
        "select * from system.query_log",
        "insert into errata_mart.change_points (project_id) values (7)",
        "create table errata_analysis.mine (a UInt8) engine = Memory",
        "create temporary table mine (a UInt8)",
        "drop view errata_analysis.page_days",
        "select 1 settings readonly = 0",
        "select 1 settings max_memory_usage = 0",
        "select 1 settings max_memory_usage = 5000000000",
        "select 1 settings max_memory_usage_for_user = 0",
        "select 1 settings max_execution_time = 0",
        "select 1 settings max_execution_time = 3600",
        "select 1 settings max_threads = 64",
        "select 1 settings priority = 0",
        "select 1 settings max_result_rows = 0",
        "select groupArray(number) from numbers_mt(200000000)",
        "select sum(sipHash64(number)) from numbers(100000000000000) settings max_execution_time = 1",
    ],
)
def test_an_analyst_can_neither_write_nor_read_more_nor_ask_without_bounds(
    warehouse_process: WarehouseProcess, statement: str
) -> None:
    analyst = warehouse_process.client(Role.ANALYST)
    with pytest.raises((QueryFailed, WarehouseUnavailable)) as refused:
        analyst.rows(statement)
    assert re.search(REFUSALS, str(refused.value.__cause__))
    analyst.close()
