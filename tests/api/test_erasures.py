"""Erasure over real deliveries: nothing of it is left in any file, and everybody else's numbers are exact."""

import json
import re
import shutil
import threading
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from sqlalchemy import select
from starlette.testclient import TestClient

from api.app import create_app
from api.context import Context
from api.erasures import plan
from api.erasures.plan import Steps
from api.erasures.subject import Asked
from api.settings import ApiSettings
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.state.table import every_table
from errata.state.users import User
from errata.warehouse import sql
from errata.warehouse.client import Warehouse, WarehouseUnavailable
from errata.warehouse.migrations import migrate
from errata.warehouse.queries.delivery.set_aside import standing
from errata.warehouse.queries.erasures.log import Kind, unfinished
from errata.warehouse.roles import Role
from pipelines.builder.erasures import carry_out_erasures, is_due
from pipelines.marts.registry import MARTS
from tests import stored_files
from tests.builders import an_error_event, insert
from tests.mart_builds import FAST, build_marts, in_marts, made_anew
from tests.pipelines.builder.test_set_aside import let_time_pass as let_set_aside_be_due
from tests.planted_person import OTHERS, VERA, attached, events, lines, telemetry, written
from tests.processes import WarehouseProcess, start_warehouse

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600)]

ALL_MARTS = [mart.name for mart in MARTS]
TABLES = """
    select database, name from system.tables
    where database in ('errata_raw', 'errata_mart', 'errata_ops') and engine like '%MergeTree'
"""


@dataclass
class Service:
    """The API over a real warehouse, with its job under the test's control."""

    warehouse: WarehouseProcess
    client: TestClient
    context: Context
    store: Store
    account: FirstAccount
    admin: Warehouse

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.account.api_key}"}

    @property
    def path(self) -> str:
        return "/api/projects/shop/erasures"

    def deliver(self, body: bytes) -> dict[str, Any]:
        headers = {**self.headers, "X-Errata-App-Key": self.account.app_key}
        answer = self.client.post("/api/ingest", content=body, headers=headers)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def erase(self, **subject: str) -> dict[str, Any]:
        (said,) = subject.values()
        answer = self.client.post(self.path, json={**subject, "confirm": said}, headers=self.headers)
        assert answer.status_code == 202, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def carry_out(self) -> None:
        """All steps of the API, without their waits."""
        steps = Steps(self.context, timedelta(0))
        for project_id, erasure_id in unfinished(self.context.warehouse):
            steps.go_on(project_id, erasure_id, lambda: True)
        assert unfinished(self.context.warehouse) == []

    def rebuild(self) -> list[str]:
        builder = self.warehouse.client(Role.BUILD)
        said = list(carry_out_erasures(builder, FAST, needed_for=timedelta(0)))
        builder.close()
        return said

    def remove_files_at_once(self) -> None:
        """The engine keeps replaced parts for eight minutes; here for a second."""
        for row in self.admin.rows(TABLES):
            self.admin.execute(
                f"alter table {row['database']}.{row['name']} modify setting old_parts_lifetime = 1, "
                "merge_tree_clear_old_parts_interval_seconds = 1, cleanup_delay_period = 1, "
                "max_cleanup_delay_period = 2"
            )

    def let_time_pass(self) -> None:
        """As if all builds so far had ended eleven minutes ago."""
        self.admin.execute(
            "alter table errata_ops.builds update finished_at = finished_at - interval 11 minute where true "
            "settings mutations_sync = 1"
        )

    def verify(self) -> str:
        self.let_time_pass()
        said, deadline = [""], time.monotonic() + 120
        while self.receipts()[0]["state"] != "verified" and time.monotonic() < deadline:
            said = self.rebuild()
            time.sleep(0.5)
        return f"{self.receipts()[0]['state']} {said}"

    def receipts(self) -> list[dict[str, Any]]:
        answer = self.client.get(self.path, headers=self.headers)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["erasures"]
        return found

    def in_rows(self, texts: Collection[str]) -> set[str]:
        """Tables that have one of the texts in any column, as `table: text`."""
        found = set()
        for row in self.admin.rows(TABLES):
            table = f"{row['database']}.{row['name']}"
            for text in texts:
                for form in (text, text.encode().hex()):
                    asked = (
                        f"select count() as n from {table} "
                        "where position(toString(tuple(*)), {text:String}) > 0"
                    )
                    if self.admin.rows(asked, {"text": form})[0]["n"]:
                        found.add(f"{table}: {text}")
        return found

    def save_search(self, query: str) -> None:
        with self.store.database.reading() as connection:
            row = connection.execute(select(User.organization_id, User.id)).first()
        assert row is not None
        self.store.saved_searches.save(
            row.organization_id, "shop", row.id, name="Hers", query=query, sort="", is_shared=True
        )

    def in_account_store(self, text: str) -> bool:
        """Whether any row of any table has the text."""
        with self.store.database.reading() as connection:
            return any(
                text in repr(row)
                for table in every_table().tables.values()
                for row in connection.execute(select(table))
            )

    def in_files(self, texts: Collection[str]) -> set[str]:
        """Files of the data directory with one of the texts."""
        looked_for = re.compile("|".join(map(re.escape, texts)).encode())
        directory = self.warehouse.directory
        return {
            str(path.relative_to(directory))
            for path, content in stored_files.contents(directory)
            if looked_for.search(content)
        }


