"""Secrets planted on the way from applications to pages: none comes out anywhere."""

import html
import io
import json
import re
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode, urljoin, urlsplit

import polars
import pytest
import re2
import urllib3

from errata.scrubbing.scan import options
from errata.up.data_directory import DataDirectory
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role, load_or_create_passwords
from tests.flow.planted_events import MARK, REFUSED_SECRET, SECRETS, lines, refused
from tests.flow.test_error_to_issue import Journey, environment
from tests.flow.test_error_to_issue import path as path
from tests.secret_cases import PLANTED

BATCH = 40
MOST_PAGES = 50
ELSEWHERE = ("/static/", "/api/docs", "/api/auth")
# The longest first. Linear in the text, of which there is much.
LOOKED_FOR = re2.compile(
    "|".join(map(re.escape, sorted(SECRETS | {REFUSED_SECRET}, key=len, reverse=True))).encode(), options()
)
LINK = re.compile(r"""(?:href|src|action|data-[a-z-]+)=["']([^"'\s]+)["']""")
APPLICATION = """
    import json, sys
    import errata_sdk, sentry_sdk

    errata_sdk.init(app_key={app_key!r}, storage_path={logs!r}, release="shop@1.0.0", traces_sample_rate=1.0)


    class Refused(Exception):
        pass


    def pay(text):
        local, listed, shown = text, [text, {{"deep": text}}], json.dumps({{"body": text}})
        sentry_sdk.add_breadcrumb(category="sql", message=text, data={{"statement": text, "list": [text]}})
        sentry_sdk.set_tag("note", text[:150])
        sentry_sdk.set_context("order", {{"note": text, "mark": {mark!r}}})
        raise Refused(f"{mark}: {{text}}")


    for text in json.loads(sys.stdin.read()):
        with sentry_sdk.start_transaction(op="http.server", name="GET /cart") as transaction:
            with sentry_sdk.start_span(op="db", name=text):
                pass
            try:
                pay(text)
            except Refused as error:
                sentry_sdk.capture_exception(error)
                sentry_sdk.capture_message(text)
    sentry_sdk.flush()
"""


def found(text: str) -> set[str]:
    """Secrets in the text as it is, and as a browser, a JSON reader or a server would read it."""
    forms = {text, html.unescape(text), unquote(text), text.replace("\\\\", "\\").replace('\\"', '"')}
    return {secret.decode() for form in forms for secret in LOOKED_FOR.findall(form.encode(errors="replace"))}


class Reader:
    """A signed-in browser that follows every link, and a program with the API key."""

    def __init__(self, journey: Journey) -> None:
        self._credentials = journey.credentials
        self._pool = urllib3.PoolManager()
        self.read: dict[str, str] = {}
        """What was answered, by address."""
        self.failed: dict[str, int] = {}
        fields = {name: self._credentials[name] for name in ("email", "password")} | {"next": "/projects"}
        answer = self._pool.request(
            "POST",
            self._url("/api/auth/sign-in"),
            body=urlencode(fields),
            redirect=False,
            headers={
                "Origin": self._credentials["base_url"],
                "Content-Type": "application/x-www-form-urlencoded",
            },
        )
        assert answer.status == 303, answer.data
        self._cookie = {"Cookie": answer.headers["Set-Cookie"].partition(";")[0]}

    def _url(self, path: str) -> str:
        return urljoin(self._credentials["base_url"], path)

    def ask(self, path: str, *, with_key: bool = False) -> str:
        key = {"Authorization": f"Bearer {self._credentials['api_key']}"}
        answer = self._pool.request("GET", self._url(path), headers=key if with_key else self._cookie)
        if answer.status >= 400:
            self.failed[path] = answer.status
        if answer.data[:4] == b"PAR1":
            said = str(polars.read_parquet(io.BytesIO(answer.data)).to_dicts())
        else:
            said = answer.data.decode("utf-8", "replace")
        self.read[path] = f"{self.read.get(path, '')}{said}{answer.headers}"
        return said

    def follow(self, begun: Iterable[str], most: int) -> None:
        """Breadth first, so that no one kind of page takes all of the places."""
        waiting = list(dict.fromkeys(begun))
        known = set(waiting)
        counts: dict[str, int] = {}
        for here in waiting:
            shape = re.sub(r"[0-9a-f]{8}[0-9a-f-]*|\d+", "*", re.sub(r"=[^&]*", "", here))
            counts[shape] = counts.get(shape, 0) + 1
            if counts[shape] > 30 or len(self.read) >= most:
                continue
            page = self.ask(here)
            for link in LINK.findall(page):
                address = urljoin(self._url(here), html.unescape(link))
                split = urlsplit(address)
                local = split.path + (f"?{split.query}" if split.query else "")
                is_ours = address.startswith(self._credentials["base_url"])
                if is_ours and local not in known and not local.startswith(ELSEWHERE):
                    known.add(local)
                    waiting.append(local)


