"""Rules over page loads built for them: each says what was measured at p75, of whom, and shows one load."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from errata.performance.causes import Cause, LoadCause
from errata.performance.metric import SHOWN
from errata.recommendations.ranking import FEWEST_LOADS, Observed, recommendations
from errata.recommendations.recommendation import Recommendation, Rule
from errata.recommendations.third_party import covered, site
from errata.warehouse.queries.performance.endpoints import EndpointRow
from errata.warehouse.queries.performance.loaded_file import LoadedFile
from errata.warehouse.queries.performance.page_views import NAVIGATE, PageRow, Percentiles
from errata.warehouse.queries.performance.sampled_loads import PageLoad, SampledLoads
from tests.cases import each

GOOD = Percentiles(100, 200, 300)
MEASURED = {metric.name: GOOD for metric in SHOWN} | {"cls": Percentiles(0, 0.05, 0.1)}
PAGE = PageRow("/cart", NAVIGATE, 50, MEASURED, 50, 40, 10, {})
SHOP = "https://shop.example"
FILE = LoadedFile(
    "script", "script", f"{SHOP}/a.js", "shop.example", 200, 50, 9_300, 9_000, 30_000, False, False
)
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)


def a_load(number: int, *files: LoadedFile, **measured: Any) -> PageLoad:
    load = PageLoad(
        f"{number:016x}",
        NOW + timedelta(minutes=number),
        "/cart",
        f"{SHOP}/cart",
        1 + number % 10,
        load_ms=800,
        ttfb_ms=100,
        fcp_ms=300,
        lcp_ms=400,
        lcp_url=f"{SHOP}/hero.avif",
        cls=0.01,
        files=list(files),
    )
    return replace(load, **measured)


def measuring(**percentiles: Percentiles) -> PageRow:
    return replace(PAGE, percentiles={**PAGE.percentiles, **percentiles})


def told(loads: Sequence[PageLoad], one_of: int = 1, pages: Sequence[PageRow] = ()) -> list[Recommendation]:
    return recommendations(Observed(list(pages), SampledLoads(list(loads), one_of)))


def only(found: list[Recommendation], rule: Rule) -> Recommendation:
    assert [each.rule for each in found] == [rule]
    return found[0]


def test_nothing_is_recommended_where_everything_is_good() -> None:
    assert told([a_load(n, FILE) for n in range(50)], pages=[PAGE]) == []


def test_savings_are_at_p75_of_the_loads_concerned_and_the_load_nearest_to_it_shows_them() -> None:
    # 0, 10, … 400 ms before a first paint that comes late.
    held = [
        a_load(n, replace(FILE, offset_ms=0, duration_ms=10.0 * n, is_render_blocking=True), fcp_ms=900)
        for n in range(41)
    ]
    found = only(told([*held, a_load(99, FILE)]), Rule.RENDER_BLOCKING)
    assert (found.subject, found.load_count, found.user_count) == (FILE.url, 41, 10)
    assert found.saved_ms == pytest.approx(300)
    assert found.example is not None
    assert (found.example.view_id, found.example.url) == (f"{30:016x}", FILE.url)
    assert "300 ms" in found.evidence


BUILT = {
    Rule.UNCOMPRESSED: (replace(FILE, body_bytes=30_000), None, 19_500),
    Rule.LARGE_IMAGE: (replace(FILE, type="image", body_bytes=350_000, decoded_bytes=350_000), None, 150_000),
    Rule.LARGE_SCRIPTS: (replace(FILE, body_bytes=900_000, decoded_bytes=3_000_000), None, 500_000),
}


@each("rule", BUILT)
def test_files_too_large_are_told_with_their_bytes(rule: Rule) -> None:
    file, saved_ms, saved_bytes = BUILT[rule]
    found = only(told([a_load(n, file) for n in range(20)]), rule)
    assert (found.saved_ms, found.saved_bytes, found.load_count) == (saved_ms, saved_bytes, 20)


def test_calls_for_one_thing_of_many_are_one_endpoint_and_many_files_are_requests() -> None:
    calls = [
        replace(FILE, type="api", url=f"{SHOP}/api/stock/{n}", offset_ms=900, duration_ms=20)
        for n in range(6)
    ]
    found = only(told([a_load(n, *calls) for n in range(20)]), Rule.REPEATED_CALLS)
    assert found.subject == "shop.example/api/stock/{id}"
    assert found.saved_ms == pytest.approx(100)
    files = [replace(FILE, type="image", url=f"{SHOP}/{n}.avif") for n in range(81)]
    requests = only(told([a_load(n, *files) for n in range(20)]), Rule.MANY_REQUESTS)
    assert "81 requests" in requests.evidence and requests.subject == "/cart"


def test_a_preload_is_in_vain_where_its_file_is_fetched_again_in_the_same_load() -> None:
    """As Chromium tells it of a font preloaded without crossorigin: a link's entry, and one of css."""
    font = replace(FILE, type="font", initiator="link", url=f"{SHOP}/b.woff2", transfer_bytes=20_300)
    again = replace(font, initiator="css", offset_ms=290)
    found = only(told([a_load(n, font, again) for n in range(20)]), Rule.UNUSED_PRELOAD)
    assert (found.subject, found.saved_bytes) == (font.url, 20_300)
    assert "90.0 ms later" in found.evidence
    # One entry: used, or never asked for; nobody can tell. From the cache: the preload did its work.
    for files in ((font,), (font, replace(again, transfer_bytes=0, is_cached=True))):
        assert told([a_load(n, *files) for n in range(20)]) == []


