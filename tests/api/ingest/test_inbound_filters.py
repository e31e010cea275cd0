"""Inbound filters at the door: accepted, counted and not stored, of one project alone."""

import time
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as some

from api.ingest.batch import FILTERED, Batch, Outcome, take
from api.ingest.country import Countries
from api.ingest.erased import ErasedItems
from api.ingest.item import Item, Line, decode
from errata.filters import ProjectFilters
from errata.state.app_keys import ProjectRoute
from errata.warehouse.client import Warehouse
from tests.api.ingest.conftest import IngestNode
from tests.errata.filters.test_kinds import CHROME, CRAWLERS, LEGACY

BOT = CRAWLERS[0]
SOURCE = "host=web-1; file=errata-2026-11-21.log; id=9f86d081884c7d65; from=0; to={size}; size={size}"


def a_line(payload: dict[str, Any], item_type: str = "event", **more: Any) -> bytes:
    return msgspec.json.encode({"type": item_type, "payload": payload, **more}) + b"\n"


def an_event(message: str, agent: str = CHROME, **more: Any) -> dict[str, Any]:
    request = {"url": "https://shop.example/", "headers": {"User-Agent": agent}}
    return {"event_id": uuid4().hex, "message": message, "request": request, **more}


def a_transaction(name: str, agent: str = CHROME, **more: Any) -> dict[str, Any]:
    now = time.time()
    return {
        "event_id": uuid4().hex,
        "transaction": name,
        "transaction_info": {"source": "route"},
        "start_timestamp": now - 1,
        "timestamp": now,
        "contexts": {"trace": {"trace_id": uuid4().hex, "span_id": uuid4().hex[:16], "op": "http.server"}},
        "request": {"method": "GET", "url": "https://shop.example/", "headers": {"User-Agent": agent}},
        **more,
    }


def turn_on(node: IngestNode, slug: str = "shop", **on: tuple[str, ...]) -> None:
    owner = node.store.keys.api.owner(node.account.api_key)
    assert owner is not None
    filters = ProjectFilters({kind.replace("_", "-"): entries for kind, entries in on.items()})
    node.store.inbound_filters.replace(owner.organization_id, slug, filters, actor="owner")


def outcomes(node: IngestNode) -> dict[tuple[str, str, str], int]:
    """Of what was filtered, once a batch: type, reason and host."""
    rows = node.admin.rows(
        "select item_type, reason, host, sum(item_count) as items from ("
        " select batch_id, item_type, reason, host, project_id, service, max(item_count) as item_count"
        " from errata_raw.outcomes where outcome = 'filtered' group by all) group by all"
    )
    return {(row["item_type"], row["reason"], row["host"]): int(row["items"]) for row in rows}


def test_what_is_filtered_is_accepted_counted_and_not_stored(node: IngestNode) -> None:
    turn_on(
        node,
        web_crawlers=(),
        legacy_browsers=(),
        localhost=(),
        filtered_transaction=(),
        browser_extensions=(),
        error_message=("*ResizeObserver loop*",),
        release_version=("shop@1.*",),
        ip_address=("203.0.113.0/24",),
    )
    local: dict[str, Any] = {"request": {"url": "http://localhost:3000/"}}
    office: dict[str, Any] = {"user": {"ip_address": "203.0.113.7"}}
    kept = [an_event("kept"), an_event("kept too")]
    dropped = [
        *(an_event("boom", BOT), an_event("boom", LEGACY[0]), an_event("boom", **local)),
        *(
            an_event("ResizeObserver loop limit"),
            an_event("boom", release="shop@1.2"),
            an_event("boom", **office),
        ),
        an_event("Extension context invalidated."),
    ]
    kept_call = a_transaction("GET /cart")
    dropped_calls = [
        *(
            a_transaction("GET /healthz"),
            a_transaction("GET /cart", BOT),
            a_transaction("GET /cart", **local),
        ),
        *(a_transaction("GET /cart", release="shop@1.2"), a_transaction("GET /cart", **office)),
    ]
    session = {"sid": uuid4().hex, "status": "ok", "attrs": {"release": "shop@1.2"}}
    lines = [
        *map(a_line, (*kept, *dropped)),
        *(a_line(call, "transaction") for call in (kept_call, *dropped_calls)),
        a_line(session, "session"),
    ]
    body = b"".join(lines)
    for _ in range(2):
        # A shipper that hears no answer sends the same batch again.
        status, answer = node.deliver(
            body, X_Errata_Source=SOURCE.format(size=len(body)), X_Errata_Batch_Id="one"
        )
        assert (status, answer["rejected"], answer["accepted"]) == (200, [], len(lines))
    messages = {row["message"] for row in node.admin.rows("select message from errata_raw.error_events")}
    assert messages == {"kept", "kept too"}
    assert {row["route"] for row in node.admin.rows("select route from errata_raw.requests")} == {"/cart"}
    assert len({row["item_id"] for row in node.admin.rows("select item_id from errata_raw.requests")}) == 1
    assert node.count("errata_raw.sessions") == 2
    variants = {row["title"] for row in node.admin.rows("select distinct title from errata_raw.variants")}
    assert variants == {"kept", "kept too"}
    assert outcomes(node) == {
        **{
            ("event", kind, "web-1"): 1
            for kind in (
                *("web-crawlers", "legacy-browsers", "localhost", "error-message", "release-version"),
                *("ip-address", "browser-extensions"),
            )
        },
        **{
            ("transaction", kind, "web-1"): 1
            for kind in ("filtered-transaction", "web-crawlers", "localhost", "release-version", "ip-address")
        },
    }
    # The ledger: every line is accepted, and no byte is missing.
    key = {"Authorization": f"Bearer {node.account.api_key}"}
    told = node.client.get("/api/projects/shop/delivery?period=14d", headers=key).json()
    assert (told["summary"]["accepted_count"], told["summary"]["missing_bytes"]) == (len(lines), 0)
    counted = {(row["outcome"], row["reason"]): row["item_count"] for row in told["outcomes"]}
    assert counted.pop((FILTERED, "web-crawlers")) == 2
    assert sum(counted.values()) == 10 and {outcome for outcome, _ in counted} == {FILTERED}
    found = node.client.get("/api/projects/shop/delivery/outcomes?period=14d", headers=key).json()["outcomes"]
    web = next(row for row in found if row["reason"] == "web-crawlers")
    assert web["item_types"] == {"event": 1, "transaction": 1}


