"""An upgrade from 0.4.0, which ran only on the embedded warehouse, to this version on a server of one's own.

Needs the history of the repository: 0.4.0 is run from its last commit.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2

from bench.figures import figure
from demo import captured
from demo.history import History
from errata.warehouse.client import Warehouse
from tests.bare_server import BareServer, bare_server
from tests.captures import envelopes, moved, moved_to, payloads
from tests.processes import free_port
from tests.service import ROOT

LAST_OF_0_4 = "09aa4d98786a14cedcaad7d7c54a73bbdf8514bf"
# Builds count what was received before.
BUILT_BEHIND_SECONDS = 30
WITHIN_SECONDS = 600
LINES_A_BODY = 200
LOGINS = {
    "ERRATA_WAREHOUSE_URL": ("site_in", "in-secret"),
    "ERRATA_WAREHOUSE_BUILD_URL": ("site_build", "build-secret"),
    "ERRATA_WAREHOUSE_READ_URL": ("site_read", "read-secret"),
    "ERRATA_WAREHOUSE_ANALYST_URL": ("site_analyst", "analyst-secret"),
}
# What decisions and deliveries wrote; the jobs of a running service add to none of these.
COUNTS = """
    select name, total_rows as count from system.tables
    where database = 'errata_raw' and engine like '%MergeTree' and total_rows > 0 order by name
"""
VIEWS_SINCE = """
    select uniqExact(view_id) as count from errata_raw.page_views
    where received_at > {since:DateTime64(3)} and is_load