@pytest.fixture(scope="module")
def warehouse_process(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarehouseProcess]:
    """Of its own: files that other tests replaced a moment ago would be taken for those of an erasure."""
    running = start_warehouse(tmp_path_factory.mktemp("erasures") / "data")
    admin = running.client(Role.ADMIN)
    migrate(admin)
    admin.close()
    yield running
    running.stop()


@pytest.fixture
def service(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Service]:
    store = Store.open(f"sqlite:///{tmp_path / 'state.db'}", b"s" * 48)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@localhost")
    ingest, read, admin = (warehouse.client(role) for role in (Role.INGEST, Role.READ, Role.ADMIN))
    app: FastAPI = create_app(ApiSettings(gather_ms=5), store, ingest, read)
    with TestClient(app, raise_server_exceptions=False) as client:
        made = Service(warehouse, client, app.state.context, store, account, admin)
        made.remove_files_at_once()
        yield made
    for connection in (ingest, read, admin):
        connection.close()
    store.close()


def test_an_event_is_gone_from_every_file_and_its_issue_keeps_the_others(service: Service) -> None:
    (hers,) = events(VERA, 1)
    (theirs,) = events(OTHERS[0], 1)
    service.deliver(lines({"type": "event", "payload": hers}, {"type": "event", "payload": theirs}))
    build_marts(service.warehouse, *ALL_MARTS)
    assert service.in_rows([VERA.email])
    service.erase(event=hers["event_id"])
    service.carry_out()
    service.rebuild()
    assert service.in_rows(VERA.texts) == set()
    assert service.verify().startswith("verified")
    assert service.in_files(VERA.texts) == set()
    (receipt,) = service.receipts()
    assert (receipt["kind"], receipt["row_count"]) == ("event", 1)
    assert "vera" not in json.dumps(receipt).lower()
    (title,) = service.admin.rows("select title, exemplar_id from errata_raw.variants")
    assert title["exemplar_id"] == UUID(theirs["event_id"])
    assert_exact(service)


def assert_exact(service: Service) -> None:
    """Every mart has the rows that a build from what is left would make; sums of fractions depend on their
    order in the last digits. Periods of totals begin with the clock, but for the one that has no begin."""
    rebuilt = made_of(service)
    made_anew(service.warehouse, ALL_MARTS)
    anew = made_of(service)
    for mart in ALL_MARTS:
        left, right = (FRACTION.sub(rounded, text) for text in (rebuilt[mart], anew[mart]))
        assert left == right, mart


def made_of(service: Service) -> dict[str, str]:
    found = in_marts(service.warehouse, [one for one in ALL_MARTS if not one.endswith("_totals")])
    for mart in ("variant_totals", "issue_totals"):
        found[mart] = repr(
            service.admin.rows(
                "select * except ('_state$|_through$|^version$|^periods$|^bucket_counts$') "
                f"from errata_mart.{mart} where period = 'all' order by all"
            )
        )
    return found


FRACTION = re.compile(r"\d+[.]\d+(e[-+]\d+)?")


def rounded(number: re.Match[str]) -> str:
    return f"{float(number[0]):.9g}"


PEOPLE = {0: VERA, 1: OTHERS[0], 2: OTHERS[1]}


