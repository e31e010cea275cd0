from dashboards.issues.sparklines import HEIGHT, sparkline


def test_the_highest_bar_fills_the_height_and_the_smallest_can_be_seen() -> None:
    shown = sparkline([0, 1, 1000], "3 hours")
    assert shown.path.count("M") == 2
    assert f"v-{HEIGHT - 1:.1f}" in shown.path
    assert "v-2.0" in shown.path
    assert shown.words == "1,001 events in 3 hours, peak 1,000 per bar"


def test_no_events_are_told_in_words() -> None:
    assert sparkline([0, 0], "14 days").words == "No events in 14 days"
    assert sparkline([], "14 days").path == ""
