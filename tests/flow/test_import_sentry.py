"""A Sentry's events and decisions, imported into a real service."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.sentry_form import documented
from tests.sentry_imports import SentryImport, asked, issues_of, missing
from tests.sentry_server import (
    SentFile,
    SentryServer,
    often_interrupted,
    recorded_occurrences,
    running_sentry,
)
from tests.service import Service, running

pytestmark = [pytest.mark.slow, pytest.mark.timeout(400)]
SPAN = timedelta(days=20)


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with running("--no-pipelines") as started:
        yield started


def report_of(directory: Path) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((directory / "report.json").read_text())
    return told


def test_events_and_decisions_arrive_and_each_difference_is_named(service: Service, tmp_path: Path) -> None:
    shop = recorded_occurrences(["python_errors"], 363, datetime.now(UTC), SPAN)
    ids = list(dict.fromkeys(each.group_id for each in shop))
    resolved, released, ignored, assigned, unknown, left, right, split, *_ = ids
    groups = {right: left}
    shop = [replace(each, group_id=groups.get(each.group_id, each.group_id)) for each in shop]
    halves = [each for each in shop if each.group_id == split]
    shop = [replace(each, group_id="77") if each in halves[::2] else each for each in shop]
    person = {"type": "user", "id": "1", "name": "Owner", "email": service.credentials["email"]}
    server = SentryServer(
        {"shop": shop},
        {
            resolved: {"status": "resolved", "assignedTo": {"type": "team", "id": "4", "name": "web"}},
            released: {"status": "resolved", "statusDetails": {"inRelease": "shop@2.11.0"}},
            ignored: {"status": "ignored", "substatus": "archived_until_escalating"},
            assigned: {"assignedTo": person},
            unknown: {"assignedTo": {**person, "email": "gone@shop.example"}},
            split: {"status": "resolved"},
        },
        odd=odd_values(),
        files={
            shop[0].payload["event_id"]: [
                SentFile("shop.ini", b"color = blue"),
                SentFile("core.dmp", b"MDMP", "event.minidump"),
                SentFile("all.log", b"x" * ((3 << 20) + 1)),
            ]
        },
        interruption=often_interrupted,
    )
    with running_sentry(server) as http:
        options = ["--attachments", "--report", str(tmp_path / "report.json")]
        said = SentryImport(service, http.url, tmp_path / "progress", options).complete()
    [report] = report_of(tmp_path)["projects"]
    assert report["attachments"] == {"imported": 1, "minidump_refused": 1, "too_large": 1}
    files = asked(service, f"/api/events/{shop[0].payload['event_id']}/attachments")["attachments"]
    assert [(file["filename"], file["byte_count"]) for file in files] == [("shop.ini", 12)]
    assert missing(service, (each.payload["event_id"] for each in shop)) == set()
    assert report["found_count"] == 363 + 5
    assert report["accepted_count"] == 363
    assert report["refused"] == {"no_date": 1, "no_event_id": 2, "too_old": 1, "type_transaction": 1}
    issues = {issue["id"]: issue for issue in issues_of(service, "shop")}
    assert sum(issue["event_count"] for issue in issues.values()) == 363
    assert [each["issue"]["id"] for each in report["split"]] == [f"SHOP-{left}"]
    assert len(report["split"][0]["others"]) == 2
    [merged] = report["merged"]
    assert {each["id"] for each in merged["others"]} == {f"SHOP-{split}", "SHOP-77"}
    assert report["same_count"] == len(ids) - 3
    assert report["states"] == {"resolved": 2, "ignored": 1, "assigned": 1}
    assert report["states_left"] == {
        "issues merged here have different states": 1,
        "assigned to people who aren't members here": 1,
    }
    assert sorted(issue["status"] for issue in issues.values() if issue["status"] != "unresolved") == [
        "ignored",
        "resolved",
        "resolved",
    ]
    assert [issue["assignee"] for issue in issues.values() if issue["assignee"]] == [person["email"]]
    assert f"split: SHOP-{left}" in said
    assert f"merged: {merged['issue']['id']}" in said
    assert "password" not in said


def odd_values() -> list[Any]:
    sent = {"event_id": "a" * 32, "timestamp": "2026-11-20T10:00:00Z", "message": "odd"}
    old = f"{datetime.now(UTC) - timedelta(days=89):%Y-%m-%dT%H:%M:%SZ}"
    return [
        None,
        {**documented(sent), "eventID": "not an id"},
        {**documented({**sent, "event_id": "b" * 32}), "dateCreated": 12},
        {**documented({**sent, "event_id": "c" * 32}), "dateCreated": old},
        {**documented({**sent, "event_id": "d" * 32}), "type": "transaction"},
    ]


def test_an_import_killed_again_and_again_loses_and_doubles_nothing(service: Service, tmp_path: Path) -> None:
    until = datetime.now(UTC)
    web = recorded_occurrences(["javascript_errors", "browser_error_events"], 1500, until, SPAN)
    resolved = web[0].group_id
    server = SentryServer({"web": web}, {resolved: {"status": "resolved"}}, interruption=often_interrupted)
    with running_sentry(server) as http:
        command = SentryImport(
            service, http.url, tmp_path / "progress", ["--report", str(tmp_path / "report.json")]
        )
        assert command.killed(8, random.Random(7), longest_seconds=6.0) > 0
        command.complete()
        first = report_of(tmp_path)["projects"]
        command.complete()
    assert report_of(tmp_path)["projects"] == first
    assert first[0]["accepted_count"] == first[0]["found_count"] == 1500
    assert first[0]["missing_count"] == 0
    assert missing(service, (each.payload["event_id"] for each in web)) == set()
    assert sum(issue["event_count"] for issue in issues_of(service, "web")) == 1500


def test_fingerprints_group_as_they_did(service: Service, tmp_path: Path) -> None:
    recorded = recorded_occurrences(["python_errors"], 240, datetime.now(UTC), SPAN)
    first, second, *_ = dict.fromkeys(each.group_id for each in recorded)
    jobs = [
        replace(each, payload={**each.payload, "fingerprint": ["checkout", "eu"]}, group_id="55")
        if each.group_id in (first, second)
        else each
        for each in recorded
    ]
    with running_sentry(SentryServer({"jobs": jobs})) as http:
        options = ["--project", "jobs=workers", "--report", str(tmp_path / "report.json")]
        SentryImport(service, http.url, tmp_path / "progress", options).complete()
    [report] = report_of(tmp_path)["projects"]
    assert report["imported_to"] == "workers"
    assert (report["split"], report["merged"]) == ([], [])
    assert report["same_count"] == len({each.group_id for each in jobs})
    together = sum(each.group_id == "55" for each in jobs)
    assert together in {issue["event_count"] for issue in issues_of(service, "workers")}
    assert sum(issue["event_count"] for issue in issues_of(service, "workers")) == 240