def everything_stored(journey: Journey) -> Iterator[tuple[str, str]]:
    """Each table of the warehouse, read as it was before it was compressed, and the state store."""
    directory = DataDirectory(journey.data)
    password = load_or_create_passwords(directory.warehouse_passwords_path)[Role.ADMIN]
    address = directory.warehouse_address_path.read_text().strip()
    warehouse = Warehouse(f"http://{Role.ADMIN.value}:{password}@{address}")
    tables = warehouse.rows(
        "select database, name from system.tables where database like 'errata%' and engine not like '%View'"
    )
    assert len(tables) > 20
    for table in tables:
        name = f"{table['database']}.{table['name']}"
        columns = [
            column["name"]
            for column in warehouse.rows(f"describe table {name}")
            if not column["type"].startswith("AggregateFunction(")
        ]
        chosen = ", ".join(f"`{column}`" for column in columns)
        yield name, "\n".join(map(str, warehouse.rows(f"select {chosen} from {name}")))
    with closing(sqlite3.connect(journey.data / "state.db")) as state:
        yield "state", "\n".join(state.iterdump())


def files(directory: Path) -> Iterator[tuple[str, str]]:
    """Without those of the warehouse, whose tables are read, and which come and go while it merges."""
    for place in sorted(directory.iterdir()):
        inside = [] if place.name == "warehouse" else [place, *place.rglob("*")]
        for file in sorted(inside):
            if file.is_file():
                yield str(file), file.read_bytes().decode("utf-8", "replace")


def rest_addresses(reader: Reader, journey: Journey) -> Iterator[str]:
    """Every GET of the API whose path leads to something, in every format it has."""
    project = f"/api/projects/{journey.credentials['project']}"
    issues = [one["id"] for one in journey.get(f"{project}/issues?limit=100")["issues"]]
    events = [
        one["event_id"]
        for issue in issues[:3]
        for one in journey.get(f"/api/issues/{issue}/events")["events"][:1]
    ]
    loads = journey.get(f"{project}/performance/loads?page=%2Fcheckout")["loads"]
    known: dict[str, list[Any]] = {
        "slug": [journey.credentials["project"]],
        "issue_id": issues[:3],
        "event_id": events,
        "id": [load["view_id"] for load in loads[:2]],
        "view_id": [load["view_id"] for load in loads[:2]],
        "question": ["page_metrics", "endpoint_metrics"],
        "version": ["shop@1.0.0"],
    }
    for template, operations in json.loads(reader.ask("/api/openapi.json"))["paths"].items():
        names = re.findall(r"\{(\w+)\}", template)
        if "get" not in operations or not all(name in known for name in names):
            continue
        parameters = {one["name"]: one for one in operations["get"].get("parameters", ())}
        schema = parameters.get("format", {}).get("schema", {})
        formats = schema.get("enum") or (["json", "csv", "parquet"] if schema else [""])
        turns = max((len(known[name]) for name in names), default=1)
        for turn in range(turns):
            values = {name: known[name][turn % len(known[name])] for name in names if known[name]}
            if len(values) < len(names):
                continue
            for wanted in formats:
                yield template.format(**values) + (f"?format={wanted}" if wanted else "")


def run_application(journey: Journey) -> None:
    program = textwrap.dedent(APPLICATION).format(
        app_key=journey.credentials["app_key"], logs=str(journey.logs), mark=MARK
    )
    texts = json.dumps([case.text for case in PLANTED])
    subprocess.run(
        [sys.executable, "-c", program], check=True, env=environment(), input=texts, text=True, timeout=120
    )


