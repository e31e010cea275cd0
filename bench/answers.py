"""What a service answers to every GET of REST, recorded, so that a change can be shown to change none.

`python -m bench.answers make DIR` fills a new folder. `record DIR FILE` asks a service over a copy of it,
once with each version. `compare FILE FILE` prints where two records differ, and ends with 1 where they do.
"""

import argparse
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

import urllib3

from bench.crowd.making import say
from bench.neighbors import packed, send
from demo import captured, history
from errata.warehouse.python_marts import PYTHON_MARTS
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.marts import made_by_python
from pipelines.marts.registry import MARTS
from tests.flow.poison.assets import AT_ONCE
from tests.flow.poison.originals import originals
from tests.flow.poison.walk import Known
from tests.service import Service, running

WEEKS = 2
SENT_ERRORS = 2_000
# What is asked of every list that can be asked so.
PERIODS = ("24h", "7d", "14d", "30d", "90d", "8w")
SEARCHES = (
    "is:unresolved",
    "level:error",
    "release:2.1.0",
    "environment:staging",
    "price",
    "times_seen:>5",
    "!level:error",
)
OTHERS = {
    "environment": ("production", "staging"),
    "release": ("2.1.0",),
    "limit": ("1", "3"),
    "query": SEARCHES,
}
# Of files the text is enough.
FORMATS = ("json", "csv", "html")
# They tell of the moment, of the service's own work, or of who asks.
LEFT_OUT = re.compile(
    r"/(health|activity|auth|ingest|docs|openapi|delivery|api-key|members|related|report)(/|$)|openapi\.json$"
)
OF_THE_MOMENT = re.compile(
    r"as_of|built_through|counted_through|version_hash|_version|asked_at|last_used_at|seconds|cursor|next|disk"
    r"|checked_at|evaluated_at|lag|request_id"
)


class Addressed(Protocol):
    """A service, as its `credentials.json` names it."""

    @property
    def credentials(self) -> Mapping[str, str]: ...


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.answers")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("make").add_argument("folder", type=Path)
    record = commands.add_parser("record")
    record.add_argument("folder", type=Path)
    record.add_argument("file", type=Path)
    compare = commands.add_parser("compare")
    compare.add_argument("before", type=Path)
    compare.add_argument("after", type=Path)
    chosen = parser.parse_args()
    if chosen.command == "make":
        make(chosen.folder)
    elif chosen.command == "record":
        chosen.file.write_text("".join(f"{line}\n" for line in recorded(chosen.folder)))
    else:
        sys.exit(differing(read(chosen.before), read(chosen.after)))


def make(folder: Path) -> None:
    """Two weeks of page loads and errors, and some decisions."""
    with running("--no-pipelines", directory=folder) as service:
        now = datetime.now(UTC)
        with tempfile.TemporaryDirectory() as logs:
            for _ in history.written(Path(logs), service.credentials["app_key"], WEEKS, now):
                pass
            lines = (
                line for path in sorted(Path(logs).iterdir()) for line in path.read_bytes().splitlines(True)
            )
            send(service, service.credentials, packed(lines))
        send(service, service.credentials, packed(errors(now)))
        decide(service)


def errors(now: datetime) -> Iterator[bytes]:
    events = originals()["event"]
    for number in range(SENT_ERRORS):
        # Some issues occur often, some once.
        item = json.loads(events[number * number % len(events)])
        at = now - timedelta(minutes=number * number % (WEEKS * 7 * 1440), seconds=number % 60 + 120)
        payload = captured.moved(item["payload"], timedelta(), str(number))
        payload |= {
            "timestamp": at.isoformat(),
            "release": ("2.0.0", "2.1.0", "2.2.0")[number % 3],
            "environment": ("production", "production", "staging")[number % 7 % 3],
            "user": {"id": str(number % 97)},
        }
        told = {"type": "event", "logged_at": at.isoformat(), "payload": payload}
        yield json.dumps(told, separators=(",", ":")).encode() + b"\n"


def decide(service: Service) -> None:
    """Resolves, ignores, assigns and merges some issues."""
    project = f"/api/projects/{service.credentials['project']}/issues"
    ids = [one["id"] for one in got(service, f"{project}?period=90d&limit=50&sort=first_seen")["issues"]]
    for place, (action, detail) in enumerate(
        [
            ("resolve", {"in": "now"}),
            ("resolve", {"in": "next"}),
            ("ignore", {}),
            ("assign", {"assignee": service.credentials["email"]}),
            ("prioritize", {"priority": "high"}),
        ]
    ):
        posted(service, f"{project}/actions", {"ids": [ids[place]], "action": action, "detail": detail})
    posted(service, f"{project}/merge", {"into": ids[5], "ids": ids[6:8]})


