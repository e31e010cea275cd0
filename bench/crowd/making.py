"""Makes a crowd in a running service's warehouse, step by step; a step that is done is not done again."""

import random
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from uuid import UUID

import msgspec
import urllib3

from bench.crowd.originals import Event, change, cut_rest_of, originals, rest_of
from bench.crowd.plan import DAYS, Issue, Plan
from errata.grouping import fingerprint_of, issue_id_of, variant_of
from errata.resolution.assignments import put_right
from errata.warehouse import sql
from errata.warehouse.client import Row, Warehouse
from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from tests.service import Service

HERE = Path(__file__).parent
EVENTS_A_DELIVERY = 50
ROWS_AN_INSERT = 2_000
STATEMENT_SECONDS = 600
RESOLVED, IGNORED, MERGED = 0.08, 0.03, 0.004
COLUMNS = (
    *("platform", "level", "transaction", "logger", "type", "message", "is_handled"),
    *("request_method", "request_url", "browser", "os", "device"),
)


@dataclass
class Making:
    service: Service
    plan: Plan

    def run(self) -> None:
        for step in (self.originals, self.variants, self.events, self.records, self.decisions, self.marts):
            began = time.monotonic()
            step()
            say(f"{step.__name__}: {time.monotonic() - began:.0f} s")

    @cached_property
    def admin(self) -> Warehouse:
        admin = self.service.warehouse(Role.ADMIN, STATEMENT_SECONDS)
        for statement in sql.parse(HERE / "tables.sql").statements:
            admin.execute(statement)
        return admin

    @cached_property
    def project_id(self) -> int:
        rows = self.admin.rows("select project_id from errata_raw.variants limit 1")
        return int(rows[0]["project_id"])

    def originals(self) -> None:
        """Real events, through the API, and their rows as it stored them."""
        if self._count("errata_ops.crowd_originals"):
            return
        events = [_of_now(event, number) for number, event in enumerate(originals())]
        for start in range(0, len(events), EVENTS_A_DELIVERY):
            deliver(self.service, events[start : start + EVENTS_A_DELIVERY])
        rows = self.admin.rows(
            "select * from errata_raw.error_events order by item_id, received_at limit 1 by item_id"
        )
        stored = {row["item_id"].int: row for row in rows}
        found = []
        for number in range(len(events)):
            row = stored[number + 1]
            payload = msgspec.json.decode(row["payload"])
            common = {"original": number, **{name: row[name] for name in COLUMNS}}
            found.append({**common, "is_whole": True, "rest": rest_of(payload)})
            found.append({**common, "is_whole": False, "rest": cut_rest_of(payload)})
        self._insert("errata_ops.crowd_originals", found)

    def variants(self) -> None:
        """Of each issue its variants: real ones, of real stacks with another function on top."""
        if self._count("errata_ops.crowd_issues"):
            return
        events = originals()
        chance = random.Random(self.plan.seed + 1)
        rows: list[Row] = []
        for issue in self.plan.issues():
            original = chance.randrange(len(events))
            issue_id = 0
            for number in range(issue.first_variant, issue.first_variant + issue.variant_count):
                row = _variant_row(number, original, events[original], self.project_id, issue_id)
                issue_id = issue_id or row["issue_id"]
                rows.append(row)
        self._insert("errata_ops.crowd_variants", rows)
        self._insert("errata_ops.crowd_issues", [_issue_row(issue) for issue in self.plan.issues()])

    def events(self) -> None:
        statement = (HERE / "events_of_day.sql").read_text()
        done = {
            row["day"]
            for row in self.admin.rows(
                "select toDate(received_at) as day, count() as row_count from errata_raw.error_events "
                "group by day having row_count > 1000 or day < today()"
            )
        }
        days = list(self.plan.days())
        for number, (day, count, passed) in enumerate(days):
            if day in done or not count:
                continue
            began = time.monotonic()
            self.admin.execute(
                statement,
                {
                    "seed": self.plan.seed,
                    "project_id": self.project_id,
                    "issue_count": self.plan.issue_count,
                    "day_number": number,
                    "day": day,
                    "passed": passed,
                    "event_count": count,
                    "whole_one_in": max(1, self.plan.event_count // self.plan.whole_count),
                },
            )
            say(f"day {number + 1} of {len(days)}: {count} events, {time.monotonic() - began:.1f} s")

    def records(self) -> None:
        if self._count("errata_raw.variants") > 2 * len(originals()):
            return
        for name in ("variants_of_crowd", "mappings_of_crowd"):
            self.admin.execute((HERE / f"{name}.sql").read_text(), {"project_id": self.project_id})
        put_right(self.admin, [self.project_id])

    def decisions(self) -> None:
        """What people did: issues resolved, ignored, merged."""
        if self._count("errata_raw.issue_actions"):
            return
        rows = self.admin.rows(
            "select distinct issue_id from errata_raw.variant_issues where authority = 0 and variant_hash in "
            "(select variant_hash from errata_ops.crowd_variants where joined_issue_id = 0) order by issue_id"
        )
        self._insert(
            "errata_raw.issue_actions",
            list(_actions(self.plan, self.project_id, [row["issue_id"] for row in rows])),
        )
        put_right(self.admin, [self.project_id])

    def marts(self) -> None:
        builder = self.service.warehouse(Role.BUILD, STATEMENT_SECONDS)
        for report in build_due(builder):
            megabytes = report.byte_count >> 20
            say(f"{report.mart}: {report.row_count} rows, {megabytes} MB, {report.seconds:.1f} s")
        builder.close()

    def _count(self, table: str) -> int:
        return int(self.admin.rows(f"select count() as row_count from {table}")[0]["row_count"])

    def _insert(self, table: str, rows: Sequence[Row]) -> None:
        for start in range(0, len(rows), ROWS_AN_INSERT):
            lines = b"\n".join(map(msgspec.json.encode, rows[start : start + ROWS_AN_INSERT]))
            self.admin.insert_json_lines(table, lines)


def deliver(service: Service, events: Iterable[Event]) -> None:
    """Through the API, as a shipper does."""
    now = datetime.now(UTC).isoformat()
    lines = [msgspec.json.encode({"type": "event", "logged_at": now, "payload": event}) for event in events]
    headers = {
        "Authorization": f"Bearer {service.credentials['api_key']}",
        "X-Errata-App-Key": service.credentials["app_key"],
    }
    answer = urllib3.request(
        "POST", f"{service.credentials['base_url']}/api/ingest", body=b"\n".join(lines), headers=headers
    )
    if answer.status != 200 or answer.json()["rejected"]:
        raise RuntimeError(f"{answer.status}: {answer.data[:500]!r}")


def say(text: str) -> None:
    sys.stderr.write(f"{datetime.now(UTC):%H:%M:%S} {text}\n")
    sys.stderr.flush()


def _of_now(event: Event, number: int) -> Event:
    return {**event, "event_id": UUID(int=number + 1).hex, "timestamp": datetime.now(UTC).isoformat()}


def _variant_row(number: int, original: int, event: Event, project_id: int, joined_issue_id: int) -> Row:
    copied: Event = {**event, "exception": msgspec.json.decode(msgspec.json.encode(event["exception"]))}
    change(copied, number)
    variant = variant_of(copied)
    fingerprint = fingerprint_of(variant.shape)
    return {
        "variant": number,
        "variant_hash": variant.variant_hash,
        "original": original,
        "message": variant.value[:1000],
        "type": variant.type[:200],
        "title": variant.title,
        "culprit": variant.culprit,
        "level": str(event.get("level") or "error"),
        "platform": str(event.get("platform") or ""),
        "shape": variant.shape.to_json(),
        "issue_id": issue_id_of(project_id, fingerprint.fingerprint_hash),
        "joined_issue_id": joined_issue_id,
        "fingerprint_hash": fingerprint.fingerprint_hash,
        "fingerprint_version": fingerprint.fingerprint_version,
        "fingerprint": list(fingerprint.fingerprint),
        "explanation": msgspec.json.encode(fingerprint.explanation).decode(),
    }


def _issue_row(issue: Issue) -> Row:
    return {
        "issue": issue.number,
        "first_variant": issue.first_variant,
        "variant_count": issue.variant_count,
        "born": issue.born,
        "gone": issue.gone,
    }


def _actions(plan: Plan, project_id: int, issue_ids: Sequence[int]) -> Iterator[Row]:
    chance = random.Random(plan.seed + 2)
    shuffled = chance.sample(issue_ids, len(issue_ids))
    counts = [round(len(shuffled) * share) for share in (RESOLVED, IGNORED, MERGED)]
    whole = shuffled[-1]
    for number, issue_id in enumerate(shuffled[: sum(counts)]):
        action = "resolve" if number < counts[0] else "ignore" if number < counts[0] + counts[1] else "merge"
        if number % 5 == 0:
            whole = shuffled[-1 - number]
        acted_at = plan.now - timedelta(seconds=chance.uniform(0, DAYS * 86400))
        yield {
            "project_id": project_id,
            "issue_id": issue_id,
            "acted_at": f"{acted_at:%Y-%m-%d %H:%M:%S.%f}",
            "action_id": str(UUID(int=chance.getrandbits(128), version=4)),
            "action": action,
            "target_issue_id": whole if action == "merge" else 0,
            "detail": "",
            "actor": "owner@localhost",
        }
