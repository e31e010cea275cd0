from datetime import UTC, datetime

import pytest

from dashboards.shared.budget_words import figure, measure, place, reason
from dashboards.shared.form import Form
from dashboards.shared.limit_form import LimitFields, limit_from, measured_from, written
from errata.budgets.history import History
from errata.budgets.limit import Limit
from errata.budgets.metric import METRICS
from errata.budgets.state import Evaluation, State
from errata.errors import InvalidParameter
from errata.performance.metric import Unit


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


@pytest.mark.parametrize("text", ["", "much", "nan", "1e999", "-1"])
def test_a_threshold_that_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidParameter):
        limit_from(typed(threshold=text))


def test_what_the_form_hides_for_a_metric_is_not_meant() -> None:
    limit = measured_from(typed(metric="call_error_ratio", device="mobile", statistic="p95"))
    assert (limit.statistic, limit.device) == ("ratio", "")


def test_a_new_budget_says_when_it_is_judged_at_the_earliest() -> None:
    at = datetime(2026, 11, 8, 9, tzinfo=UTC)
    windows = [Evaluation(at, 71, 900.0, State.KEPT)]
    history = History(windows, datetime.now(UTC))
    limit = Limit("load_ms", "p75", 1000.0)
    assert reason(history, limit) == "three of four windows must agree, at the earliest 8 Nov, 11:00 UTC"
    few = History([Evaluation(at, 7, 900.0, State.UNKNOWN)], datetime.now(UTC))
    assert reason(few, limit) == "too few samples"


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