@pytest.mark.slow
def test_filters_hold_from_the_next_batch_on_and_until_they_are_turned_off(node: IngestNode) -> None:
    states: tuple[dict[str, tuple[str, ...]], ...] = ({}, {"web_crawlers": ()}, {})
    for number, on in enumerate(states):
        turn_on(node, "shop", **on)
        assert node.deliver(a_line(an_event(f"{number}", BOT)))[0] == 200
    rows = node.admin.rows("select message from errata_raw.error_events order by received_at")
    assert [row["message"] for row in rows] == ["0", "2"]
    assert outcomes(node) == {("event", "web-crawlers", ""): 1}


def test_each_project_of_a_batch_has_its_own_filters(node: IngestNode) -> None:
    owner = node.store.keys.api.owner(node.account.api_key)
    assert owner is not None
    other = node.store.projects.create(owner.organization_id, "Other", actor="owner")
    turn_on(node, web_crawlers=())
    turn_on(node, "other", error_message=("boom",))
    status, answer = node.deliver(
        a_line(an_event("boom", BOT))
        + a_line(an_event("boom"))
        + a_line(an_event("boom", BOT), app_key=other.app_key.key)
        + a_line(an_event("fine", BOT), app_key=other.app_key.key)
    )
    assert (status, answer["accepted"]) == (200, 4)
    rows = node.admin.rows("select project_id, message from errata_raw.error_events order by message")
    assert [(row["project_id"] == other.project.id, row["message"]) for row in rows] == [
        (False, "boom"),
        (True, "fine"),
    ]
    rows = node.admin.rows("select project_id, reason from errata_raw.outcomes order by reason desc")
    assert [(row["project_id"] == other.project.id, row["reason"]) for row in rows] == [
        (False, "web-crawlers"),
        (True, "error-message"),
    ]


FILTERS = some.fixed_dictionaries(
    {},
    optional={
        **{
            kind: some.just(())
            for kind in ("web-crawlers", "localhost", "filtered-transaction", "legacy-browsers")
        },
        "error-message": some.sampled_from([("boom",), ("*b*", "fine")]),
        "ip-address": some.just(("203.0.113.0/24",)),
        "release-version": some.just(("shop@1.*",)),
    },
).map(ProjectFilters)
LINES = some.builds(
    lambda item_type, name, agent, release, address: a_line(
        (an_event if item_type == "event" else a_transaction)(name, agent)
        | {"release": release, "user": {"ip_address": address}},
        item_type,
    ),
    some.sampled_from(["event", "transaction"]),
    some.sampled_from(["boom", "fine", "GET /healthz"]),
    some.sampled_from([CHROME, BOT, LEGACY[0]]),
    some.sampled_from(["shop@1.0", "shop@2.0"]),
    some.sampled_from(["203.0.113.9", "198.51.100.9", "127.0.0.1"]),
)
COUNTRIES = Countries()
# Asked for nothing: no erasure is in force.
ERASED = ErasedItems(Warehouse("http://127.0.0.1:9"), lambda project_id: None)


def taken(batch: Batch, lines: list[tuple[int, bytes]], routes: dict[int, ProjectRoute]) -> list[bytes]:
    """The lines of project 2 that would be stored."""
    stored = []
    for project_id, text in lines:
        line = decode(1, text)
        assert isinstance(line, Line)
        item = take(batch, line, routes[project_id], ERASED, COUNTRIES)
        if isinstance(item, Item) and project_id == 2:
            stored.append(text)
    return stored


@given(
    own=FILTERS, others=FILTERS, lines=some.lists(some.tuples(some.sampled_from([1, 2]), LINES), max_size=12)
)
def test_a_filter_of_one_project_never_affects_another(
    own: ProjectFilters, others: ProjectFilters, lines: list[tuple[int, bytes]]
) -> None:
    route = ProjectRoute(2, "own", "", filters=own.text)
    found = []
    for text in (others.text, ""):
        batch = Batch("one", datetime.now(UTC))
        stored = taken(batch, lines, {1: ProjectRoute(1, "others", "", filters=text), 2: route})
        of_own = {key: count for key, count in batch.outcomes.items() if key.project_id == 2}
        found.append((stored, of_own))
        # Every line is stored or counted.
        assert len(stored) + sum(of_own.values()) == sum(project_id == 2 for project_id, _ in lines)
        assert all(key.outcome == FILTERED and key.reason in own.on for key in of_own)
        counted = sum(count for key, count in batch.outcomes.items() if key.project_id == 1)
        assert bool(text) or counted == 0
    assert found[0] == found[1]


def test_an_outcome_without_a_reason_is_counted_as_before() -> None:
    batch = Batch("one", datetime.now(UTC))
    batch.count(1, "", "event", {"other_page": 2})
    batch.count(1, "", "event", {"other_page": 1})
    assert batch.outcomes == {Outcome(1, "", "event", "other_page"): 3}