def test_a_third_party_costs_what_only_it_loads_before_the_load_event() -> None:
    chat = replace(
        FILE,
        url="https://widgets.partner.test/chat.js",
        host="widgets.partner.test",
        offset_ms=150,
        duration_ms=500,
        transfer_bytes=0,
        body_bytes=0,
        decoded_bytes=0,
    )
    found = only(told([a_load(n, FILE, chat) for n in range(20)]), Rule.THIRD_PARTY)
    # 150 to 650 ms, but own files loaded from 200 to 250.
    assert (found.subject, found.saved_ms, found.saved_bytes) == ("widgets.partner.test", 450, None)
    assert "some sizes unknown" in found.evidence
    own = replace(chat, host="cdn.shop.example")
    assert told([a_load(n, FILE, own) for n in range(20)]) == []
    blocking = replace(chat, is_render_blocking=True, duration_ms=900)
    rules = {each.rule: each for each in told([a_load(n, blocking) for n in range(20)])}
    assert "150 ms of it blocks the first paint" in rules[Rule.THIRD_PARTY].evidence


def test_a_slow_endpoint_is_told_where_the_page_waits_for_it_alone() -> None:
    slow = replace(FILE, type="api", url=f"{SHOP}/api/quotes/7", offset_ms=700, duration_ms=2300)
    quick = replace(slow, url=f"{SHOP}/api/cart", duration_ms=900)
    later = replace(slow, url=f"{SHOP}/api/later", offset_ms=5000, duration_ms=4000)
    loads = [a_load(n, slow, quick, later) for n in range(20)]
    asked = EndpointRow(90, 90, 0, 0, 2, 2, 2350.0, 2, "page", "GET", "/api/quotes/{id}", "shop.example", "")
    served = replace(asked, route="/api/quotes/:ref", host="", p75_ms=2100.0)
    observed = Observed([], SampledLoads(loads), [asked], [served, replace(served, method="POST")])
    found = only(recommendations(observed), Rule.SLOW_ENDPOINT)
    # It stands after 3,000 ms; with a quick answer after 1,600, when the cart's comes.
    assert (found.subject, found.page, found.saved_ms) == ("shop.example/api/quotes/{id}", "/cart", 1400)
    assert "(76.7%)" in found.evidence and "2.35 s" in found.evidence and "2.10 s" in found.evidence
    assert told([a_load(n, quick, later) for n in range(20)]) == []


def test_vitals_of_pages_are_those_of_the_whole_period_with_a_load_that_was_looked_at() -> None:
    slow = measuring(
        ttfb_ms=Percentiles(500, 900, 1000),
        lcp_ms=Percentiles(2000, 3000, 4000),
        cls=Percentiles(0, 0.3, 0.4),
    )
    loads = [a_load(n, lcp_ms=2900 + 50 * n, ttfb_ms=900, cls=0.3) for n in range(4)]
    found = {each.rule: each for each in told(loads, pages=[slow])}
    assert {rule: (each.load_count, each.saved_ms, each.user_count) for rule, each in found.items()} == {
        Rule.SLOW_FIRST_BYTE: (50, 100, 4),
        Rule.LATE_LCP: (50, 500, 4),
        Rule.LAYOUT_SHIFT: (50, None, 4),
    }
    shown = found[Rule.LATE_LCP].example
    assert shown is not None and (shown.view_id, shown.url) == (f"{2:016x}", f"{SHOP}/hero.avif")
    assert all(each.example is None and each.user_count is None for each in told([], pages=[slow]))


