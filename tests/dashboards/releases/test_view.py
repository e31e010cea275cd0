"""What the release pages say and draw, without a warehouse."""

from dataclasses import replace
from datetime import UTC, date, datetime

from dashboards.releases.view import (
    WIDTH,
    analysis_words,
    bar,
    by_page,
    crashes,
    error_word,
    errors,
    figure,
    listed,
    load_word,
    moved,
    p_value,
    scale_of,
    sentence,
)
from errata.reports.release_headline import headline, reasons_sentence
from errata.warehouse.queries.performance.releases import ErrorRates, Interval, ReleaseRow
from tests.cases import each
from tests.dashboards.releases.effects import EFFECT

RELEASE = ReleaseRow(
    release="shop@1.1",
    environment="production",
    previous_release="shop@1.0",
    first_view_at=datetime(2026, 11, 1, tzinfo=UTC),
    last_day=date(2026, 11, 8),
    view_count=900,
    user_count=40,
    load_ms_p50=1200.0,
    load_ms_p75=1800.0,
    load_ms_p95=4000.0,
    lcp_ms_p75=None,
    js_bytes_p50=None,
    api_ms=None,
    error_count=0,
    session_count=0,
    crashed_count=0,
    crash_free=None,
    crash_free_change=None,
    crash_free_users=None,
    crash_free_users_change=None,
    crash_verdict="not_enough_data",
    independent_sessions=0.0,
    new_issues=[],
    regressed_issues=[],
    look_hours=168,
    next_look_at=None,
    verdict="worse",
    moved_mix=[],
    built_through=datetime(2026, 11, 9, tzinfo=UTC),
    as_of=datetime(2026, 11, 9, tzinfo=UTC),
    effects={"load_ms": EFFECT},
)


def test_a_person_reads_one_sentence() -> None:
    assert sentence(RELEASE) == (
        "All else equal, page loads take 20% longer than with shop@1.0 (+12% to +29%): +200 ms at the median."
        " Computed from 900 loads of it by 40 users and 800 before. Loads of the same user or hour are alike:"
        " these 900 count as 300."
    )
    quicker = replace(EFFECT, ratio=Interval(-0.1, -0.2, -0.01), effect=Interval(-100.0, -200.0, -10.0))
    assert sentence(replace(RELEASE, effects={"load_ms": quicker})).startswith(
        "All else equal, page loads take 10% less than with shop@1.0 (−20% to −1%): −100 ms"
    )
    assert "No earlier release" in sentence(replace(RELEASE, previous_release=""))
    assert "Not enough page loads" in sentence(replace(RELEASE, effects={}))


def test_too_little_data_is_no_number() -> None:
    pending = replace(EFFECT, verdict="not_enough_data", ratio=Interval(-0.382, -0.5, 0.1))
    row = replace(RELEASE, verdict="not_enough_data", effects={"load_ms": pending})
    (shown,) = listed([row])
    assert shown.judged is not None and shown.judged.bar is not None
    assert (shown.judged.change, shown.judged.size, shown.judged.size_interval) == ("", "", "")
    assert (shown.word, shown.judged.word) == ("undecided", "undecided")
    assert sentence(row).startswith(
        "It isn't clear yet whether pages are slower or faster than with shop@1.0: the change in load time "
        "lies between −50% and +10%. Computed"
    )
    (nothing,) = listed([replace(row, effects={})])
    assert nothing.word == "not_enough_data"


def test_what_a_verdict_still_takes_is_said() -> None:
    wide = replace(EFFECT, verdict="not_enough_data", ratio=Interval(0.01, -0.09, 0.11), reason="")
    row = replace(RELEASE, verdict="not_enough_data", effects={"load_ms": wide})
    assert sentence(row).endswith(
        " If load time didn't change, about 9,700 more page loads of either release will show it."
    )
    assert 9_600 < row.still_needed < 9_800 and RELEASE.still_needed == 0
    few = replace(row, effects={"load_ms": replace(wide, reason="few_users")})
    assert "more page loads" not in sentence(few) and "More users are needed" in sentence(few)
    wider = replace(row, effects={"load_ms": replace(wide, ratio=Interval(0.01, -0.15, 0.17))})
    assert sentence(wider).endswith(
        " The 20,000 page loads of a release that are compared won't show whether load time stayed the same."
    )
    undecided = replace(RATES, verdict="not_enough_data", ratio=Interval(1.2, 0.9, 1.6))
    assert errors(replace(RELEASE, error_rates=undecided)).endswith(
        " If errors per session didn't change, about 21,000 more sessions of either release will show it."
    )
    assert RATES.still_needed == 0


def test_a_user_who_dominates_and_a_mix_that_moved_are_named() -> None:
    crawled = replace(EFFECT, verdict="not_enough_data", largest_share=0.31, reason="one_user")
    row = replace(
        RELEASE,
        verdict="not_enough_data",
        effects={"load_ms": crawled},
        moved_mix=["browsers", "unended_loads"],
    )
    assert sentence(row).endswith(
        "One user made 31% of all loads. More users are needed, since one user, perhaps a bot, makes up many "
        "of these loads."
    )
    mix, unended = moved(row).split(". ", 1)
    assert mix.startswith("The mix of browsers changed with this release")
    assert unended.startswith("The share of loads that had not finished when reported changed")
    assert moved(RELEASE) == ""


