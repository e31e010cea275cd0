from collections.abc import Sequence
from dataclasses import fields
from datetime import UTC, date, datetime, timedelta
from typing import Any

from dashboards.delivery.byte_bars import NARROWEST_HOLE, WIDTH, Piece, byte_bar
from dashboards.shared.delivery_verdict import verdict
from errata.warehouse.queries.delivery.ledger import FileRow, HostRow, State
from errata.warehouse.queries.delivery.usage import Refusal

NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def a_host(**values: Any) -> HostRow:
    counts: dict[str, Any] = dict.fromkeys((field.name for field in fields(HostRow)), 0)
    whole = {
        "host": "web-1",
        "file_count": 1,
        "written_bytes": 9,
        "delivered_bytes": 9,
        "last_received_at": NOW,
        "lags": (),
    }
    return HostRow(**{**counts, **whole, **values})


def a_file(**values: Any) -> FileRow:
    counts: dict[str, Any] = dict.fromkeys(FileRow.__slots__, 0)
    whole = {
        "day": date(2026, 11, 21),
        "written_bytes": 1000,
        "delivered_until": 1000,
        "gaps": [],
        "is_cut_off": False,
        "last_received_at": NOW,
    }
    return FileRow(**{**counts, **whole, **values})


def title_of(*hosts: HostRow, refused: Sequence[Refusal] = ()) -> tuple[str, str]:
    found = verdict(hosts, refused, NOW, "14 days")
    return found.kind, found.title


def test_the_verdict_says_what_is_missing_and_where() -> None:
    assert title_of(a_host()) == ("good", "All reported data has arrived")
    holes = a_host(host="web-2", gap_count=3, missing_bytes=12_000)
    assert title_of(a_host(), holes) == ("bad", "3 gaps, 12 KB missing on web-2")
    ends = [a_host(host=f"api-{number}", cut_off_count=1, missing_bytes=500) for number in range(3)]
    assert title_of(holes, *ends) == (
        "bad",
        "3 gaps and 3 cut-off ends, 13.5 KB missing on web-2, api-0 and 2 others",
    )


def test_a_lag_is_no_loss_and_a_host_that_stopped_is_no_good_sign() -> None:
    live = a_host(waiting_bytes=400)
    assert title_of(live) == (
        "good",
        "All reported data has arrived, except 400 B in transit",
    )
    stopped = a_host(host="web-3", waiting_bytes=800, last_received_at=NOW - timedelta(hours=2))
    assert title_of(live, stopped) == ("waiting", "Nothing is missing, but 1.2 KB is waiting on web-3")
    silent = a_host(last_received_at=NOW - timedelta(days=2))
    assert title_of(silent)[0] == "waiting"


def test_silence_of_any_host_is_no_good_sign() -> None:
    silent = a_host(host="web-2", last_received_at=NOW - timedelta(minutes=22))
    said = "All reported data has arrived, and nothing from web-2 since Sat 21 Nov 2026, 11:38 UTC"
    assert title_of(a_host(), silent) == ("quiet", said)


def test_a_host_that_is_silent_for_longer_than_ever_is_to_be_looked_at() -> None:
    at, habit = NOW - timedelta(hours=4), {"heard_hours": 100, "longest_silence_seconds": 2 * 3600}
    kind, title = title_of(a_host(), a_host(host="web-2", last_received_at=at, **habit))
    assert kind == "waiting" and "nothing from web-2 since" in title
    # Nights are its habit, or too little is known of it.
    for habit in ({"heard_hours": 100, "longest_silence_seconds": 9 * 3600}, {"heard_hours": 5}):
        assert title_of(a_host(last_received_at=at, **habit))[0] == "quiet"
    # Weekends are its habit; they would be silence of a host of which little is known.
    at, weekends = NOW - timedelta(hours=40), {"heard_hours": 100, "longest_silence_seconds": 62 * 3600}
    assert title_of(a_host(last_received_at=at, **weekends))[0] == "quiet"
    assert title_of(a_host(last_received_at=at))[0] == "waiting"


def test_what_is_refused_is_never_good() -> None:
    refused = Refusal(NOW, 1, "", "delivery", "invalid_api_key", 3, NOW)
    assert title_of(a_host(), refused=[refused]) == ("waiting", "Data was refused in the last 15 minutes")
    assert title_of(refused=[refused])[0] == "waiting"
    hole = a_host(gap_count=1, missing_bytes=5)
    assert title_of(hole, refused=[refused])[0] == "bad"
    notes = verdict([hole], [refused], NOW, "14 days").notes
    said = "Deliveries with a replaced API key: 3, the latest on Sat 21 Nov 2026, 12:00 UTC."
    assert any(note.startswith(said) for note in notes)


def test_a_file_waits_until_nothing_was_heard_of_it_for_an_hour() -> None:
    assert a_file().state(NOW) is State.COMPLETE
    assert a_file(waiting_bytes=5).state(NOW) is State.DELIVERING
    assert a_file(waiting_bytes=5).state(NOW + timedelta(hours=2)) is State.STALLED
    assert a_file(missing_bytes=5).state(NOW) is State.MISSING


def test_a_bar_shows_delivered_ranges_and_holes_in_their_places() -> None:
    assert byte_bar(a_file()) == [Piece("delivered", 0, WIDTH)]
    bar = byte_bar(a_file(delivered_until=800, waiting_bytes=200, gaps=[(0, 100), (500, 600)]))
    assert bar == [
        Piece("delivered", 100, 400),
        Piece("delivered", 600, 200),
        Piece("waiting", 800, 200),
        Piece("missing", 0, 100),
        Piece("missing", 500, 100),
    ]
    assert byte_bar(a_file(written_bytes=0, delivered_until=0)) == []


def test_the_smallest_hole_is_seen_and_stays_within_the_bar() -> None:
    end = a_file(written_bytes=10**9, delivered_until=10**9 - 1, is_cut_off=True)
    assert byte_bar(end)[-1] == Piece("missing", WIDTH - NARROWEST_HOLE, NARROWEST_HOLE)
