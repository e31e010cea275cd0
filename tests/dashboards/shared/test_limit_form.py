from dataclasses import replace
from datetime import UTC, datetime

import pytest

from dashboards.shared.budget_words import apart, figure, measure, not_yet, place, reason
from dashboards.shared.form import Form
from dashboards.shared.limit_form import Choices, LimitFields, covered, limit_from, measured_from
from dashboards.shared.threshold import written
from errata.budgets.history import History
from errata.budgets.limit import Limit
from errata.budgets.metric import METRICS
from errata.budgets.reason import Reason
from errata.budgets.state import Evaluation, State
from errata.errors import InvalidParameter
from errata.performance.metric import Unit
from tests.cases import each


def typed(**values: str) -> Form:
    usual = {"metric": "load_ms", "statistic": "p75", "threshold": "2500", "window_hours": "24"}
    return Form({name: [value] for name, value in {**usual, "least_samples": "50", **values}.items()})


@pytest.mark.parametrize(
    ("metric", "text", "kept"),
    [
        ("load_ms", "2,500", 2500.0),
        ("script_bytes", "312.5", 312_500.0),
        ("server_error_ratio", "1.5", 0.015),
        ("cls", "0.1", 0.1),
        ("request_count", "40", 40.0),
    ],
)
def test_a_threshold_is_typed_in_the_unit_people_read(metric: str, text: str, kept: float) -> None:
    limit = limit_from(typed(metric=metric, threshold=text))
    assert limit.threshold == kept
    assert written(kept, METRICS[metric].unit) == text.replace(",", "")
    assert LimitFields.from_limit(limit).threshold == text.replace(",", "")


@each(
    ("metric", "text", "kept"),
    [
        ("load_ms", "1.5 s", 1500.0),
        ("load_ms", "1500 ms", 1500.0),
        ("load_ms", "1,500MS", 1500.0),
        ("load_ms", "2 min", 120_000.0),
        ("script_bytes", "300 KB", 300_000.0),
        ("script_bytes", "0.3 mb", 300_000.0),
        ("call_error_ratio", "2%", 0.02),
    ],
)
def test_a_threshold_may_name_its_unit(metric: str, text: str, kept: float) -> None:
    assert limit_from(typed(metric=metric, threshold=text)).threshold == kept


@each("text", ["", "much", "nan", "1e999", "-1", "1,5", "1,5 s", "300 KB", "2%", "1 2"])
def test_a_threshold_that_is_no_number_of_its_unit_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter, match=r"a time such as 1500, 1500 ms or 1.5 s"):
        limit_from(typed(threshold=text))


def test_a_threshold_out_of_bounds_is_refused_in_the_unit_people_type() -> None:
    with pytest.raises(InvalidParameter, match="a percentage from 0 to 100"):
        limit_from(typed(metric="server_error_ratio", threshold="120%"))


def test_what_the_form_hides_for_a_metric_is_not_meant() -> None:
    limit = measured_from(typed(metric="call_error_ratio", device="mobile", statistic="p95"))
    assert (limit.statistic, limit.device) == ("ratio", "")


def test_a_new_budget_says_when_it_is_judged_at_the_earliest() -> None:
    at = datetime(2026, 11, 8, 9, tzinfo=UTC)
    windows = [Evaluation(at, 71, 71, 900.0, State.KEPT)]
    history = History(windows, datetime.now(UTC))
    limit = Limit("load_ms", "p75", 1000.0)
    assert reason(history, limit) == "three of four windows must agree, at the earliest 8 Nov, 11:00 UTC"
    few = Evaluation(at, 7, 7, 900.0, State.UNKNOWN, doubt=Reason.FEW_SAMPLES)
    assert reason(History([few], datetime.now(UTC)), limit) == "too few samples"


def test_a_budget_that_few_users_decide_says_so() -> None:
    at, limit = datetime(2026, 11, 8, 9, tzinfo=UTC), Limit("load_ms", "p75", 800.0, least_samples=50)
    few = Evaluation(
        at, 412, 38, 900.0, State.UNKNOWN, doubt=Reason.FEW_USERS, at_least=500, largest_ratio=0.15
    )
    assert reason(History([few], datetime.now(UTC)), limit) == (
        "not enough data: 412 samples, 38 independent, at least 50 needed; one user or trace made 15% of them"
    )
    chance = replace(few, independent_count=60, doubt=Reason.WITHIN_CHANCE, largest_ratio=0.05)
    assert reason(History([chance], datetime.now(UTC)), limit) == (
        "not enough data: over the limit by no more than chance (412 samples, 60 independent)"
    )


def test_a_budget_is_said_in_words() -> None:
    limit = Limit("lcp_ms", "p75", 2500, "/checkout/*", "production", "mobile")
    assert (measure(limit), place(limit)) == ("LCP p75", "/checkout/* · production · mobile · over 24 hours")
    errors = Limit("server_error_ratio", "ratio", 0.01)
    assert (measure(errors), place(errors)) == ("API errors", "all endpoints · over 24 hours")
    assert [figure(0.015, Unit.RATIO), figure(312_500, Unit.BYTES), figure(0.1, Unit.SCORE)] == [
        "1.5%",
        "312 KB",
        "0.10",
    ]
    assert [figure(value, Unit.COUNT) for value in (41.5, 30, None)] == ["41.5", "30", "–"]


def test_a_value_just_over_its_limit_never_looks_like_it() -> None:
    assert apart(1500.4, 1500, Unit.MS) == ("1,500.4 ms", "1,500 ms")
    assert apart(1490, 1500, Unit.MS) == ("1.49 s", "1.50 s")
    assert apart(0.100004, 0.1, Unit.SCORE) == ("0.100004", "0.1")
    assert apart(0.0201, 0.02, Unit.RATIO) == ("2.01%", "2%")
    assert apart(1500, 1500, Unit.MS) == ("1.50 s", "1.50 s") and apart(None, 1500, Unit.MS)[0] == "–"


def test_a_state_that_the_latest_window_contradicts_says_so() -> None:
    at = datetime(2026, 11, 8, 9, tzinfo=UTC)
    breached = [Evaluation(at, 71, 71, 1900.0, State.BREACHED, State.BREACHED)]
    now_kept = [*breached, Evaluation(at, 71, 71, 900.0, State.KEPT, State.BREACHED)]
    assert not_yet(History(now_kept, datetime.now(UTC))) == "within budget now, not yet kept"
    assert not_yet(History(breached, datetime.now(UTC))) == not_yet(History([], None)) == ""


@each(
    ("metric", "pattern", "names"),
    [
        ("load_ms", "/products/*", ["/products/{id}", "/products/{id}/reviews"]),
        ("load_ms", "*/reviews", ["/products/{id}/reviews"]),
        ("load_ms", "/cart", ["/cart"]),
        ("load_ms", "/Cart", []),
        ("load_ms", "", ["/products/{id}", "/products/{id}/reviews", "/cart"]),
        ("server_ms", "/orders*", ["POST /orders", "GET /orders/{id}"]),
        ("server_ms", "POST /orders*", ["POST /orders"]),
    ],
)
def test_a_pattern_names_what_it_covers(metric: str, pattern: str, names: list[str]) -> None:
    choices = Choices(
        ["/products/{id}", "/products/{id}/reviews", "/cart"], ["POST /orders", "GET /orders/{id}"]
    )
    assert covered(choices, Limit(metric, "p75", 1000.0, pattern)).names == names
