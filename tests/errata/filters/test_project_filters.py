"""The filters of a project: what is stored, what is refused, and which item they match."""

import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from errata.errors import InvalidParameter
from errata.filters import FILTERS, NO_FILTERS, ProjectFilters, filters_of
from errata.filters.globs import LONGEST_ENTRY
from errata.filters.inbound_filter import ALL_TYPES, ERRORS, PERFORMANCE
from errata.filters.kinds import __path__ as kinds
from errata.filters.project_filters import MOST_ENTRIES
from tests.cases import each
from tests.errata.filters.test_kinds import CHROME, CRAWLERS

DOCUMENT = Path(__file__).parents[3] / "docs/inbound-filters.md"
TYPES = {ERRORS: "errors", PERFORMANCE: "transactions", ALL_TYPES: "errors, transactions"}
BOT = CRAWLERS[0]
JSON = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(max_size=20),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = (
    *("message", "logentry", "exception", "request", "user", "release", "transaction", "items", "data"),
    *("values", "frames", "stacktrace", "headers", "url", "env", "attributes", "value", "type", "is_segment"),
)
PAYLOADS = some.recursive(
    JSON,
    lambda inner: (
        some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(FIELDS), inner, max_size=6)
    ),
    max_leaves=20,
)


def span(name: str, **attributes: Any) -> dict[str, Any]:
    named = {key.replace("__", "."): {"value": value, "type": "string"} for key, value in attributes.items()}
    return {"name": name, "is_segment": True, "attributes": named}


def reason(item_type: str, payload: dict[str, Any], *kinds: str, **entries: tuple[str, ...]) -> str:
    on = dict.fromkeys(kinds, ()) | {kind.replace("_", "-"): each for kind, each in entries.items()}
    filters = ProjectFilters(on)
    filters.require_understood()
    return filters_of(filters.text).reason(item_type, payload, {})


def test_every_file_of_kinds_is_a_kind_of_its_name() -> None:
    files = {path.stem.replace("_", "-") for path in Path(kinds[0]).glob("*.py")} - {"--init--"}
    assert files == set(FILTERS) and list(FILTERS) == sorted(FILTERS)


def test_the_document_has_what_each_kind_says() -> None:
    rows = [
        line for line in DOCUMENT.read_text().splitlines() if line.startswith("| `") and line.count("|") == 5
    ]
    assert [row for row in rows if "-" in row.split("|")[1] or "localhost" in row.split("|")[1]] == [
        f"| `{each.kind}` | {each.label} | {each.about} | {TYPES[each.item_types]} |"
        for each in FILTERS.values()
    ]
    text = " ".join(DOCUMENT.read_text().split())
    assert f"up to {MOST_ENTRIES} entries of up to {LONGEST_ENTRY} characters" in text


def test_without_filters_nothing_is_stored_or_matched() -> None:
    assert (NO_FILTERS.text, filters_of("").on) == ("", {})
    assert (
        filters_of("").reason("event", {"message": "x", "request": {"headers": {"User-Agent": BOT}}}, {})
        == ""
    )


def test_filters_are_read_back_as_they_were_stored() -> None:
    filters = ProjectFilters({"web-crawlers": (), "error-message": ("*a*", "é")})
    assert filters_of(filters.text).on == {"error-message": ("*a*", "é"), "web-crawlers": ()}
    # Of a version that knew more kinds.
    assert filters_of('{"web-crawlers": [], "of-the-future": ["x"]}').on == {"web-crawlers": ()}


@each(
    ("on", "said"),
    [
        ({"bots": ()}, "bots: no such filter"),
        ({"localhost": ("x",)}, "localhost: this filter takes no entries"),
        ({"error-message": ()}, "error-message: needs at least one entry"),
        ({"error-message": ("a", "**")}, "error-message, entry 2: this pattern matches everything"),
        ({"release-version": ("* *",)}, "release-version, entry 1: this pattern matches everything"),
        ({"error-message": ("a\nb",)}, "error-message, entry 1: a pattern can't contain line breaks"),
        ({"error-message": ("a" * 201,)}, "error-message, entry 1: longer than 200 characters"),
        ({"error-message": ("a",) * 51}, "error-message: 51 entries; the limit is 50"),
        ({"ip-address": ("10.0.0.0/8", "10.0.0.0/33")}, "ip-address, entry 2: neither an IP address nor"),
        ({"ip-address": ("::/0",)}, "ip-address, entry 1: this range holds every address"),
        ({"ip-address": ("shop.example",)}, "ip-address, entry 1: neither an IP address nor a CIDR range"),
    ],
)
def test_every_entry_that_cannot_be_used_is_named(on: dict[str, tuple[str, ...]], said: str) -> None:
    with pytest.raises(InvalidParameter) as refused:
        ProjectFilters({**on, "filtered-transaction": ("*",)}).require_understood()
    assert said in str(refused.value)
    assert "filtered-transaction, entry 1: this pattern matches everything" in str(refused.value)