def deliver_everybody(service: Service) -> bytes:
    """Errors of four people and telemetry of three; what Vera's deliveries were, for another time."""
    hers: list[dict[str, Any]] = [{"type": "event", "payload": payload} for payload in events(VERA, 12)]
    theirs = [{"type": "event", "payload": payload} for person in OTHERS for payload in events(person, 7)]
    trace_id = next(events(VERA, 1))["contexts"]["trace"]["trace_id"]
    texts = [*written(VERA, trace_id), attached(VERA, hers[0]["payload"]["event_id"])]
    texts += [item for person in OTHERS for item in written(person, uuid4().hex)]
    everything = [*hers, *theirs, *texts, *telemetry(PEOPLE)]
    service.deliver(lines(*everything))
    return lines(*everything)


def counts(service: Service) -> dict[str, int]:
    tables = [
        *("error_events", "page_views", "page_resources", "requests", "spans", "sessions"),
        *("attachments", "replay_segments", "variants", "variant_issues", "variant_assignments"),
    ]
    return {
        table: service.admin.rows(f"select count() as n from errata_raw.{table}")[0]["n"] for table in tables
    }


def hers_and_theirs(service: Service) -> dict[str, set[str]]:
    """Items of nobody but others, by table: by what the rows say, apart from the product's own selection."""
    found = {}
    for table in (
        *("error_events", "page_views", "requests", "sessions", "replay_segments", "logs"),
        "feedback",
    ):
        rows = service.admin.rows(
            f"select distinct toString(item_id) as id, user_hash from errata_raw.{table} where user_hash != 0"
        )
        found[table] = {row["id"] for row in rows}
    return found


def test_a_person_is_gone_everywhere_and_everybody_elses_numbers_are_exact(service: Service) -> None:
    body = deliver_everybody(service)
    build_marts(service.warehouse, *ALL_MARTS)
    before = service.in_rows(VERA.texts)
    assert {table.partition(":")[0] for table in before} >= {
        *("errata_raw.error_events", "errata_raw.spans", "errata_raw.variants", "errata_raw.replay_segments"),
        "errata_raw.attachments",
    }
    others_before = service.in_rows([one.email for one in OTHERS])
    identified = hers_and_theirs(service)
    preview = service.client.post(
        f"{service.path}/preview", json={"email": VERA.email}, headers=service.headers
    ).json()
    assert preview["row_count"] > 0
    service.save_search(f"user.email:{VERA.email}")
    assert service.in_account_store(VERA.email)
    service.erase(email=VERA.email)
    service.carry_out()
    assert not service.in_account_store(VERA.email)
    after = hers_and_theirs(service)
    hers = service.admin.rows("select distinct toString(item_id) as id from errata_raw.erased_items")
    gone = {row["id"] for row in hers}
    for table, items in identified.items():
        assert after[table] == items - gone, table
    assert sum(row["row_count"] for row in service.receipts()[0]["tables"]) == preview["row_count"]
    assert service.in_rows(VERA.texts) == {
        one for one in service.in_rows(VERA.texts) if one.startswith("errata_mart.")
    }
    service.rebuild()
    assert service.in_rows(VERA.texts) == set()
    assert service.verify().startswith("verified")
    assert service.in_files(VERA.texts) == set()
    # Nobody else lost anything.
    assert service.in_rows([one.email for one in OTHERS]) >= others_before
    assert_exact(service)
    # A shipper that has lost its place delivers the same file again.
    stored = counts(service)
    accepted = service.deliver(body)
    assert accepted["rejected"] == []
    again = counts(service)
    assert service.in_rows(VERA.texts) == set()
    assert again["error_events"] == stored["error_events"] + 21
    rows = service.admin.rows(
        "select item_type, sum(item_count) as n from errata_raw.outcomes where outcome = 'erased' group by 1"
    )
    assert {row["item_type"]: row["n"] for row in rows}["event"] == 12


def test_a_kill_at_any_moment_is_made_good(service: Service) -> None:
    """Each step is stopped at every statement it begins, and taken up by another node."""
    hers = [{"type": "event", "payload": payload} for payload in events(VERA, 5)]
    theirs = [{"type": "event", "payload": payload} for payload in events(OTHERS[0], 5)]
    service.deliver(lines(*hers, *theirs))
    build_marts(service.warehouse, *ALL_MARTS)
    service.erase(user_id=VERA.id)
    ((project_id, erasure_id),) = unfinished(service.context.warehouse)
    for most in range(60):
        dying = Dying(service.context.warehouse, most)
        context = replace(service.context, warehouse=cast(Warehouse, dying))
        try:
            Steps(context, timedelta(0)).go_on(project_id, erasure_id, lambda: True)
        except Killed:
            continue
        break
    else:
        pytest.fail("the erasure never ended")
    assert unfinished(service.context.warehouse) == []
    assert most >= 8
    builder = service.warehouse.client(Role.BUILD)
    brisk = replace(FAST, lifetime=timedelta(seconds=1))
    for most in range(2, 400, 11):
        try:
            list(carry_out_erasures(cast(Warehouse, Dying(builder, most)), brisk))
        except Killed:
            continue
        break
    else:
        pytest.fail("the marts were never rebuilt")
    builder.close()
    assert service.in_rows(VERA.texts) == set()
    assert service.admin.rows("select count() as n from errata_raw.error_events") == [{"n": 5}]
    assert_exact(service)
    assert sum(row["row_count"] for row in service.receipts()[0]["tables"]) == 5


