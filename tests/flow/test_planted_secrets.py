"""Secrets planted on the way from applications to pages: none comes out anywhere."""

import html
import io
import json
import re
import sqlite3
import subprocess
import sys
import tarfile
import textwrap
import time
from collections.abc import Iterable, Iterator, Set
from contextlib import closing
from email import message_from_bytes, policy
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlencode, urljoin, urlsplit

import polars
import pytest
import re2
import urllib3
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from errata.scrubbing.scan import options
from errata.up.analyst import access_to
from errata.up.data_directory import DataDirectory
from errata.warehouse.client import Warehouse
from errata.warehouse.roles import Role, load_or_create_passwords
from tests.flow.planted_events import GONE, MARK, REFUSED_SECRET, lines, refused, replays
from tests.flow.test_error_to_issue import Journey, environment
from tests.flow.test_error_to_issue import path as path
from tests.ports import free_port
from tests.secret_catalog import SECRETS

BATCH, AT_A_TIME = 40, 5
MOST_PAGES = 120
TYPED_SECRET = "Zq8typed0001ted"
"""Typed into a search box: shown to who typed it alone."""
ASCII = [secret.text for secret in SECRETS if secret.text.isascii()]
ELSEWHERE = ("/static/", "/api/docs", "/api/auth")
# The longest first. Linear in the text, of which there is much.
LOOKED_FOR = re2.compile(
    "|".join(map(re.escape, sorted((*GONE, REFUSED_SECRET, TYPED_SECRET), key=len, reverse=True))).encode(),
    options(),
)
LINK = re.compile(r"""(?:href|src|action|data-[a-z-]+)=["']([^"'\s]+)["']""")
APPLICATION = """
    import json, sys
    import errata_sdk, sentry_sdk

    errata_sdk.init(app_key={app_key!r}, storage_path={logs!r}, release="shop@1.0.0", traces_sample_rate=1.0)


    class Refused(Exception):
        pass


    def pay(number, secrets):
        if number == len(secrets):
            raise Refused({mark!r})
        text, name, value = secrets[number]
        local, listed, shown = text, [text, {{"deep": text}}], json.dumps({{"body": text}})
        named, paired = {{name: value}}, [(name, value)]
        typed = {{name: {{"value": value, "type": "string"}}}}
        sentry_sdk.add_breadcrumb(category="sql", message=text, data={{"statement": text, "list": [text]}})
        sentry_sdk.set_tag(f"note{{number}}", text[:150])
        sentry_sdk.set_context(f"order{{number}}", {{"note": text, "mark": {mark!r}, name: value}})
        sentry_sdk.set_extra(f"list{{number}}", [text, [name, value]])
        sentry_sdk.set_user({{"id": text, "username": text}})
        with sentry_sdk.start_span(op="db", name=text) as span:
            span.set_data("list", [text, "x"])
            span.set_data(name, value)
        try:
            pay(number + 1, secrets)
        except Refused as error:
            raise Refused(f"{mark}: {{text}}") from error


    planted = json.loads(sys.stdin.read())
    # A few at a time: all of a scope is written with every event.
    for first in range(0, len(planted), {at_a_time}):
        secrets = planted[first : first + {at_a_time}]
        sentry_sdk.get_isolation_scope().clear()
        with sentry_sdk.start_transaction(op="http.server", name="GET /cart"):
            try:
                pay(0, secrets)
            except Refused as error:
                sentry_sdk.capture_exception(error)
        for text, _, _ in secrets:
            sentry_sdk.capture_message(text)
    sentry_sdk.flush()
"""


def found(text: str) -> set[str]:
    """Secrets in the text as it is, and as a browser, a JSON reader or a server would read it."""
    forms = {text, html.unescape(text), unquote(text), text.replace("\\\\", "\\").replace('\\"', '"')}
    return {secret.decode() for form in forms for secret in LOOKED_FOR.findall(form.encode(errors="replace"))}


def around(text: str, secret: str) -> str:
    at = text.find(secret)
    return text[max(0, at - 80) : at + len(secret) + 20] if at >= 0 else secret


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
                # Of another host, or of none: `https://[FILTERED]/`.
                if "//" in link and not link.startswith(self._credentials["base_url"]):
                    continue
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
        "select database, name from system.tables where engine not like '%View'"
        " and (database like 'errata%' or (database = 'system' and name like '%_log'))"
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
        app_key=journey.credentials["app_key"], logs=str(journey.logs), mark=MARK, at_a_time=AT_A_TIME
    )
    texts = json.dumps(
        [(one.text, one.name or "note", one.gone[0] if one.name else one.text) for one in SECRETS]
    )
    subprocess.run(
        [sys.executable, "-c", program], check=True, env=environment(), input=texts, text=True, timeout=120
    )