def test_the_first_filter_that_is_on_is_the_reason() -> None:
    payload = {"message": "x", "request": {"url": "http://localhost/", "headers": {"User-Agent": BOT}}}
    assert reason("event", payload, "web-crawlers") == "web-crawlers"
    assert reason("event", payload, "web-crawlers", "localhost") == "localhost"
    assert reason("event", payload, "legacy-browsers", "browser-extensions") == ""


def test_each_type_has_its_filters() -> None:
    payload = {"message": "x", "transaction": "/healthz", "request": {"headers": {"User-Agent": BOT}}}
    on: tuple[str, ...] = ("filtered-transaction",)
    assert (reason("event", payload, *on), reason("transaction", payload, *on)) == ("", on[0])
    patterns = {"error_message": ("x",)}
    assert (reason("event", payload, **patterns), reason("transaction", payload, **patterns)) == (
        "error-message",
        "",
    )
    assert reason("transaction", payload, "web-crawlers") == "web-crawlers"
    for other in ("session", "sessions", "replay_event", "replay_recording"):
        assert reason(other, payload, *(kind for kind in FILTERS if not FILTERS[kind].entries)) == ""


def test_a_transaction_has_the_release_of_its_trace() -> None:
    filters, trace = ProjectFilters({"release-version": ("shop@1.*",)}), {"trace": {"release": "shop@1.2"}}
    assert filters.reason("transaction", {"transaction": "/"}, trace) == "release-version"
    assert filters.reason("transaction", {"transaction": "/", "release": "shop@2.0"}, trace) == ""
    assert filters.reason("span", {"items": [span("/")]}, trace) == "release-version"


def test_a_container_of_spans_is_filtered_if_all_of_it_matches() -> None:
    checks, page = [span("GET /healthz"), span("GET /ping")], span("/cart")
    assert reason("span", {"items": checks}, "filtered-transaction") == "filtered-transaction"
    assert reason("span", {"items": [*checks, page]}, "filtered-transaction") == ""
    child = {"name": "select", "attributes": {"sentry.segment.name": {"value": "GET /healthz"}}}
    assert reason("span", {"items": [checks[0], child]}, "filtered-transaction") == "filtered-transaction"
    bots = [span("/", user_agent__original=BOT), span("/", user_agent__original=BOT)]
    assert reason("span", {"items": bots}, "web-crawlers") == "web-crawlers"
    assert reason("span", {"items": [*bots, span("/", user_agent__original=CHROME)]}, "web-crawlers") == ""
    local = span("/", url__full="http://localhost:3000/", user__ip_address="10.1.2.3")
    assert reason("span", {"items": [local]}, "localhost") == "localhost"
    assert reason("span", {"items": [local]}, ip_address=("10.0.0.0/8",)) == "ip-address"
    # A call that a page made to this machine is a call of the page.
    call = {"name": "GET", "attributes": {"url.full": {"value": "http://localhost:8000/"}}}
    assert reason("span", {"items": [call]}, "localhost") == ""
    assert reason("span", {"items": []}, "localhost") == ""


@pytest.mark.slow
@given(payload=some.dictionaries(some.sampled_from(FIELDS), PAYLOADS, max_size=6), headers=PAYLOADS)
def test_no_shape_of_a_payload_stops_a_filter(payload: dict[str, Any], headers: Any) -> None:
    named = {"error-message": ("*x*",), "release-version": ("1*",), "ip-address": ("10.0.0.0/8",)}
    filters = ProjectFilters({kind: named.get(kind, ()) for kind in FILTERS})
    for item_type in (*ALL_TYPES, "session"):
        found = filters.reason(item_type, payload, headers if isinstance(headers, dict) else {})
        assert found == "" or item_type in FILTERS[found].item_types


@given(pattern=some.text(max_size=30), text=some.text(max_size=60))
def test_a_pattern_matches_itself_or_is_refused(pattern: str, text: str) -> None:
    filters = ProjectFilters({"error-message": (pattern,)})
    try:
        filters.require_understood()
    except InvalidParameter:
        return
    filters.reason("event", {"message": text}, {})
    if "\\*" not in pattern:
        assert filters.reason("event", {"message": pattern}, {}) == "error-message"


def test_patterns_and_texts_made_to_be_slow_are_not() -> None:
    patterns = tuple(f"{'*a' * 90}{number}*" for number in range(MOST_ENTRIES))
    filters = ProjectFilters({"error-message": patterns})
    filters.require_understood()
    values = [{"type": "a" * (5000 + number), "value": "a" * 100_000} for number in range(MOST_ENTRIES)]
    payload = {"exception": {"values": values}}
    filters.reason("event", payload, {})
    began = time.perf_counter()
    assert filters.reason("event", payload, {}) == ""
    assert time.perf_counter() - began < 0.25
