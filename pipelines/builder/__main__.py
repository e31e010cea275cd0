"""`python -m pipelines.builder [ASSET …]`: builds what is due, without Dagster, and prints a line a mart.

`--shard N`: of this shard of a cluster alone. `--since MOMENT`: counts rows received from then on anew, such
as those that were copied from another shard.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import datetime

from errata.errors import ErrataError
from errata.settings import load
from errata.warehouse.client import Warehouse
from pipelines.builder.build_server import build_url
from pipelines.builder.due import build_due, make_due
from pipelines.builder.erasures import carry_out_erasures
from pipelines.builder.mart import BuildReport
from pipelines.settings import PipelinesSettings


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="pipelines.builder")
    parser.add_argument("assets", nargs="*")
    parser.add_argument("--shard", type=int, default=0)
    parser.add_argument("--since", type=datetime.fromisoformat)
    chosen = parser.parse_args(arguments)
    try:
        settings = load(PipelinesSettings, os.environ)
        for number, url in settings.shard_urls().items():
            if chosen.shard in (0, number):
                _build(settings, url, chosen.assets, chosen.since)
    except ErrataError as error:
        print(f"errata: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return 0


def _build(settings: PipelinesSettings, url: str, assets: Sequence[str], since: datetime | None) -> None:
    replicas = Warehouse(url)
    server = build_url(replicas, url)
    replicas.close()
    warehouse = Warehouse(server, timeout_seconds=settings.statement_timeout_seconds)
    try:
        for said in carry_out_erasures(warehouse, bound=settings.disk_bound):
            print(said, flush=True)  # noqa: T201
        for report in build_due(warehouse, assets, bound=settings.disk_bound, is_patient=False, since=since):
            print(_said(report), flush=True)  # noqa: T201
        for line in make_due(warehouse, assets, settings.disk_bound, settings.people):
            print(line, flush=True)  # noqa: T201
    finally:
        warehouse.close()


def _said(report: BuildReport) -> str:
    left = f", {report.set_aside_count} windows set aside: `errata doctor`" if report.set_aside_count else ""
    if not report.windows:
        return f"{report.mart}: nothing was due{left}"
    days = f"{report.days[0]} to {report.days[-1]}" if len(report.days) > 1 else f"{report.days[0]}"
    return (
        f"{report.mart}: {len(report.windows)} windows ({days}), {report.row_count} rows, "
        f"{report.byte_count} bytes, {report.seconds:.1f} s"
        + (f", {len(report.waiting)} windows waiting for later builds" if report.waiting else "")
        + left
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
