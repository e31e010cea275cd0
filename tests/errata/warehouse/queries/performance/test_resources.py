"""Which resources are worth naming."""

from errata.warehouse.client import Row
from errata.warehouse.queries.performance.resources import Choice, told_of


def a_file(place: int, delay_ms: float, blocking: int) -> Row:
    names = ("views", "loads", "cached", "sized", "errors", "transferred", "body", "decoded", "spent_ms")
    return {
        **dict.fromkeys(names, 10),
        "resource_type": "script",
        "resource_url": f"/{place}.js",
        "resource_host": "shop.example",
        "blocking": blocking,
        "delay_ms": delay_ms,
        "percentiles": [1.0, 2.0, 3.0],
        "url_count": 3,
        "place": place,
        "blocking_place": place if blocking else 0,
    }


def test_a_blocking_file_that_costs_under_a_millisecond_is_not_named() -> None:
    # Mean delays of 50 ms, 1 ms and 0.9 ms; the last file blocks nothing.
    rows = [a_file(1, 500, 10), a_file(2, 10, 10), a_file(3, 9, 10), a_file(4, 0, 0)]
    told = told_of(rows, Choice(urls=4, blocking=4))
    assert [(row.url, row.delay_ms) for row in told.blocking] == [("/1.js", 50.0), ("/2.js", 1.0)]
    assert len(told.urls) == 4