def refused(service: Service, status: int, **body: str) -> str:
    answer = service.client.post(service.path, json=body, headers=service.headers)
    assert answer.status_code == status, answer.text
    return str(answer.json()["error"])


def test_a_subject_that_names_nobody_or_everybody_erases_nothing(service: Service) -> None:
    service.deliver(lines(*({"type": "event", "payload": payload} for payload in events(VERA, 3))))
    stored = counts(service)
    for pattern in (
        "%",
        "*",
        "_",
        "%@%",
        "vera.planted",
        ".*",
        "[FILTERED]",
        "unknown",
        "0",
        "' or 1 = 1 --",
    ):
        assert refused(service, 409, email=pattern, confirm=pattern) == "nothing_to_erase", pattern
        assert refused(service, 409, user_id=pattern, confirm=pattern) == "nothing_to_erase", pattern
    zero = "0" * 16
    assert refused(service, 400, user_key=zero, confirm=zero) == "invalid_parameter"
    assert refused(service, 400, email="", confirm="") == "invalid_parameter"
    assert refused(service, 400, email="  ", confirm="  ") == "invalid_parameter"
    assert refused(service, 400, confirm="") == "invalid_parameter"
    assert refused(service, 400, email=VERA.email, user_id=VERA.id, confirm=VERA.id) == "invalid_parameter"
    assert refused(service, 400, email=VERA.email, confirm="yes") == "erasure_not_confirmed"
    assert refused(service, 400, project="another", confirm="another") == "invalid_parameter"
    nobody = "f" * 16
    assert refused(service, 409, user_key=nobody, confirm=nobody) == "nothing_to_erase"
    assert refused(service, 409, issue=nobody, confirm=nobody) == "nothing_to_erase"
    assert (counts(service), service.receipts()) == (stored, [])


def test_an_erasure_stays_in_its_project(service: Service) -> None:
    """Callers of other organizations are asked in test_authorization.py."""
    (hers,) = events(VERA, 1)
    service.deliver(lines({"type": "event", "payload": hers}))
    service.store.projects.create(1, "Other shop", actor="owner@localhost")
    elsewhere = "/api/projects/other-shop/erasures"
    for body in ({"event": hers["event_id"]}, {"email": VERA.email}, {"user_id": VERA.id}):
        confirmed = {**body, "confirm": next(iter(body.values()))}
        answer = service.client.post(elsewhere, json=confirmed, headers=service.headers)
        assert answer.json()["error"] == "nothing_to_erase"
    made = service.erase(event=hers["event_id"])
    seen = service.client.get(f"{elsewhere}/{made['id']}", headers=service.headers)
    assert (seen.status_code, seen.json()["error"]) == (404, "erasure_not_found")
    assert service.client.get(elsewhere, headers=service.headers).json() == {"erasures": []}


def test_two_erasures_at_once_and_builds_meanwhile_leave_exact_numbers(service: Service) -> None:
    hers = [{"type": "event", "payload": payload} for payload in events(VERA, 5)]
    theirs = [{"type": "event", "payload": payload} for person in OTHERS for payload in events(person, 5)]
    service.deliver(lines(*hers, *theirs))
    build_marts(service.warehouse, *ALL_MARTS)
    service.erase(email=VERA.email)
    service.erase(user_id=OTHERS[0].id)
    # Each by two nodes: the hold of a job can be lost.
    steps = Steps(service.context, timedelta(seconds=3))
    while found := unfinished(service.context.warehouse):
        threads = [
            threading.Thread(target=steps.go_on, args=(*one, lambda: True))
            for one in (*found, *reversed(found))
        ]
        for thread in threads:
            thread.start()
        build_marts(service.warehouse, *ALL_MARTS)
        for thread in threads:
            thread.join()
        time.sleep(1)
    service.rebuild()
    assert service.in_rows([*VERA.texts, OTHERS[0].email]) == set()
    assert service.admin.rows("select count() as n from errata_raw.error_events") == [{"n": 10}]
    assert_exact(service)
    assert [sum(table["row_count"] for table in one["tables"]) for one in service.receipts()] == [5, 5]


