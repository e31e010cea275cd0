"""Every captured item of every SDK generation becomes rows that the warehouse takes."""

from collections import Counter
from datetime import UTC, datetime
from typing import Any

from api.ingest import row_inserts
from api.ingest.item import Item, Rows
from api.ingest.telemetry import TYPES, rows_of
from errata.warehouse import retention
from errata.warehouse.roles import Role
from tests.captures import GENERATIONS, an_item, browser_items, payloads, truth
from tests.cases import each
from tests.processes import WarehouseProcess

NOW = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


def stored(warehouse: WarehouseProcess, batches: list[Rows]) -> None:
    client = warehouse.client(Role.INGEST)
    tables: Rows = {}
    for rows in batches:
        for table, more in rows.items():
            tables.setdefault(table, []).extend(more)
    for table, rows_of_table in tables.items():
        row_inserts.store(client, table, rows_of_table)
    client.close()


def test_every_captured_item_is_stored_once_however_often_it_is_delivered(
    warehouse: WarehouseProcess,
) -> None:
    items = [item for generation in GENERATIONS for item in browser_items(generation)]
    items += [an_item("transaction", payload) for payload in payloads("python_transactions")]
    items += [
        an_item(sent["headers"]["type"], sent["payload"], headers=sent["headers"])
        for sent in payloads("javascript_items")
    ]
    once = [rows_of(item, NOW) for item in items]
    made: Counter[str] = Counter()
    for rows in once:
        made.update({table: len(found) for table, found in rows.items()})
    for _ in range(2):
        stored(warehouse, [rows_of(item, NOW) for item in items])
    client = warehouse.client(Role.ADMIN)
    for table, count in made.items():
        (counted,) = client.rows(
            f"select count() as rows, uniqExact(project_id, item_id) as ids from {table}"
        )
        assert counted == {"rows": 2 * count, "ids": count}, table
    client.close()
    assert set(made) == {
        "errata_raw.page_views",
        "errata_raw.page_resources",
        "errata_raw.requests",
        "errata_raw.spans",
        "errata_raw.sessions",
        "errata_raw.replay_segments",
    }


@each("item_type", sorted(TYPES))
def test_the_horizon_of_each_type_is_known(item_type: str) -> None:
    assert retention.Retention().horizon_days(item_type) > 0


def test_an_unknown_type_makes_no_rows() -> None:
    assert rows_of(an_item("feedback", {"message": "well done"}), NOW) == {}


def secrets_in(value: Any) -> list[str]:
    texts = value if isinstance(value, list) else [value]
    return [one for one in texts if isinstance(one, str) and ("pl=S" in one or "utm_" in one)]


@each("generation", GENERATIONS)
def test_no_query_string_reaches_a_column(generation: str) -> None:
    for item in browser_items(generation):
        for rows in rows_of(item, NOW).values():
            for row in rows:
                kept = {name: value for name, value in row.items() if name != "payload"}
                assert not any(secrets_in(value) for value in kept.values()), row


ENDINGS = {"js": "script", "css": "style", "woff2": "font"} | dict.fromkeys(
    ("webp", "svg", "ico", "jpg", "png"), "image"
)
# Resources sent, those the browser listed, and those sent alone: what ends after the view's span is not
# sent, and of pages left early the list was read before their last pictures came.
SENT_AND_LISTED = {"v11": (714, 721, 14), "v10": (656, 670, 4), "v9": (138, 142, 0), "v8": (343, 356, 0)}


