"""Makes page views in a running service's warehouse, day by day; a day that is done is not done again."""

import gzip
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import urllib3

from bench.crowd.making import say
from bench.events import DATA
from bench.visits.plan import Plan
from demo import captured
from errata.clock import EPOCH
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.roles import Role
from tests.service import Service

HERE = Path(__file__).parent
GENERATIONS = ("v11", "v10", "v9", "v8")
ITEM_TYPES = ("span", "transaction")
LINES_A_DELIVERY = 100
STATEMENT_SECONDS = 1800
AREAS = 24
"""Of the shop, each with its five pages, as often visited as 1 / rank."""
ONE_VISIT_IN = 20
"""So many visits tell of their API calls on both sides."""


@dataclass
class Making:
    service: Service
    plan: Plan

    def run(self, newest_days: int | None = None) -> None:
        self.originals()
        for number, (day, views, passed) in enumerate(self.plan.days()):
            if newest_days is not None and number >= newest_days:
                return
            if self._is_done(day):
                continue
            began = time.monotonic()
            span = timedelta(days=1) * passed
            start = datetime(day.year, day.month, day.day, tzinfo=UTC)
            # Days are numbered from the first one on, whichever is made first.
            self.visits(
                start, span, views, day_number=self.plan.weeks * 7 - number, received_until=self.plan.now
            )
            seconds = time.monotonic() - began
            self._insert_done({"day": f"{day}", "views": views, "seconds": seconds})
            say(f"day {number + 1} of {self.plan.weeks * 7 + 1}: {views} views, {seconds:.1f} s")

    def visits(
        self,
        begin: datetime,
        span: timedelta,
        views: int,
        *,
        day_number: int,
        received_until: datetime,
        received_from: datetime = EPOCH,
        seed: int | None = None,
    ) -> None:
        told = {
            "seed": self.plan.seed if seed is None else seed,
            "day_number": day_number,
            "begins_ms": _milliseconds(begin),
            "span_ms": round(span.total_seconds() * 1000),
            "views": views,
            "original_count": self._count("errata_ops.original_visits"),
            "area_count": AREAS,
            "received_from_ms": _milliseconds(received_from),
            "now_ms": _milliseconds(received_until),
        }
        self._execute("page_views_of_day", told)
        self._execute("page_resources_of_day", {**told, "kept_in_1000": self.kept_in_1000})
        self._execute("requests_of_day", {**told, "one_visit_in": ONE_VISIT_IN})

    @cached_property
    def admin(self) -> Warehouse:
        admin = self.service.warehouse(Role.ADMIN, STATEMENT_SECONDS)
        for statement in sql.parse(HERE / "tables.sql").statements:
            admin.execute(statement)
        return admin

    def originals(self) -> None:
        """Captured views, through the API, and their rows as it stored them."""
        if self._count("errata_ops.original_visits"):
            return
        lines = list(captured_lines(datetime.now(UTC), "visit"))
        for start in range(0, len(lines), LINES_A_DELIVERY):
            deliver(self.service, lines[start : start + LINES_A_DELIVERY])
        for statement in sql.parse(HERE / "originals.sql").statements:
            self.admin.execute(statement)

    @cached_property
    def kept_in_1000(self) -> int:
        """Of what is not code, so that views load as many on average as planned."""
        (row,) = self.admin.rows(
            "select countIf(is_common) as common, count() as whole from errata_ops.visit_resources"
        )
        wanted = self.plan.resources * self._count("errata_ops.original_visits")
        share = (wanted - row["common"]) / (row["whole"] - row["common"])
        return round(1000 * min(1.0, max(0.0, float(share))))

    def _is_done(self, day: object) -> bool:
        rows = self.admin.rows("select 1 from errata_ops.visit_days where day = {day:Date}", {"day": day})
        return bool(rows)

    def _execute(self, name: str, told: Row) -> None:
        self.admin.execute((HERE / f"{name}.sql").read_text(), told)

    def _count(self, table: str) -> int:
        return int(self.admin.rows(f"select count() as row_count from {table}")[0]["row_count"])

    def _insert_done(self, row: Row) -> None:
        self.admin.insert_json_lines("errata_ops.visit_days", msgspec.json.encode(row))


def captured_lines(now: datetime, round_: str) -> Iterator[bytes]:
    """As if captured until now; `round_` gives them ids of their own."""
    envelopes = [envelope for name in GENERATIONS for envelope in _envelopes(name)]
    told = [captured.sent_at(envelope) for envelope in envelopes if "sent_at" in envelope["headers"]]
    shift, sent = now - max(told), told[0]
    for envelope in envelopes:
        # Some envelopes of older SDKs do not say when: they were sent after the one before.
        sent = captured.sent_at(envelope) if "sent_at" in envelope["headers"] else sent
        for item in envelope["items"]:
            if item["headers"]["type"] in ITEM_TYPES:
                line = {
                    "type": item["headers"]["type"],
                    "logged_at": (sent + shift).isoformat(),
                    "headers": item["headers"],
                    "payload": captured.moved(item["payload"], shift, round_),
                }
                yield msgspec.json.encode(line)


def _envelopes(generation: str) -> list[dict[str, Any]]:
    with gzip.open(DATA / "browser" / f"envelopes_{generation}.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def deliver(service: Service, lines: list[bytes]) -> None:
    headers = {
        "Authorization": f"Bearer {service.credentials['api_key']}",
        "X-Errata-App-Key": service.credentials["app_key"],
    }
    address = f"{service.credentials['base_url']}/api/ingest"
    answer = urllib3.request("POST", address, body=b"\n".join(lines), headers=headers)
    if answer.status != 200 or answer.json()["rejected"]:
        raise RuntimeError(f"{answer.status}: {answer.data[:500]!r}")


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)
