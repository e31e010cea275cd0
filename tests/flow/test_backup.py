"""A service is backed up while events arrive, and restored: nothing is missing, every answer is the same."""

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import product
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from errata.backup.directory import BackupDirectory
from errata.backup.manifest import files_of
from errata.warehouse.roles import Role
from pipelines.builder.due import build_due
from pipelines.builder.lease import Pace
from tests.captures import browser_items, moved, moved_to, payloads
from tests.service import ROOT, Service, running

# Three services start, and each question is asked of two of them.
pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

EVENTS_OF_A_BATCH = 5
SAME_ANSWERS = 200
ATTEMPTS = 3
PERIODS = ("", "period=24h", "period=30d")
# Of a disk that others write to, too, and of this sign-in.
NEVER_THE_SAME = ("/api/health", "/api/auth/session", "/api/auth/sessions", "/api/limits", "/retention")


def command(*arguments: str | Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "errata", *map(str, arguments)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )


@dataclass
class Person:
    """Signed in, with the same cookie at each service that has the session."""

    service: Service
    cookies: Mapping[str, str] = field(default_factory=dict)
    token: str = ""

    @property
    def client(self) -> httpx2.Client:
        return httpx2.Client(
            base_url=self.service.credentials["base_url"], cookies=dict(self.cookies), timeout=60
        )

    def sign_in(self) -> None:
        known = {name: self.service.credentials[name] for name in ("email", "password")}
        # The former cookie would stand beside the new one.
        self.cookies = {}
        with self.client as client:
            answer = client.post("/api/auth/sign-in", json=known)
            assert answer.status_code == 200, answer.text
            self.cookies, self.token = dict(client.cookies), answer.json()["csrf_token"]

    def post(self, path: str, body: Mapping[str, Any]) -> None:
        with self.client as client:
            answer = client.post(path, json=body, headers={"X-CSRF-Token": self.token})
        assert answer.is_success, answer.text

    def get(self, path: str) -> Any:
        with self.client as client:
            answer = client.get(path)
        assert answer.status_code == 200, f"{path}: {answer.text}"
        return answer.json()

    def answers(self, paths: list[str]) -> dict[str, str]:
        """As text, without what depends on the port and the disk; neither of refusals nor of files."""
        base_url = self.service.credentials["base_url"]
        with self.client as client:
            asked = {path: client.get(path) for path in paths}
        return {
            path: _comparable(path, answer.json()).replace(base_url, "")
            for path, answer in asked.items()
            if answer.status_code == 200 and answer.headers["Content-Type"] == "application/json"
        }


def _comparable(path: str, answer: Any) -> str:
    if isinstance(answer, dict):
        answer.pop("disk", None)
    # The moment at which it was asked.
    question = path.partition("?")[0]
    if question.endswith("/issues/facets"):
        del answer["as_of"]
    elif question.endswith("/issues"):
        answer.pop("next_cursor", None)
    return json.dumps(answer, sort_keys=True)


def deliver(service: Service, lines: list[dict[str, Any]]) -> None:
    known = service.credentials
    answer = httpx2.post(
        f"{known['base_url']}/api/ingest",
        content="\n".join(map(json.dumps, lines)).encode(),
        headers={"Authorization": f"Bearer {known['api_key']}", "X-Errata-App-Key": known["app_key"]},
        timeout=60,
    )
    assert answer.status_code == 200, answer.text
    assert answer.json()["accepted"] == len(lines), answer.text


def captured_lines() -> list[dict[str, Any]]:
    by, logged_at = moved_to(datetime.now(UTC)), datetime.now(UTC).isoformat()
    items = [
        {"type": item.type, "headers": item.headers, "payload": item.payload}
        for item in browser_items("v11", by, ("transaction", "span"))
    ][:150]
    items += [{"type": "transaction", "payload": moved(one, by)} for one in payloads("python_transactions")][
        :60
    ]
    for name in ("python_errors", "javascript_errors"):
        items += [{"type": "event", "payload": moved(one, by)} for one in payloads(name)][:60]
    return [{**item, "logged_at": logged_at} for item in items]


class Writer(threading.Thread):
    """Delivers events all the time, and knows which were acknowledged."""

    def __init__(self, service: Service) -> None:
        super().__init__(daemon=True)
        self.service = service
        self.acknowledged: list[str] = []
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.is_set():
            ids = [uuid4().hex for _ in range(EVENTS_OF_A_BATCH)]
            deliver(self.service, [broken_event(one) for one in ids])
            self.acknowledged += ids


def broken_event(event_id: str) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat()
    payload = {
        "event_id": event_id,
        "timestamp": now,
        # Each has an issue of its own, so that variants arrive all the time, too.
        "fingerprint": [event_id],
        "exception": {"values": [{"type": f"Broken{event_id[:4]}", "value": "broken"}]},
    }
    return {"type": "event", "logged_at": now, "payload": payload}


@contextmanager
def writing(service: Service) -> Iterator[Writer]:
    writer = Writer(service)
    writer.start()
    try:
        while len(writer.acknowledged) < 50:
            assert writer.is_alive()
            time.sleep(0.05)
        yield writer
    finally:
        writer.stopping.set()
        writer.join()