def deliver(
    journey: Journey, findings: "Findings", batch: list[bytes], number: int = 0
) -> list[dict[str, Any]]:
    """With a secret in each header too."""
    secret = re.sub(r"[\r\n]", " ", ASCII[number % len(ASCII)])
    headers = {
        "Authorization": f"Bearer {journey.credentials['api_key']}",
        "X-Errata-App-Key": journey.credentials["app_key"],
        "X-Errata-Batch-Id": f"{number} {secret}",
        "X-Errata-Source": f"host={secret}; file={secret}.{number}.log; from=0; to=9; size=9",
        "User-Agent": secret,
        "X-Request-Id": secret,
        "Referer": f"https://a.example/?password={REFUSED_SECRET}",
    }
    answer = journey.pool.request(
        "POST", f"{journey.credentials['base_url']}/api/ingest", headers=headers, body=b"\n".join(batch)
    )
    assert answer.status in (200, 404), answer.data[:500]
    findings.look(f"answer to batch {number}", [("body", f"{answer.data.decode()}{answer.headers}")])
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


def pages_of(journey: Journey, replay_ids: list[str]) -> Iterator[str]:
    """Those that show the events, shared ones too; the rest is where their links lead."""
    project = f"/projects/{journey.credentials['project']}"
    yield from ("/projects", f"{project}/issues", f"{project}/delivery", f"{project}/settings")
    for part in ("", "/page?page=%2Fcheckout", "/resources", "/trends", "/releases", "/recommendations"):
        yield f"{project}/performance{part}"
    for replay_id in replay_ids:
        yield f"{project}/replays/{replay_id}"
        yield from (f"/api{project}/replays/{replay_id}/segments/{number}" for number in range(3))
    # What somebody types into a search box or an address stays out of the logs.
    for typed in (f"password={TYPED_SECRET}", f"token:{TYPED_SECRET}"):
        yield f"{project}/issues?query={quote(typed)}"
        yield f"/no-such-page/{quote(typed)}"
    for text in ("note:", "password", MARK):
        yield f"{project}/issues?query={quote(text)}"
        yield f"{project}/issue-facets?query={quote(text)}"
    issues = journey.get(f"/api{project}/issues?limit=100")["issues"]
    for issue in issues[:12]:
        for tab in ("", "?tab=events", "?tab=tags", "?tab=different", "?tab=grouping", "?tab=activity"):
            yield f"{project}/issues/{issue['id']}{tab}"


class Findings:
    """Secrets that came out, by surface and by what was read there."""

    def __init__(self) -> None:
        self.out: dict[str, dict[str, set[str]]] = {}
        self.read_count: dict[str, int] = {}

    def look(
        self, surface: str, read: Iterable[tuple[str, str]], but: Set[str] = frozenset()
    ) -> dict[str, str]:
        texts = dict(read)
        self.read_count[surface] = len(texts)
        for name, text in texts.items():
            if leaks := found(text) - but:
                told = {f"{GONE.get(leak, leak)}: …{around(text, leak)}…" for leak in leaks}
                self.out.setdefault(surface, {})[name[:120]] = told
        return texts


class Mails:
    def __init__(self) -> None:
        self.received: list[str] = []

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        mail = message_from_bytes(envelope.original_content or b"", policy=policy.default)
        parts = [part.get_content() for part in mail.walk() if part.get_content_maintype() == "text"]
        self.received.append("\n".join((str(mail["subject"]), *parts)))
        return "250 kept"


@pytest.fixture
def mails(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mails]:
    received = Mails()
    server = Controller(received, hostname="127.0.0.1", port=free_port())
    server.start()
    for name, value in (("HOST", "127.0.0.1"), ("PORT", str(server.port)), ("SECURITY", "none")):
        monkeypatch.setenv(f"ERRATA_MAIL_{name}", value)
    yield received
    server.stop()


def post(journey: Journey, path: str, body: Any) -> dict[str, Any]:
    answer = journey.pool.request(
        "POST",
        f"{journey.credentials['base_url']}{path}",
        headers={"Authorization": f"Bearer {journey.credentials['api_key']}"},
        json=body,
    )
    assert answer.status == 201, answer.data
    made: dict[str, Any] = answer.json()
    return made


def tell_by_mail(journey: Journey) -> None:
    channel = {
        "kind": "email",
        "name": "On call",
        "settings": {"to": ["ann@example.org"]},
        "hourly_limit": 500,
    }
    made = post(journey, "/api/alert-channels", channel)["id"]
    for kind, condition in (("new", {}), ("events", {"over": 1, "window_minutes": 60, "scope": "issue"})):
        rule = {"name": kind, "kind": kind, "condition": condition, "channels": [made]}
        post(journey, f"/api/projects/{journey.credentials['project']}/alert-rules", rule)


def wait_for_mails(mails: Mails) -> None:
    deadline = time.monotonic() + 90
    while not mails.received or time.monotonic() < deadline - 60:
        assert time.monotonic() < deadline
        time.sleep(0.5)


def read_by_analysts(journey: Journey) -> Iterator[tuple[str, str]]:
    analyst = Warehouse(access_to(journey.data).url)
    views = [
        one["name"]
        for one in analyst.rows("select name from system.tables where database = 'errata_analysis'")
    ]
    assert len(views) > 15
    for view in views:
        described = analyst.rows(f"describe table errata_analysis.{view}")
        columns = [
            f"`{one['name']}`" for one in described if not str(one["type"]).startswith("AggregateFunction(")
        ]
        yield (
            view,
            "\n".join(map(str, analyst.rows(f"select {', '.join(columns)} from errata_analysis.{view}"))),
        )