def recorded(folder: Path) -> Iterator[str]:
    """A JSON line an answer: path, status, body."""
    with tempfile.TemporaryDirectory(prefix="errata-answers-") as copy:
        shutil.copytree(folder, Path(copy) / "data", symlinks=True)
        with running("--no-pipelines", directory=Path(copy) / "data") as service:
            warehouse = service.warehouse(Role.BUILD, 600)
            for mart in MARTS:
                build(warehouse, mart, AT_ONCE)
            for made in PYTHON_MARTS:
                made_by_python.make(made, warehouse)
            warehouse.close()
            paths = list(dict.fromkeys(asked(service)))
            for path in paths:
                answer = requested(service, "GET", path)
                body: Any = answer.data.decode("utf-8", "replace")
                if "application/json" in answer.headers.get("content-type", ""):
                    body = steady(json.loads(body))
                yield json.dumps({"path": path, "status": answer.status, "body": body})
            say(f"{len(paths)} answers recorded")


def asked(service: Addressed) -> Iterator[str]:
    """Each path of OpenAPI with what the lists name, alone and with each thing that can be asked for."""
    known = Known.of(partial(got, service), service.credentials["project"])
    for path, methods in got(service, "/api/openapi.json")["paths"].items():
        if "get" not in methods or LEFT_OUT.search(path):
            continue
        parameters = methods["get"].get("parameters", [])
        required = [one["name"] for one in parameters if one["in"] == "query" and one.get("required")]
        for filled, query in known.filled(path, required):
            for more in ("", *varied(parameters)):
                yield f"{filled}?{'&'.join(filter(None, (query, more)))}".rstrip("?")


def varied(parameters: list[dict[str, Any]]) -> Iterator[str]:
    for one in parameters:
        if one["in"] != "query" or one.get("required"):
            continue
        values = one["schema"].get("enum") or next(
            (inner["enum"] for inner in one["schema"].get("anyOf", ()) if "enum" in inner), ()
        )
        if one["name"] == "format":
            values = [value for value in values if value in FORMATS]
        if one["name"] == "period":
            values = PERIODS
        for value in [*values, *OTHERS.get(one["name"], ())]:
            yield f"{one['name']}={quote(str(value), safe='')}"


def steady(value: Any) -> Any:
    """Without what changes with the moment of asking."""
    if isinstance(value, dict):
        return {name: steady(each) for name, each in value.items() if not OF_THE_MOMENT.search(name)}
    return [steady(each) for each in value] if isinstance(value, list) else value


def read(file: Path) -> dict[str, Any]:
    return {one["path"]: one for one in map(json.loads, file.read_text().splitlines())}


def differing(before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
    """1 where anything does, after saying where."""
    wrong = 0
    for path in dict.fromkeys([*before, *after]):
        found = list(differences(before.get(path), after.get(path), ""))
        wrong += bool(found)
        for line in found[:5]:
            sys.stdout.write(f"{path}: {line}\n")
    say(f"{len(before)} and {len(after)} answers, {wrong} of them differ")
    return min(wrong, 1)


def differences(before: Any, after: Any, at: str) -> Iterator[str]:
    if isinstance(before, dict) and isinstance(after, dict):
        for name in dict.fromkeys([*before, *after]):
            yield from differences(before.get(name), after.get(name), f"{at}.{name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (left, right) in enumerate(zip(before, after, strict=True)):
            yield from differences(left, right, f"{at}[{number}]")
    elif before != after:
        yield f"{at}: {str(before)[:120]} | {str(after)[:120]}"


def got(service: Addressed, path: str) -> Any:
    answer = requested(service, "GET", path)
    if answer.status != 200:
        raise RuntimeError(f"{path}: {answer.status}: {answer.data[:300]!r}")
    return answer.json()


def posted(service: Addressed, path: str, body: Mapping[str, Any]) -> None:
    answer = requested(service, "POST", path, json.dumps(body).encode())
    if answer.status >= 300:
        raise RuntimeError(f"{path}: {answer.status}: {answer.data[:300]!r}")


def requested(
    service: Addressed, method: str, path: str, body: bytes | None = None
) -> urllib3.BaseHTTPResponse:
    headers = {
        "Authorization": f"Bearer {service.credentials['api_key']}",
        "Content-Type": "application/json",
    }
    address = f"{service.credentials['base_url']}{path}"
    return urllib3.request(method, address, headers=headers, body=body, timeout=60)


if __name__ == "__main__":
    main()