def stored_events(service: Service) -> set[str]:
    """Of each event with a variant, as pages join them."""
    warehouse = service.warehouse(Role.INGEST)
    rows = warehouse.rows(
        "select lower(replaceAll(toString(item_id), '-', '')) as id from errata_raw.error_events "
        "where (project_id, variant_hash) in (select project_id, variant_hash from errata_raw.variants)"
    )
    warehouse.close()
    return {row["id"] for row in rows}


def build(service: Service) -> None:
    """Of everything received until now."""
    warehouse = service.warehouse(Role.BUILD)
    list(build_due(warehouse, pace=Pace(lag=timedelta(0))))
    warehouse.close()


def paths(person: Person) -> list[str]:
    """Of every question of the API that this service can be asked, with some of its parameters."""
    slug = person.service.credentials["project"]
    project = f"/api/projects/{slug}"
    issues = [one["id"] for one in person.get(f"{project}/issues?limit=12")["issues"]]
    events = [one["event_id"] for one in person.get(f"/api/issues/{issues[0]}/events")["events"]]
    endpoints = [one["route"] for one in person.get(f"{project}/performance/endpoints")["endpoints"]]
    pages = [one["page"] for one in person.get(f"{project}/performance/pages")["pages"]]
    loads = person.get(f"{project}/performance/loads?page={pages[0]}")["loads"]
    values = {
        "slug": [slug],
        "issue_id": issues,
        "event_id": events[:3],
        "id": [one["view_id"] for one in loads][:3],
        "question": ["page_metrics", "endpoint_metrics"],
    }
    required = {"page": pages[0], "path": endpoints[0]}
    found = []
    for template, operations in person.get("/api/openapi.json")["paths"].items():
        known = operations.get("get", {}).get("parameters", [])
        names = [one["name"] for one in known if one["in"] == "path"]
        needed = [one["name"] for one in known if one["in"] == "query" and one.get("required")]
        if "get" not in operations or not {*names} <= values.keys() or not {*needed} <= required.keys():
            continue
        periods = PERIODS if any(one["name"] == "period" for one in known) else PERIODS[:1]
        for *chosen, period in product(*(values[name] for name in names), periods):
            path = template.format(**dict(zip(names, chosen, strict=True)))
            query = "&".join(
                [*(f"{name}={required[name]}" for name in needed), *([period] if period else [])]
            )
            found.append(f"{path}?{query}" if query else path)
    return [path for path in found if not path.endswith(NEVER_THE_SAME)]


@dataclass(frozen=True)
class Scenario:
    """`early`: acknowledged before the first backup began; `late`: before the second one, which is
    incremental, and taken in a quiet moment; `asked`: the questions that the service then answered."""

    service: Service
    person: Person
    backups: Path
    names: list[str]
    early: set[str]
    late: set[str]
    asked: list[str]


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenario]:
    folder = tmp_path_factory.mktemp("backup")
    backups = folder / "backups"
    with running("--no-pipelines", directory=folder / "data") as service:
        person = Person(service)
        person.sign_in()
        deliver(service, captured_lines())
        build(service)
        with writing(service) as writer:
            early = set(writer.acknowledged)
            taken = command("backup", backups, "--data", service.directory)
            assert taken.returncode == 0, taken.stderr
            # It went on meanwhile.
            assert len(writer.acknowledged) > len(early) + EVENTS_OF_A_BATCH
        build(service)
        issue = person.get(f"/api/projects/{service.credentials['project']}/issues")["issues"][0]["id"]
        person.post(f"/api/issues/{issue}/comments", {"text": "Seen again"})
        asked = list(person.answers(paths(person)))
        taken = command("backup", backups, "--data", service.directory, "--with-secret")
        assert taken.returncode == 0, taken.stderr
        names = BackupDirectory(backups).complete()
        yield Scenario(service, person, backups, names, early, set(writer.acknowledged), asked)