@each("generation", GENERATIONS)
def test_resources_have_the_browsers_own_numbers(generation: str) -> None:
    sent: dict[int, list[dict[str, Any]]] = {}
    started: dict[int, float] = {}
    for item in browser_items(generation):
        rows = rows_of(item, NOW)
        for row in rows.get("errata_raw.page_resources", []):
            if row["type"] != "api":
                sent.setdefault(row["view_id"], []).append(row)
        started |= {
            row["view_id"]: row["started_at_ms"]
            for row in rows.get("errata_raw.page_views", [])
            if row.get("is_load")
        }
    found = listed = unlisted = 0
    for load in truth():
        if load["sdk"]["major"] != int(generation[1:]):
            continue
        view_id = int(load["pageload_span_id"], 16)
        files = [one for one in load["resources"] if one["initiatorType"] not in CALLS]
        found += len(sent[view_id])
        listed += len(files)
        for row in sent[view_id]:
            begins = row["start_us"] / 1000 - started[view_id]
            same = [one for one in files if named(one, row)]
            if not same:
                unlisted += 1
                continue
            own = min(same, key=lambda one: abs(one["startTime"] - begins))
            assert abs(begins - own["startTime"]) < 1
            assert abs(row["duration_ms"] - (own["responseEnd"] - own["startTime"])) < 1
            sizes = (row["transfer_bytes"], row["body_bytes"], row["decoded_bytes"])
            assert sizes == (own["transferSize"], own["encodedBodySize"], own["decodedBodySize"])
            assert row["is_render_blocking"] == (own["renderBlockingStatus"] == "blocking")
            assert row["is_cached"] == (own["deliveryType"] == "cache")
            assert row["type"] == ENDINGS[row["url"].rpartition(".")[2]]
    assert (found, listed, unlisted) == SENT_AND_LISTED[generation]


CALLS = ("fetch", "xmlhttprequest", "beacon")


PAGE_VIEWS = "errata_raw.page_views"


@each("generation", ["v10", "v9", "v8"])
def test_an_absent_layout_shift_is_none_where_the_browser_saw_none(generation: str) -> None:
    shifted = {load["pageload_span_id"]: load["summary"]["cls"] for load in truth()}
    items = list(browser_items(generation, kinds=("transaction",)))
    absent = [item for item in items if "cls" not in item.payload.get("measurements", {})]
    loads = [item for item in absent if item.payload["contexts"]["trace"]["op"] == "pageload"]
    assert loads
    for item in loads:
        assert rows_of(item, NOW)[PAGE_VIEWS][0]["cls"] == 0 == shifted[span_of(item)]
    # A soft navigation has no vitals.
    assert all("cls" not in rows_of(item, NOW)[PAGE_VIEWS][0] for item in absent if item not in loads)


IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
UNKNOWN = {
    "Firefox": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Safari": IPHONE + "Version/18.0 Mobile/15E148 Safari/604.1",
    "Chrome of iOS": IPHONE + "CriOS/140.0.0.0 Mobile/15E148 Safari/604.1",
    "old Chrome": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/76.0.1 Safari/537.36",
    "none": "",
}


@each("agent", UNKNOWN)
def test_an_absent_layout_shift_is_unknown_where_the_browser_reports_none(agent: str) -> None:
    item = next(one for one in browser_items("v10", kinds=("transaction",)) if unshifted(one))
    (row,) = rows_of(item, NOW)[PAGE_VIEWS]
    assert row["cls"] == 0
    item.payload["request"]["headers"]["User-Agent"] = UNKNOWN[agent]
    assert "cls" not in rows_of(item, NOW)[PAGE_VIEWS][0]


@each("damage", ["not painted", "another SDK", "no number"])
def test_an_absent_layout_shift_is_unknown_where_the_sdk_would_not_send_it(damage: str) -> None:
    item = next(one for one in browser_items("v8", kinds=("transaction",)) if unshifted(one))
    if damage == "not painted":
        del item.payload["measurements"]["fcp"]
    elif damage == "another SDK":
        item.payload["sdk"]["version"] = "11.0.0"
    else:
        item.payload["measurements"]["cls"] = {"value": "much"}
    assert "cls" not in rows_of(item, NOW)[PAGE_VIEWS][0]


def unshifted(item: Item) -> bool:
    payload = item.payload
    return payload["contexts"]["trace"]["op"] == "pageload" and "cls" not in payload.get("measurements", {})


def span_of(item: Item) -> str:
    return str(item.payload["contexts"]["trace"]["span_id"])


def named(listed: dict[str, Any], row: dict[str, Any]) -> bool:
    return bool(listed["name"].partition("?")[0].endswith(row["url"]))
