"""Metrics described are those the warehouse holds and budgets offer, and no others."""

import re

from errata.budgets.metric import METRICS
from errata.performance.metric import BOUNDS_OF_LOAD, PAGE_METRICS, SHOWN, TIMINGS
from errata.warehouse import sql

RAW_COLUMN = re.compile(r"^    (?:add column (?:if not exists )?)?(\w+) Float64", re.MULTILINE)
PAGE_LOADS = sql.model("page_loads").statements[0]


def names_in_model(column: str) -> list[str]:
    found = re.search(rf"^    {column} Array\(String\) alias \[([^]]+)\]", PAGE_LOADS, re.MULTILINE)
    assert found is not None
    return re.findall(r"'(\w+)'", found[1])


def test_the_model_spreads_the_metrics_described_in_their_order() -> None:
    load, *others = (metric.name for metric in TIMINGS)
    assert names_in_model("timing_names") == ["view", load, *BOUNDS_OF_LOAD, *others]
    assert set(names_in_model("size_names")) == {one.name for one in PAGE_METRICS.values() if one.is_size}


def test_raw_rows_have_a_column_of_each_metric_with_a_bound_and_of_no_other() -> None:
    raw = {
        name
        for file in sql.migrations()
        for statement in file.statements
        if "errata_raw.page_views" in statement
        for name in RAW_COLUMN.findall(statement)
    }
    assert {one.name for one in PAGE_METRICS.values() if one.most is not None} == raw & set(PAGE_METRICS)


def test_budgets_take_every_metric_of_page_loads() -> None:
    assert [one.name for one in METRICS.values() if one.is_of_pages] == list(PAGE_METRICS)


def test_what_pages_show_is_counted_in_time_or_without_unit() -> None:
    assert set(SHOWN) <= set(TIMINGS)