def test_an_issue_is_gone_and_the_same_error_makes_a_new_one(service: Service) -> None:
    first, second = events(VERA, 2)
    service.deliver(lines(*({"type": "event", "payload": payload} for payload in (first, second))))
    build_marts(service.warehouse, *ALL_MARTS)
    issue = service.client.get(f"/api/events/{first['event_id']}", headers=service.headers).json()["issue_id"]
    comment = {"text": "She called from 0171-5550199"}
    service.client.post(f"/api/issues/{issue}/resolve", json={}, headers=service.headers)
    service.client.post(f"/api/issues/{issue}/comments", json=comment, headers=service.headers)
    service.erase(issue=issue)
    service.carry_out()
    service.rebuild()
    assert service.client.get(f"/api/issues/{issue}", headers=service.headers).status_code == 404
    assert service.in_rows(["0171-5550199"]) == set()
    # It is this node that knew the variant.
    again = {**first, "event_id": uuid4().hex, "timestamp": datetime.now(UTC).isoformat()}
    service.deliver(lines({"type": "event", "payload": again}, {"type": "event", "payload": first}))
    shown = service.client.get(f"/api/issues/{issue}", headers=service.headers).json()
    assert (shown["event_count"], shown["status"]) == (1, "unresolved")
    assert "No account of" in shown["title"]


def test_all_data_of_a_project_goes_and_lines_of_before_are_refused(service: Service) -> None:
    body = deliver_everybody(service)
    build_marts(service.warehouse, *ALL_MARTS)
    slug = "shop"
    service.erase(project=slug)
    service.carry_out()
    service.rebuild()
    assert set(counts(service).values()) == {0}
    assert set(in_marts(service.warehouse, ALL_MARTS).values()) == {"[]"}
    assert service.verify().startswith("verified")
    assert service.in_files([*VERA.texts, *OTHERS[0].texts]) == set()
    time.sleep(5)
    service.deliver(body)
    assert counts(service)["error_events"] == 0
    (fresh,) = events(VERA, 1)
    service.deliver(lines({"type": "event", "payload": fresh}))
    assert counts(service)["error_events"] == 1


def test_deleting_a_project_erases_it(service: Service) -> None:
    deliver_everybody(service)
    build_marts(service.warehouse, *ALL_MARTS)
    slug = "shop"
    answer = service.client.delete(f"/api/projects/{slug}", headers=service.headers)
    assert answer.status_code == 204, answer.text
    service.carry_out()
    service.rebuild()
    assert service.in_rows([*VERA.texts, *OTHERS[0].texts]) == set()
    assert set(counts(service).values()) == {0}
    log = [(one.action.value, one.actor != "") for one in service.store.activity.entries(1, kind="erasure")]
    assert log == [("erasure.rows_removed", False), ("erasure.asked", True)]


def test_events_of_marts_that_raw_no_longer_has_go_too(service: Service) -> None:
    (hers,) = events(VERA, 1)
    (theirs,) = events(OTHERS[0], 1)
    # Of another variant: hers goes as a whole.
    theirs["exception"]["values"][-1]["type"] = "OtherError"
    line, other = ({"type": "event", "payload": payload} for payload in (hers, theirs))
    # Twice: copies are kept one by one.
    for _ in range(2):
        service.deliver(lines(line, other))
    build_marts(service.warehouse, *ALL_MARTS)
    admin = service.admin
    admin.execute("alter table errata_raw.error_events delete where true settings mutations_sync = 1")
    admin.execute("create table errata_mart.older as errata_mart.repeated_events")
    admin.execute(
        "insert into errata_mart.older select * replace (hour - interval 100 day as hour) "
        "from errata_mart.repeated_events"
    )
    admin.execute("alter table errata_mart.repeated_events delete where true settings mutations_sync = 1")
    admin.execute("insert into errata_mart.repeated_events select * from errata_mart.older")
    admin.execute("drop table errata_mart.older sync")
    assert service.in_rows([VERA.email]) >= {f"errata_mart.repeated_events: {VERA.email}"}
    project_id = service.store.projects.all()[0][1].id
    asked = Asked(Kind.PERSON, "email", VERA.email)
    plan.ask(service.context, 1, project_id, asked, "owner@localhost")
    # By ID: no event that names the email address is left in raw.
    plan.ask(service.context, 1, project_id, replace(asked, by="id", words=VERA.id), "owner@localhost")
    service.carry_out()
    service.rebuild()
    assert service.in_rows([VERA.email, VERA.id]) == set()
    assert f"errata_mart.repeated_events: {OTHERS[0].email}" in service.in_rows([OTHERS[0].email])


