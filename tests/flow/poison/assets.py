"""Builds everything and asks every check, as the pipelines do."""

import time
from collections.abc import Iterator
from datetime import timedelta

from errata.errors import ErrataError
from errata.warehouse import sql
from errata.warehouse.client import Warehouse
from errata.warehouse.python_marts import PYTHON_MARTS, checked_tables
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.builder.data_checks import DataChecks, wrong_rows
from pipelines.builder.lease import Pace
from pipelines.builder.mart import Mart
from pipelines.marts.made_by_python import make
from pipelines.marts.registry import MARTS
from tests.flow.poison.patience import allowed
from tests.flow.poison.site import Site

# The lag that lets inserts end is left out: all have been answered.
AT_ONCE = Pace(lag=timedelta(0), settle=timedelta(milliseconds=20))
SLOW_SECONDS = 30
SET_ASIDE = "select mart, project_id, window_start, reason, message from errata_read.set_aside_windows"


def problems_of_assets(site: Site) -> Iterator[str]:
    """Of each asset that is not built, that is slow to build, or whose checks do not hold."""
    warehouse = site.client(Role.BUILD)
    for mart in MARTS:
        yield from _built(warehouse, mart)
    for made in PYTHON_MARTS:
        began = time.monotonic()
        try:
            make(made, warehouse)
        except Exception as error:  # noqa: BLE001
            yield f"{made.name} was not made: {type(error).__name__}: {_told(error)}"
        if (seconds := time.monotonic() - began) > allowed(SLOW_SECONDS):
            yield f"{made.name} took {seconds:.0f} s"
    for table in checked_tables():
        if wrong := wrong_rows(warehouse, table):
            yield f"the check of {table} finds {wrong} wrong rows"
    for row in warehouse.rows(SET_ASIDE):
        yield "{mart} set {project_id} {window_start} aside: {reason}: {message}".format(**row)


def _built(warehouse: Warehouse, mart: Mart) -> Iterator[str]:
    began = time.monotonic()
    try:
        build(warehouse, mart, AT_ONCE)
    except ErrataError as error:
        yield f"{mart.name} was not built: {error.code}: {_told(error)}"
        return
    if (seconds := time.monotonic() - began) > allowed(SLOW_SECONDS):
        yield f"{mart.name} took {seconds:.0f} s"
    try:
        yield from _unsound(DataChecks(warehouse, mart))
    except ErrataError as error:
        yield f"a check of {mart.name} failed: {error.code}: {_told(error)}"


def _unsound(checks: DataChecks) -> Iterator[str]:
    mart = checks.mart
    for each in checks.sums():
        if each.built_count != each.expected_count:
            yield f"{mart.name} does not add up: {each}"
    if mart.has_every_window and (missing := checks.missing_windows()):
        yield f"{mart.name} has {len(missing)} gaps, as {missing[0]}"
    has_percentiles = (sql.DIRECTORY / "checks" / f"{mart.name}_percentiles_ordered.sql").exists()
    if has_percentiles and (wrong := checks.disordered_percentiles()):
        yield f"{mart.name} has {wrong} disordered percentiles"


def _told(error: Exception) -> str:
    return str(error)[:600]
