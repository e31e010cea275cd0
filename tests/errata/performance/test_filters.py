"""Filters described are columns of page loads, and every statement that is narrowed binds them."""

import re
from datetime import UTC, datetime
from pathlib import Path

from errata.performance.filters import FILTERS, OF_DAYS, Filters
from errata.period import Period
from errata.warehouse import sql
from tests.cases import each

NARROWED = [path for path in sql.queries().values() if "${filters" in path.read_text()]
NOW = datetime(2026, 11, 20, tzinfo=UTC)


def test_filters_are_columns_of_page_loads() -> None:
    create = sql.model("page_loads").statements[0]
    columns = re.findall(r"^    (\w+) LowCardinality\(String\)", create, re.MULTILINE)
    assert {one.name for one in FILTERS} <= set(columns)


@each("path", NARROWED, ids=lambda path: path.stem)
def test_a_narrowed_statement_binds_every_filter_and_says_so(path: Path) -> None:
    file = sql.parse(path)
    expected = FILTERS if "errata_mart.page_loads" in file.inputs else OF_DAYS
    for one in expected:
        condition = f"({{{one.name}:String}} = '' or {one.name} = {{{one.name}:String}})"
        assert condition in file.statements[0] and one.name in file.header["parameters"]
    assert "${filters" not in str(file)


def test_days_answer_only_what_they_tell_apart() -> None:
    assert not Filters([1], Period("7d"), NOW, environment="production", release="1.0").is_of_loads
    for one in FILTERS:
        assert Filters([1], Period("7d"), NOW, **{one.name: "x"}).is_of_loads is not one.is_of_days


def test_an_answer_is_kept_by_all_that_is_chosen() -> None:
    chosen = {Filters([1], Period("7d"), NOW, **{one.name: "x"}).chosen for one in FILTERS}
    assert len(chosen) == len(FILTERS)