def test_an_interval_is_drawn_on_a_scale_around_nothing() -> None:
    drawn = bar(Interval(0.0, -0.1, 0.1), 0.2)
    assert (drawn.at, drawn.left, drawn.width) == (WIDTH / 2, WIDTH / 4, WIDTH / 2)
    assert bar(Interval(3.0, 2.0, 4.0), 0.2).at == WIDTH


def test_all_effects_share_a_scale_that_holds_the_widest() -> None:
    assert scale_of([EFFECT]) == 0.29
    assert scale_of([]) == 0.1
    assert scale_of([replace(EFFECT, ratio=Interval(1.0, 0.5, 5.0))]) == 1.5


def test_shifts_without_a_ratio_are_told_and_not_drawn() -> None:
    shift = replace(EFFECT, metric="cls", ratio=None, effect=Interval(0.031, 0.01, 0.05))
    (shown,) = by_page([shift])
    assert (shown.bar, shown.change, shown.size_interval) == (None, "+0.03", "+0.01 to +0.05")


def test_a_release_without_anything_comparable_is_listed_all_the_same() -> None:
    (shown,) = listed([replace(RELEASE, effects={})])
    assert shown.judged is None and shown.release.release == "shop@1.1"


@each(
    ("hours", "words"),
    [(0, "verdict pending"), (1, "after 1 hour"), (12, "after 12 hours"), (24, "after 1 day")],
)
def test_looks_have_words(hours: int, words: str) -> None:
    assert analysis_words(hours) == words


def test_units_and_small_p_values() -> None:
    assert figure("js_bytes", -1500, is_signed=True) == "−1.5 KB"
    assert (p_value(None), p_value(0.0004), p_value(0.04)) == ("–", "<0.001", "0.040")


RATES = ErrorRates(
    unit="session",
    rate=0.036,
    before_rate=0.02,
    count=180,
    before_count=100,
    independent_count=120.0,
    largest_share=0.02,
    ratio=Interval(1.8, 1.2, 2.6),
    verdict="worse",
    reason="",
)
UNCHANGED = replace(RELEASE, verdict="no_change", error_rates=RATES)


def test_more_errors_make_a_release_worse_beside_an_unchanged_load_time() -> None:
    assert headline(UNCHANGED) == "Worse: errors per session 1.8 times (1.2 to 2.6); load time unchanged"
    assert reasons_sentence(UNCHANGED).startswith("Errors per session 1.8 times")
    (shown,) = listed([UNCHANGED])
    assert (shown.word, shown.error_change, shown.error_range) == ("worse", "1.8", "1.2 to 2.6")
    assert errors(UNCHANGED) == (
        "Errors per session: 1.8 times (1.2 to 2.6) those of shop@1.0, at the same times of the week. "
        "180 errors, 36 per 1,000 sessions, and 100 before, 20 per 1,000 sessions. "
        "Errors of the same user or hour are alike: these 180 count as 120."
    )
    assert (load_word(UNCHANGED), error_word(UNCHANGED)) == ("no_change", "worse")


def test_what_got_worse_is_named_before_what_got_better() -> None:
    fewer = replace(RATES, verdict="better", ratio=Interval(0.5, 0.31, 0.8))
    row = replace(RELEASE, error_rates=fewer)
    assert (
        headline(row) == "Worse: load time +20% (+12% to +29%); errors per session 0.50 times (0.31 to 0.80)"
    )
    assert headline(replace(row, effects={}, verdict="not_enough_data")).startswith("Better: errors per")


def test_undecided_errors_are_a_range_and_their_user_is_told() -> None:
    loop = replace(
        RATES, unit="load", verdict="not_enough_data", reason="one_user", largest_share=0.63, rate=0.0021
    )
    row = replace(RELEASE, effects={}, verdict="not_enough_data", error_rates=loop)
    assert errors(row).startswith(
        "It isn't clear yet whether errors per page load changed: 1.2 to 2.6 times those of shop@1.0"
    )
    assert "180 errors, 2.1 per 1,000 page loads" in errors(row) and "no sessions are sent" in errors(row)
    assert "One user had 63% of all errors. Not enough data" in errors(row)
    (shown,) = listed([row])
    assert (shown.word, shown.error_change, error_word(row)) == ("undecided", "", "undecided")
    assert errors(RELEASE) == "" and reasons_sentence(replace(RELEASE, effects={})) == ""


def test_an_interval_that_excludes_nothing_is_not_enough_data() -> None:
    boundless = replace(RATES, verdict="not_enough_data", ratio=Interval(1.0, 0.001, 5000.0))
    row = replace(RELEASE, effects={}, verdict="not_enough_data", error_rates=boundless)
    (shown,) = listed([row])
    assert shown.error_range == "not enough data"
    assert errors(row).startswith("It isn't clear yet whether errors per session changed, at the same times")


def test_crash_free_users_are_no_verdict_as_no_hours_of_theirs_are_matched() -> None:
    change, users = Interval(-0.02, -0.03, -0.01), Interval(-0.1, -0.2, 0.0)
    assert crashes(RELEASE) == ""
    sessions = "Crash-free sessions vs shop@1.0, at the same hours of the week: −2 points (−3 to −1)."
    assert crashes(replace(RELEASE, crash_free_change=change)) == sessions
    assert crashes(replace(RELEASE, crash_free_change=change, crash_free_users_change=users)) == (
        f"{sessions} Crash-free users: −10 points (−20 to 0) between the full lifetimes of the releases, "
        f"which isn't a verdict: the longer a release runs, the more of its users hit a crash."
    )