def test_every_event_acknowledged_before_a_backup_began_is_restored(
    scenario: Scenario, tmp_path: Path
) -> None:
    done = command("restore", scenario.backups, "--backup", scenario.names[0], "--data", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    assert "This backup doesn't contain the secret" in done.stdout
    shutil.copyfile(scenario.service.directory / "secret", tmp_path / "new" / "secret")
    shutil.copyfile(scenario.service.directory / "credentials.json", tmp_path / "new" / "credentials.json")
    with running("--no-pipelines", directory=tmp_path / "new") as restored:
        found = stored_events(restored)
        assert scenario.early <= found
        # The keys are the same, and more can be delivered.
        deliver(restored, [broken_event(one := uuid4().hex)])
        assert one in stored_events(restored)


def assert_same_answers(person: Person, original: Person, asked: list[str]) -> None:
    """The original is asked beside it: many answers depend on the clock. Its step may pass in between."""
    different = asked
    for _ in range(ATTEMPTS):
        ours, theirs = (one.answers(different) for one in (person, original))
        assert ours.keys() == theirs.keys() == set(different)
        different = [path for path in different if ours[path] != theirs[path]]
    assert {path: (ours[path], theirs[path]) for path in different} == {}


def test_a_service_restored_from_an_incremental_backup_answers_the_same(
    scenario: Scenario, tmp_path: Path
) -> None:
    # A backup directory may be moved.
    moved_backups = shutil.copytree(scenario.backups, tmp_path / "elsewhere")
    done = command("restore", moved_backups, "--data", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    with running("--no-pipelines", directory=tmp_path / "new") as restored:
        person = Person(restored, scenario.person.cookies)
        assert len(scenario.asked) >= SAME_ANSWERS
        assert_same_answers(person, scenario.person, scenario.asked)
        assert scenario.late <= stored_events(restored)
        person.sign_in()


def test_the_service_knows_its_backups(scenario: Scenario) -> None:
    assert command("backup", "verify", scenario.backups, "--data", scenario.service.directory).returncode == 0
    health = httpx2.get(f"{scenario.service.credentials['base_url']}/api/health").json()
    assert health["checks"]["backups"] == "off"
    known = health["backup"]
    stored = sum(one.bytes for one in files_of(scenario.backups / scenario.names[-1]).values())
    assert 0 <= known["age_seconds"] < 600 and known["duration_seconds"] > 0
    assert 0 < known["bytes"] < stored and known["verified_at"] is not None


def test_a_second_backup_copies_only_what_is_new(scenario: Scenario) -> None:
    first, second = (
        sum(path.stat().st_size for path in (scenario.backups / name / "events").rglob("*.bin"))
        for name in scenario.names
    )
    assert 0 < second < first


def test_a_directory_with_something_in_it_is_not_restored_to(scenario: Scenario, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("")
    done = command("restore", scenario.backups, "--data", tmp_path)
    assert (done.returncode, [path.name for path in tmp_path.iterdir()]) == (1, ["precious"])
    assert "is not empty" in done.stderr


def test_a_backup_without_marts_is_built_again(scenario: Scenario, tmp_path: Path) -> None:
    taken = command(
        "backup", tmp_path / "b", "--data", scenario.service.directory, "--without-marts", "--with-secret"
    )
    assert taken.returncode == 0, taken.stderr
    done = command("restore", tmp_path / "b", "--data", tmp_path / "new")
    assert done.returncode == 0, done.stderr
    path = f"/api/projects/{scenario.service.credentials['project']}/performance/pages"
    with running("--no-pipelines", directory=tmp_path / "new") as restored:
        person = Person(restored, scenario.person.cookies)
        assert person.get(path)["pages"] == []
        build(restored)
        assert counts(person.get(path)["pages"]) == counts(scenario.person.get(path)["pages"])


def counts(pages: list[dict[str, Any]]) -> dict[tuple[str, str], int]:
    return {(one["page"], one["navigation_type"]): one["view_count"] for one in pages}


def flip_a_byte(folder: Path) -> str:
    path = max((folder / "events").rglob("*.bin"), key=lambda one: one.stat().st_size)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    return f"{path.relative_to(folder)} was changed"


def flip_a_byte_of_the_state_store(folder: Path) -> str:
    content = bytearray((folder / "state.db").read_bytes())
    content[-100] ^= 1
    (folder / "state.db").write_bytes(content)
    return "state.db was changed"


def remove_a_file(folder: Path) -> str:
    path = next((folder / "marts").rglob("*.bin"))
    path.unlink()
    return f"{path.relative_to(folder)} is missing"


def interrupt(folder: Path) -> str:
    (folder / "manifest.json").unlink()
    return "interrupted"


def change_the_manifest(folder: Path) -> str:
    path = folder / "manifest.json"
    path.write_text(path.read_text().replace('"version": "', '"version": "9'))
    return "its manifest was changed"


def cut_the_manifest(folder: Path) -> str:
    path = folder / "manifest.json"
    path.write_bytes(path.read_bytes()[:-10])
    return "its manifest is unreadable"


DAMAGES = (
    flip_a_byte,
    flip_a_byte_of_the_state_store,
    remove_a_file,
    interrupt,
    change_the_manifest,
    cut_the_manifest,
)


@pytest.mark.parametrize("damage", DAMAGES, ids=lambda one: one.__name__)
def test_damage_is_found_and_not_restored(scenario: Scenario, tmp_path: Path, damage: Any) -> None:
    copied = shutil.copytree(scenario.backups, tmp_path / "copied")
    assert command("backup", "verify", copied).returncode == 0
    reason = damage(copied / scenario.names[0])
    done = command("backup", "verify", copied)
    assert (done.returncode, reason in done.stderr) == (1, True), done.stderr
    # The base of the last one.
    done = command("restore", copied, "--data", tmp_path / "new")
    assert done.returncode == 1
    assert not (tmp_path / "new").exists()


def test_a_missing_base_is_found(scenario: Scenario, tmp_path: Path) -> None:
    copied = shutil.copytree(scenario.backups, tmp_path / "copied")
    shutil.rmtree(copied / scenario.names[0])
    done = command("backup", "verify", copied)
    assert (done.returncode, "is missing" in done.stderr) == (1, True), done.stderr
