"""Reports of a week and of a release, over page loads whose figures are known."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import polars as pl
import pytest

from errata.errors import InvalidParameter
from errata.reports.line_chart import LEFT, RIGHT, WIDTH
from errata.reports.past_report import monday_of, past_weeks, release_report, week_name, week_report
from errata.reports.performance_report import document_of
from errata.reports.printing import pdf_of
from errata.state.annotations import Note
from errata.warehouse.queries.performance.releases import ReleaseNotFound
from errata.warehouse.roles import Role
from pipelines.marts.release_impact import judge_releases
from tests.annotated import annotated
from tests.mart_builds import build_marts
from tests.page_loads import Row, deliver, loads
from tests.processes import WarehouseProcess

TODAY = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
# Of a week whose last loads, a day after it, have come whatever day it is.
MONDAY = past_weeks((TODAY - timedelta(days=2)).date(), 1)[0]
WEEK = timedelta(days=7)


def load_ms(row: Row) -> float:
    return round(float(row["load_at_ms"] - row["started_at_ms"]), 1)


def test_a_week_is_named_as_in_iso_8601_and_must_be_over() -> None:
    sunday = datetime(2026, 11, 22, tzinfo=UTC).date()
    assert [week_name(monday) for monday in past_weeks(sunday, 2)] == ["2026-W46", "2026-W45"]
    assert monday_of("2026-W46", sunday).isoformat() == "2026-11-09"
    assert monday_of("2026-W47", sunday + timedelta(days=1)).isoformat() == "2026-11-16"
    assert week_name(monday_of("2026-W01", sunday)) == "2026-W01"
    for wrong in ("2026-W47", "2026-47", "2026-W60", "2020-W10", "week", ""):
        with pytest.raises(InvalidParameter):
            monday_of(wrong, sunday)


@pytest.mark.slow
def test_reports_tell_what_the_loads_of_their_days_say_and_print_alike_twice(
    warehouse: WarehouseProcess,
) -> None:
    start = datetime.combine(MONDAY, datetime.min.time(), UTC)
    earlier = loads("shop@1.0", start - timedelta(days=3), 700)
    later = loads("shop@1.1", start + timedelta(days=1), 700, factor=1.5, seed=2)
    deliver(warehouse, earlier, later)
    builder, read = warehouse.client(Role.BUILD), warehouse.client(Role.READ)
    judge_releases(builder, lag=timedelta(0))
    build_marts(warehouse, "endpoint_metrics_daily")

    frame = pl.DataFrame(
        [
            {**{name: row[name] for name in ("release", "page", "occurred_at")}, "load_ms": load_ms(row)}
            for row in earlier + later
            if row["is_load"]
        ]
    )
    of_week = frame.filter(pl.col("occurred_at").is_between(start, start + WEEK, closed="left"))
    told = week_report(read, 7, "Web shop", MONDAY, "", [])
    assert told.together is not None
    assert told.together.view_count == len(of_week)
    assert told.together["load_ms"].p75 == pytest.approx(of_week["load_ms"].quantile(0.75, "linear"))
    for row in told.pages:
        expected = of_week.filter(pl.col("page") == row.page)
        assert row.view_count == len(expected)
        assert row["load_ms"].p95 == pytest.approx(expected["load_ms"].quantile(0.95, "linear"))
    before = frame.filter(pl.col("occurred_at").is_between(start - WEEK, start, closed="left"))
    p75 = [part["load_ms"].quantile(0.75, "linear") or 0 for part in (before, of_week)]
    assert told.together.change_ratio == pytest.approx(p75[1] / p75[0] - 1)
    assert [step.start for step in told.steps] == [MONDAY - WEEK, MONDAY]
    assert [row.release for row in told.releases] == ["shop@1.1", "shop@1.0"]
    began = [
        (min(row["occurred_at"] for row in rows if row["is_load"]), name)
        for name, rows in (("shop@1.0", earlier), ("shop@1.1", later))
    ]
    assert [(moment.isoformat(" ", "seconds"), name) for moment, name in told.deploys] == [
        (moment.isoformat(" ", "seconds"), name) for moment, name in began
    ]
    assert told.chart is not None
    across = WIDTH - LEFT - RIGHT
    assert [deploy.name for deploy in told.chart.deploys] == ["shop 1.0", "shop 1.1"]
    assert [deploy.place for deploy in told.chart.deploys] == pytest.approx(
        [LEFT + (moment - (start - WEEK)) / (2 * WEEK) * across for moment, _ in began], abs=0.1
    )

    of_release = frame.filter(pl.col("release") == "shop@1.1")
    about = release_report(read, 7, "Web shop", "shop@1.1", "production")
    assert about.together is not None
    assert about.together.view_count == len(of_release)
    assert about.together["load_ms"].p50 == pytest.approx(of_release["load_ms"].quantile(0.5, "linear"))
    assert about.days == (
        of_release["occurred_at"].min().date(),  # type: ignore[union-attr]
        of_release["occurred_at"].max().date(),  # type: ignore[union-attr]
    )
    assert about.judged is not None and about.judged.verdict == "worse"
    assert {effect.page for effect in about.changed_pages} == {"/", "/cart"}
    assert about.chart is not None and [deploy.name for deploy in about.chart.deploys] == ["shop 1.1"]
    with pytest.raises(ReleaseNotFound):
        release_report(read, 7, "Web shop", "shop@9", "production")

    for report in (told, about):
        document = document_of(report)
        assert report.title in document
        assert ">shop 1.1</text>" in document and "Dotted lines mark releases" in document
        noted = annotated(Note("Sale <began>", start, start + WEEK))
        assert "<li>Sale &lt;began&gt; · " in document_of(replace(report, annotations=[noted]))
    printed = pdf_of(document)
    assert printed == pdf_of(document_of(release_report(read, 7, "Web shop", "shop@1.1", "production")))
    nothing = week_report(read, 7, "Web shop", MONDAY - 20 * WEEK, "", [])
    assert "No data was built for these days." in document_of(nothing)
    builder.close()
    read.close()