"""


@dataclass(frozen=True)
class Site:
    """A running service, and the keys of its project."""

    base_url: str
    keys: Mapping[str, str]

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Any:
        method = "GET" if body is None else "POST"
        headers = {"Authorization": f"Bearer {self.keys['api_key']}"}
        answer = httpx2.request(method, f"{self.base_url}{path}", json=body, headers=headers, timeout=120)
        if answer.status_code >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:500]}")
        return answer.json() if answer.content else None

    def deliver(self, lines: list[dict[str, Any]]) -> None:
        headers = {"Authorization": f"Bearer {self.keys['api_key']}"}
        for start in range(0, len(lines), LINES_A_BODY):
            keyed = ({**line, "app_key": self.keys["app_key"]} for line in lines[start:][:LINES_A_BODY])
            body = b"\n".join(json.dumps(line).encode() for line in keyed)
            answer = httpx2.post(f"{self.base_url}/api/ingest", content=body, headers=headers, timeout=120)
            if answer.status_code != 200 or answer.json()["rejected"]:
                raise RuntimeError(f"{answer.status_code}: {answer.text[:500]}")

    def issues(self) -> dict[str, tuple[int, int, str]]:
        """Events, users and status of each."""
        found, cursor = dict[str, tuple[int, int, str]](), ""
        while True:
            path = f"/api/projects/{self.keys['project']}/issues?period=30d&limit=100"
            page = self.ask(path + (f"&cursor={cursor}" if cursor else ""))
            for issue in page["issues"]:
                found[issue["id"]] = (issue["event_count"], issue["user_count"], issue["status"])
            if not (cursor := page["next_cursor"] or ""):
                return found

    def pages(self) -> dict[str, int]:
        """Views of each kind of navigation to each."""
        path = f"/api/projects/{self.keys['project']}/performance/pages?period=30d"
        pages = self.ask(path)["pages"]
        return {f"{page['navigation_type']} {page['page']}": page["view_count"] for page in pages}


@dataclass(frozen=True)
class Shown:
    issues: dict[str, tuple[int, int, str]]
    pages: dict[str, int]

    @classmethod
    def of(cls, site: Site) -> "Shown":
        return cls(site.issues(), site.pages())

    @property
    def event_count(self) -> int:
        return sum(events for events, _, _ in self.issues.values())

    @property
    def view_count(self) -> int:
        return sum(self.pages.values())


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--commit", default=LAST_OF_0_4, help="of the older version")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made, _checkout(chosen.commit) as old:
        data, server = Path(made) / "data", bare_server(Path(made) / "server")
        before, keys = _run_older(old, data)
        # A database is a link to its tables.
        shutil.copytree(data / "warehouse", server.directory / "rows", symlinks=True)
        settings = _settings(server, data)
        _migrate(server, settings)
        with server.running(), _newer(settings, Path(made)) as base_url:
            site = Site(base_url, keys)
            _compare(site, before)
            _compare_new(site, server)
            doctor = _errata(settings, "doctor", "--data", str(Path(made) / "none"))
            figure("doctor", doctor.returncode, "exit code", said=doctor.stdout.count("WRONG"))


@contextmanager
def _checkout(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        folder = Path(made) / "older"
        subprocess.run(
            ["git", "worktree", "add", "--quiet", "--detach", folder, commit], cwd=ROOT, check=True
        )
        try:
            yield folder
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", folder], cwd=ROOT, check=True)


def _run_older(old: Path, data: Path) -> tuple[Shown, Mapping[str, str]]:
    """What it shows of what it was sent and has built, people's decisions among it, and its keys."""
    path = os.pathsep.join(str(old / part) for part in (".", "sdk", "shipper", "wire"))
    environment = {**os.environ, "PYTHONPATH": path}
    process = subprocess.Popen(
        [sys.executable, "-m", "errata", "up", "--data", str(data), "--no-pipelines"],
        cwd=old,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert any("ready at" in line for line in process.stdout), "the older version did not start"
        keys = json.loads((data / "credentials.json").read_text())
        site = Site(keys["base_url"], keys)
        assert site.ask("/api/health")["version"].startswith("0.4")
        site.deliver([*_history(), *_errors(), *_loads("before")])
        time.sleep(BUILT_BEHIND_SECONDS)
        subprocess.run(
            [sys.executable, "-m", "errata", "build", "--data", str(data)],
            cwd=old,
            env=environment,
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        first, second, third, *_ = site.issues()
        site.ask(f"/api/issues/{first}/resolve", {})
        site.ask(f"/api/issues/{second}/ignore", {})
        site.ask(f"/api/issues/{third}/merge", {"into": second})
        return Shown.of(site), keys
    finally:
        process.terminate()
        process.wait(60)


def _history() -> list[dict[str, Any]]:
    """A week of a shop, written by earlier SDKs."""
    past = History(datetime.now(UTC), 1, "")
    return [json.loads(line) for day in past.days for line in past.lines(day)]


def _errors() -> list[dict[str, Any]]:
    """Real errors, each an event of its own."""
    by = moved_to(datetime.now(UTC) - timedelta(hours=1))
    return [
        {"type": "event", "payload": {**moved(payload, by), "event_id": uuid4().hex}}
        for payload in payloads("python_errors")
    ]


def _loads(round_: str) -> list[dict[str, Any]]:
    """Real page loads, with ids of their own in each round."""
    by = moved_to(datetime.now(UTC) - timedelta(minutes=30))
    return [
        {
            "type": sent["headers"]["type"],
            "headers": sent["headers"],
            "payload": captured.moved(moved(sent["payload"], by), timedelta(), round_),
        }
        for envelope in envelopes("v11")
        for sent in envelope["items"]
        if sent.get("payload") and sent["headers"]["type"] in ("transaction", "span")
    ]


def _settings(server: BareServer, data: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_")}
    return {
        **kept,
        "PYTHONPATH": str(ROOT),
        "ERRATA_WAREHOUSE_ADMIN_URL": server.url(),
        **{variable: server.url(*login) for variable, login in LOGINS.items()},
        "ERRATA_STATE_URL": f"sqlite:///{data / 'state.db'}",
        "ERRATA_SECRET": (data / "secret").read_text().strip(),
    }


def _migrate(server: BareServer, settings: Mapping[str, str]) -> None:
    """As docs/server.md says for a server that takes no users by SQL."""
    with server.running():
        before = _counts(server)
    server.users_folder.mkdir(exist_ok=True)
    _errata(settings, "migrate", "--users-file", str(server.users_folder / "errata.xml"), is_needed=True)
    with server.running():
        planned = _errata(settings, "migrate", "--plan", is_needed=True).stdout.splitlines()
        began = time.monotonic()
        _errata(settings, "migrate", is_needed=True)
        seconds = time.monotonic() - began
        after = _counts(server)
        again = _errata(settings, "migrate", "--plan", is_needed=True).stdout
    figure(
        "migrate",
        seconds,
        "s",
        migrations=sum(line.startswith("apply") for line in planned),
        marts_made_anew=sum(line.startswith("create errata_mart") for line in planned),
        left_to_do=again.count("apply") + again.count("create errata_mart"),
    )
    lost = {name: (count, after.get(name, 0)) for name, count in before.items() if after.get(name) != count}
    figure("raw_rows", sum(before.values()), "rows", tables=len(before), changed=lost)
    if lost:
        raise SystemExit("raw rows were lost or added")


def _counts(server: BareServer) -> dict[str, int]:
    admin = Warehouse(server.url())
    found = {row["name"]: row["count"] for row in admin.rows(COUNTS)}
    admin.close()
    return found


@contextmanager
def _newer(settings: Mapping[str, str], folder: Path) -> Iterator[str]:
    """Web and pipelines as docs/server.md starts them."""
    base_url = f"http://127.0.0.1:{(port := free_port())}"
    programs = (["-m", "errata", "web", "--port", str(port)], ["-m", "pipelines"])
    environment = {**settings, "ERRATA_BASE_URL": base_url, "DAGSTER_HOME": str(folder / "dagster")}
    with (folder / "newer.log").open("wb") as log:
        running = [
            subprocess.Popen([sys.executable, *program], env=environment, stdout=log, stderr=log)
            for program in programs
        ]
    try:
        yield base_url
    finally:
        for process in running:
            process.terminate()
            process.wait(60)


def _compare(site: Site, before: Shown) -> None:
    """Of what was there before the upgrade."""
    began = time.monotonic()
    issues = _until(site.issues, before.issues)
    figure(
        "issues",
        len(before.issues),
        "issues",
        events=before.event_count,
        **_differences(before.issues, issues),
    )
    pages = _until(site.pages, before.pages)
    facts = {"views": before.view_count, "seconds": round(time.monotonic() - began)}
    figure("pages", len(before.pages), "pages", **facts, **_differences(before.pages, pages))
    if (issues, pages) != (before.issues, before.pages):
        raise SystemExit("what was there before is not shown as it was")


def _compare_new(site: Site, server: BareServer) -> None:
    """Of what is delivered after it, with the keys from before."""
    since = datetime.now(UTC)
    errors, was = _errors(), Shown.of(site)
    site.deliver([*errors, *_loads("after")])
    admin = Warehouse(server.url())
    views = admin.rows(VIEWS_SINCE, {"since": since})[0]["count"]
    admin.close()
    began = time.monotonic()
    events_shown = _until(lambda: Shown.of(site).event_count - was.event_count, len(errors))
    figure("new_events", len(errors), "events", shown=events_shown, seconds=round(time.monotonic() - began))
    views_shown = _until(lambda: Shown.of(site).view_count - was.view_count, views)
    figure("new_views", views, "views", shown=views_shown, seconds=round(time.monotonic() - began))
    if (events_shown, views_shown) != (len(errors), views):
        raise SystemExit("what came after the upgrade is not shown")


def _until(ask: Any, wanted: Any) -> Any:
    """The answer, once it is the one wanted, or the last one in time."""
    deadline = time.monotonic() + WITHIN_SECONDS
    while True:
        try:
            if (found := ask()) == wanted or time.monotonic() > deadline:
                return found
        except (httpx2.TransportError, RuntimeError):
            if time.monotonic() > deadline:
                raise
        time.sleep(2)


def _differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    changed = {
        key: (before.get(key), after.get(key))
        for key in {**before, **after}
        if before.get(key) != after.get(key)
    }
    return {"changed": len(changed), "such_as": dict(list(changed.items())[:3])}


def _errata(
    settings: Mapping[str, str], *arguments: str, is_needed: bool = False
) -> "subprocess.CompletedProcess[str]":
    done = subprocess.run(
        [sys.executable, "-m", "errata", *arguments],
        env=dict(settings),
        capture_output=True,
        text=True,
        check=False,
    )
    if is_needed and done.returncode:
        raise RuntimeError(f"errata {' '.join(arguments)}: {done.stderr[-2000:]}")
    return done


if __name__ == "__main__":
    main()