def deliver(journey: Journey, batch: list[bytes]) -> list[dict[str, Any]]:
    headers = {
        "Authorization": f"Bearer {journey.credentials['api_key']}",
        "X-Errata-App-Key": journey.credentials["app_key"],
    }
    answer = journey.pool.request(
        "POST", f"{journey.credentials['base_url']}/api/ingest", headers=headers, body=b"\n".join(batch)
    )
    assert answer.status in (200, 404), answer.data[:500]
    assert not found(answer.data.decode())
    rejected: list[dict[str, Any]] = answer.json().get("rejected", [])
    return rejected


def wait_for_shipper(journey: Journey) -> None:
    deadline = time.monotonic() + 60
    log = next(journey.logs.glob("errata-*.log"))
    while True:
        tracker = journey.logs / "tracker.json"
        known = json.loads(tracker.read_text())["files"] if tracker.exists() else []
        if any(file["name"] == log.name and file["offset"] == log.stat().st_size for file in known):
            return
        assert time.monotonic() < deadline, known
        time.sleep(0.2)


def pages_of(journey: Journey) -> Iterator[str]:
    """Those that show the events, shared ones too; the rest is where their links lead."""
    project = f"/projects/{journey.credentials['project']}"
    yield from ("/projects", f"{project}/issues", f"{project}/delivery", f"{project}/settings")
    for part in ("", "/page?page=%2Fcheckout", "/resources", "/trends", "/releases", "/recommendations"):
        yield f"{project}/performance{part}"
    for text in ("note:", "password", MARK):
        yield f"{project}/issues?query={quote(text)}"
        yield f"{project}/issue-facets?query={quote(text)}"
    issues = journey.get(f"/api{project}/issues?limit=100")["issues"]
    for issue in issues[:2]:
        body = {"with_user": True, "with_values": True, "expires": "1d"}
        link = journey.pool.request(
            "POST",
            f"{journey.credentials['base_url']}/api/issues/{issue['id']}/share-links",
            headers={"Authorization": f"Bearer {journey.credentials['api_key']}"},
            json=body,
        )
        assert link.status == 201, link.data
        yield urlsplit(link.json()["url"]).path
    for issue in issues[:4]:
        for tab in ("", "?tab=events", "?tab=tags", "?tab=different", "?tab=grouping", "?tab=activity"):
            yield f"{project}/issues/{issue['id']}{tab}"


@pytest.mark.timeout(600)
@pytest.mark.slow
def test_no_planted_secret_comes_out_anywhere(path: Journey) -> None:
    assert len(SECRETS) >= 120 and len({case.kind for case in PLANTED}) >= 20
    # What an application logs is clean before any of it is sent.
    run_application(path)
    spooled = dict(files(path.logs))
    assert sum(text.count(MARK) for text in spooled.values()) >= len(PLANTED)
    assert {name: leaks for name, text in spooled.items() if (leaks := found(text))} == {}
    sent = list(lines())
    for first in range(0, len(sent), BATCH):
        assert deliver(path, sent[first : first + BATCH]) == []
    assert len(deliver(path, list(refused()))) >= 5
    for line in refused():
        deliver(path, [line])
    wait_for_shipper(path)
    path.build_up_to_now()

    stored = dict(everything_stored(path))
    assert MARK in stored["errata_raw.error_events"] and len(stored["errata_mart.variant_totals"]) > 100
    assert {name: leaks for name, text in stored.items() if (leaks := found(text))} == {}

    reader = Reader(path)
    for address in rest_addresses(reader, path):
        reader.ask(address, with_key=True)
    asked = len(reader.read)
    reader.follow(pages_of(path), asked + MOST_PAGES)
    assert sum(MARK in text for text in reader.read.values()) > 20
    assert {name: leaks for name, text in reader.read.items() if (leaks := found(text))} == {}
    assert not {name for name, status in reader.failed.items() if status >= 500}
    assert any(name.startswith("/shared/") and MARK in text for name, text in reader.read.items())

    kept = dict(files(path.data))
    assert any(name.endswith(".log") for name in kept)
    assert {name: leaks for name, text in kept.items() if (leaks := found(text))} == {}
    assert {name: leaks for name, text in files(path.logs) if (leaks := found(text))} == {}
    said = path.shipper_log.read_text()
    assert "Batch sent" in said
    assert found(said) == set()