# By mart a line of its model, and what it would be with a bug that events of one kind bring to light.
FAULTS = {
    "variant_hourly": (
        "    count() as event_count,",
        "    sum(1 - throwIf(environment = 'poison')) as event_count,",
    ),
    "variant_totals": (
        "    sum(spread.event_count) as event_count,",
        "    sum(spread.event_count * (1 - throwIf(environment = 'poison'))) as event_count,",
    ),
}


@pytest.mark.parametrize("mart", FAULTS)
def test_an_erasure_waits_for_windows_set_aside(
    service: Service, mart: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, own = datetime.now(UTC), service.store.projects.all()[0][1].id
    (hers,), (theirs,), (last,) = (events(person, 1, now) for person in (VERA, OTHERS[0], OTHERS[1]))
    service.deliver(lines(*({"type": "event", "payload": payload} for payload in (hers, theirs))))
    insert(service.admin, "errata_raw.error_events", [an_error_event(project_id=77, environment="poison")])
    build_marts(service.warehouse, *ALL_MARTS)
    monkeypatch.setattr(sql, "DIRECTORY", shutil.copytree(sql.DIRECTORY, tmp_path / "warehouse_sql"))
    path = sql.model(mart).path
    good = path.read_text()
    path.write_text(good.replace(*FAULTS[mart]))
    service.deliver(lines({"type": "event", "payload": {**last, "environment": "poison"}}))
    insert(service.admin, "errata_raw.error_events", [an_error_event(project_id=77, environment="poison")])
    build_marts(service.warehouse, *ALL_MARTS)
    assert {one.project_id for one in standing(service.admin, mart)} == {own, 77}

    service.erase(event=hers["event_id"])
    service.carry_out()
    service.rebuild()
    # Figures of both projects are those of before.
    assert counted(service, mart) == {own: 2, 77: 1}
    assert service.receipts()[0]["state"] == "waiting_for_windows"
    waiting = {one["mart"] for one in service.receipts()[0]["marts"] if one["set_aside_count"]}
    assert waiting == set(ALL_MARTS[ALL_MARTS.index(mart) : ALL_MARTS.index("issues") + 1]) - OF_OTHERS[mart]
    (said,) = service.rebuild()
    assert said.endswith(f"waiting for windows that failed to build: 1 of {mart}")
    builder = service.warehouse.client(Role.BUILD)
    assert not is_due(builder)

    path.write_text(good)
    let_set_aside_be_due(service.admin)
    build_marts(service.warehouse, *ALL_MARTS)
    assert is_due(builder)
    builder.close()
    service.rebuild()
    assert service.verify().startswith("verified")
    assert counted(service, mart) == {own: 2, 77: 2}
    assert service.in_files(VERA.texts) == set()
    assert_exact(service)


# Marts of events that are not made of it.
OF_OTHERS = {
    "variant_hourly": {"repeated_events"},
    "variant_totals": {"variant_releases"},
}


def counted(service: Service, mart: str) -> dict[int, int]:
    builder = service.warehouse.client(Role.BUILD)
    condition = "period = 'all'" if mart == "variant_totals" else "true"
    rows = builder.rows(
        f"select project_id, sum(event_count) as count from errata_mart.{mart} "
        f"where {condition} group by project_id"
    )
    builder.close()
    return {row["project_id"]: row["count"] for row in rows}


class Killed(BaseException):
    """As a process ends: nothing after it runs."""


class Dying:
    """A warehouse whose process is killed after its statement number `most`."""

    def __init__(self, warehouse: Warehouse, most: int) -> None:
        self._warehouse = warehouse
        self._left = most

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._warehouse, name)
        if name not in ("execute", "insert_json_lines", "insert_rows"):
            return real

        def call(*arguments: Any, **options: Any) -> Any:
            self._left -= 1
            if self._left == 0:
                real(*arguments, **options)
            if self._left <= 0:
                # Heartbeats of a lease end with their process, too.
                is_main = threading.current_thread() is threading.main_thread()
                raise Killed if is_main else WarehouseUnavailable("nowhere", "killed")
            return real(*arguments, **options)

        return call