def interaction(value: float, processing_ms: float, **changed: Any) -> LoadCause:
    parts = {
        "input_delay_ms": 4,
        "processing_ms": processing_ms,
        "presentation_ms": value - processing_ms - 4,
    }
    cause = LoadCause(
        Cause.INP,
        "main > form > button#buy",
        "",
        "BUTTON#buy.onclick",
        f"{SHOP}/cart.js",
        "addToCart",
        value,
        value > 200,
        parts,
    )
    return replace(cause, **changed)


def test_a_slow_handler_is_told_with_its_share_of_inp_and_of_users() -> None:
    slow = [a_load(n, causes={Cause.INP: interaction(300 + n, 180 + n)}) for n in range(21)]
    # Those who waited for nothing, and those whose frame was not sent.
    quick = [a_load(30 + n, causes={Cause.INP: interaction(40, 20, invoker="A.onclick")}) for n in range(20)]
    untold = [a_load(60 + n, causes={Cause.INP: interaction(500, 0, parts={})}) for n in range(20)]
    found = only(told([*slow, *quick, *untold]), Rule.SLOW_HANDLER)
    assert (found.subject, found.page) == ("BUTTON#buy.onclick in cart.js, function addToCart", "/cart")
    assert (found.load_count, found.user_count, found.saved_ms) == (21, 10, 115)
    # Ten users are too few to tell a share of them.
    assert "195 ms of an INP of 315 ms (p75 of 21 loads), for 34.4% of the loads" in found.evidence
    many = [replace(load, user_hash=100 + n) for n, load in enumerate([*slow, *quick, *untold])]
    assert "34.4% of the identified users" in only(told(many), Rule.SLOW_HANDLER).evidence
    assert told(slow[:19]) == [] and told(untold) == []


def test_a_vital_of_a_page_names_the_element_of_most_slow_loads_and_its_largest_part() -> None:
    slow = measuring(inp_ms=Percentiles(100, 320, 400), lcp_ms=Percentiles(2000, 3000, 4000))
    parts = {"ttfb_ms": 300, "load_delay_ms": 1900, "load_duration_ms": 500, "render_delay_ms": 300}
    hero = LoadCause(Cause.LCP, "main > div > img.hero", f"{SHOP}/hero.avif", "", "", "", 3000, True, parts)
    other = replace(hero, element="main > h1", url="")
    loads = [
        a_load(n, causes={Cause.LCP: hero if n % 4 else other, Cause.INP: interaction(320, 100)})
        for n in range(40)
    ]
    found = {each.rule: each for each in told(loads, pages=[slow])}
    late, waited = found[Rule.LATE_LCP], found[Rule.SLOW_INTERACTION]
    assert "In 75% of the loads above that, it is div > img.hero, mostly by the delay before" in late.evidence
    assert "(1.90 s at p75)" in late.evidence
    assert (waited.saved_ms, waited.load_count) == (120, 50)
    assert "In 100% of the loads above that, it is form > button#buy" in waited.evidence
    few = {each.rule: each for each in told(loads[:19], pages=[slow])}
    assert "In " not in few[Rule.LATE_LCP].evidence


def test_few_loads_say_nothing_and_a_share_stands_for_all() -> None:
    plain = replace(FILE, body_bytes=30_000)
    assert told([a_load(n, plain) for n in range(FEWEST_LOADS - 1)]) == []
    found = only(told([a_load(n, plain) for n in range(FEWEST_LOADS)], one_of=8), Rule.UNCOMPRESSED)
    assert (found.load_count, found.user_count) == (8 * FEWEST_LOADS, 10)
    slow = measuring(ttfb_ms=Percentiles(900, 900, 900))
    restored = replace(slow, navigation_type="back-forward-cache")
    assert told([], pages=[replace(slow, view_count=FEWEST_LOADS - 1), restored]) == []


def test_a_site_is_what_one_owner_has() -> None:
    assert site("cdn.shop.example:8443") == site("shop.example") == "shop.example"
    assert site("a.shop.co.uk") == "shop.co.uk" != site("other.co.uk")
    assert site("127.0.0.1:80") == "127.0.0.1" != site("10.0.0.1")
    assert site("localhost") == "localhost" and site("[::1]:8000") == "[::1]"


def test_time_is_covered_once_and_only_until_its_end() -> None:
    assert covered([(0, 10), (5, 20), (30, 40)]) == 30
    assert covered([(0, 10), (5, 20), (30, 40)], 35) == 25
    assert covered([(50, 60)], 35) == 0 and covered([]) == 0
