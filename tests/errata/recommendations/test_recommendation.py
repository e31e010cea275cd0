"""Rules say what was measured, of what enough page loads speak for; what saves most comes first."""

from dataclasses import replace

from errata.recommendations.recommendation import FEWEST_LOADS, Rule, recommendations
from errata.warehouse.queries.performance import NAVIGATE, PageRow, Percentiles
from errata.warehouse.queries.resources import OTHERS, ResourceRow

GOOD = Percentiles(100, 200, 300)
PAGE = PageRow(
    "/cart", NAVIGATE, 50, GOOD, GOOD, GOOD, GOOD, GOOD, Percentiles(0, 0.05, 0.1), GOOD, 50, 40, 10, None
)
FILE = ResourceRow("script", "/a.js", "", 50, 50, 0, 50, 0, 0, 500_000, 9_000, 30_000, GOOD, 80, None)


def test_nothing_is_recommended_where_everything_is_good() -> None:
    assert recommendations([PAGE], [FILE], [FILE]) == []


def test_each_rule_finds_what_it_is_about_and_nothing_else() -> None:
    slow = replace(
        PAGE,
        ttfb_ms=Percentiles(500, 900, 1000),
        lcp_ms=Percentiles(2000, 3000, 4000),
        cls=Percentiles(0, 0.3, 0.4),
    )
    blocking = replace(FILE, delay_ms=150.0, blocking_count=40)
    plain = replace(FILE, url="/plain.js", body_bytes=30_000.0)
    picture = replace(FILE, type="image", url="/a.png", body_bytes=350_000.0, decoded_bytes=350_000.0)
    call = replace(FILE, type="api", url="/api/stock/{id}", resource_count=300, avg_ms=20.0)
    scripts = replace(FILE, url="", resource_count=500, sized_count=500, body_bytes=90_000.0)
    many = replace(FILE, type="image", url="", resource_count=5_000)
    found = recommendations([slow], [scripts, many], [blocking, plain, picture, call])
    told = {each.rule: (each.subject, each.load_count, each.saved_ms, each.saved_bytes) for each in found}
    assert told == {
        Rule.SLOW_FIRST_BYTE: ("/cart", 50, 100, None),
        Rule.LATE_LCP: ("/cart", 50, 500, None),
        Rule.LAYOUT_SHIFT: ("/cart", 50, None, None),
        Rule.RENDER_BLOCKING: ("/a.js", 40, 150.0, None),
        Rule.UNCOMPRESSED: ("/plain.js", 50, None, 19_500.0),
        Rule.LARGE_IMAGE: ("/a.png", 50, None, 150_000.0),
        Rule.REPEATED_CALLS: ("/api/stock/{id}", 50, 100.0, None),
        Rule.LARGE_SCRIPTS: ("", 50, None, 500_000.0),
        Rule.MANY_REQUESTS: ("", 50, None, None),
    }
    assert [each.rule for each in found[:3]] == [
        Rule.LATE_LCP,
        Rule.RENDER_BLOCKING,
        Rule.REPEATED_CALLS,
    ]


def test_few_loads_and_gathered_urls_say_nothing() -> None:
    slow = replace(PAGE, view_count=FEWEST_LOADS - 1, ttfb_ms=Percentiles(900, 900, 900))
    others = replace(FILE, url=OTHERS, delay_ms=900.0, blocking_count=500)
    restored = replace(PAGE, navigation_type="back-forward-cache", ttfb_ms=Percentiles(900, 900, 900))
    assert recommendations([slow, restored], [], [others]) == []