def shared_pages(journey: Journey, replay_ids: list[str]) -> Iterator[tuple[str, str]]:
    """Issues, events and replays, with and without values, as anyone with the link reads them."""
    project = f"/api/projects/{journey.credentials['project']}"
    issues = journey.get(f"{project}/issues?limit=200")["issues"]
    links = [f"/api/issues/{issue['id']}/share-links" for issue in issues[:40]]
    links += [f"{project}/replays/{replay_id}/share-links" for replay_id in replay_ids]
    for link in links:
        for with_all in (False, True):
            made = post(journey, link, {"with_user": with_all, "with_values": with_all, "expires": "1d"})
            path = urlsplit(made["url"]).path
            segments = [f"{path}/segments/{number}" for number in range(3)] if "replays" in link else []
            for address in (path, *segments):
                answer = journey.pool.request("GET", f"{journey.credentials['base_url']}{address}")
                assert answer.status in (200, 404), (answer.status, answer.data)
                yield f"{link} {with_all} {address}", answer.data.decode("utf-8", "replace")


def support_bundle(journey: Journey) -> Iterator[tuple[str, str]]:
    bundle = journey.data.parent / "support.tar.gz"
    told = subprocess.run(
        [sys.executable, "-m", "errata", "support-bundle", str(bundle), "--data", str(journey.data)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert told.returncode == 0, told.stderr
    yield "output", told.stdout + told.stderr
    with tarfile.open(bundle) as opened:
        for entry in opened:
            if (held := opened.extractfile(entry)) is not None:
                yield entry.name, held.read().decode("utf-8", "replace")


def report(journey: Journey) -> str:
    project, key = journey.credentials["project"], journey.credentials["api_key"]
    answer = journey.pool.request(
        "GET",
        f"{journey.credentials['base_url']}/api/projects/{project}/performance/report?format=pdf",
        headers={"Authorization": f"Bearer {key}"},
    )
    assert answer.data[:4] == b"%PDF", answer.data[:200]
    return subprocess.run(
        ["pdftotext", "-", "-"], input=answer.data, capture_output=True, check=True
    ).stdout.decode()


@pytest.mark.timeout(900)
@pytest.mark.slow
def test_no_planted_secret_comes_out_anywhere(mails: Mails, path: Journey) -> None:
    assert len(GONE) >= 150
    findings = Findings()
    tell_by_mail(path)
    # What an application logs is clean before any of it is sent.
    run_application(path)
    spooled = findings.look("log file of the SDK", files(path.logs))
    assert sum(text.count(MARK) for text in spooled.values()) >= len(GONE)
    sent = [*lines(), *(line for _, recorded in replays() for line in recorded)]
    replay_ids = [replay.replay_id for replay, _ in replays()]
    for first in range(0, len(sent), BATCH):
        assert deliver(path, findings, sent[first : first + BATCH], number=first) == []
    assert len(deliver(path, findings, list(refused()))) >= 5
    for line in refused():
        deliver(path, findings, [line])
    wait_for_shipper(path)
    path.build_up_to_now()

    stored = findings.look("tables and state", everything_stored(path))
    assert MARK in stored["errata_raw.error_events"] and len(stored["errata_mart.variant_totals"]) > 100
    findings.look("analysts' SQL", read_by_analysts(path))

    reader = Reader(path)
    for address in rest_addresses(reader, path):
        reader.ask(address, with_key=True)
    asked = len(reader.read)
    reader.follow(pages_of(path, replay_ids), asked + MOST_PAGES)
    assert sum(MARK in text for text in reader.read.values()) > 20
    findings.look("pages and REST", reader.read.items(), but={TYPED_SECRET})
    assert not {name for name, status in reader.failed.items() if status >= 500}
    shared = findings.look("shared pages", shared_pages(path, replay_ids))
    assert any(MARK in text for text in shared.values())
    findings.look("report", [("pdf", report(path))])
    findings.look("support bundle", support_bundle(path))
    wait_for_mails(mails)
    findings.look("mails", ((f"mail {number}", text) for number, text in enumerate(mails.received)))

    kept = findings.look("files of the service", files(path.data))
    assert any(name.endswith(".log") for name in kept)
    findings.look("files of the shipper", files(path.logs))
    said = path.shipper_log.read_text()
    assert "Batch sent" in said
    findings.look("log of the shipper", [("shipper.log", said)])
    assert not findings.out, summary(findings)


def summary(findings: Findings) -> str:
    """By surface: how many secrets came out of how much that was read, and which."""
    told = []
    for surface, places in findings.out.items():
        count = len(set().union(*places.values()))
        told.append(f"{surface}: {count} secrets in {len(places)} of {findings.read_count[surface]}")
        told += (f"    {place}: {sorted(ids)[:40]}" for place, ids in list(places.items())[:9])
    everywhere = sorted(set().union(*(ids for places in findings.out.values() for ids in places.values())))
    return "\n".join((*told, f"{len(everywhere)} in all: {everywhere}"))
