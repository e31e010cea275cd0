from datetime import UTC, datetime, timedelta

from errata.budgets.history import History
from errata.budgets.limit import Limit
from errata.budgets.samples import Samples, samples
from errata.budgets.state import Evaluation, State

AT = datetime(2026, 11, 8, 9, tzinfo=UTC)


def of_days(limit: Limit, counts: list[int]) -> Samples:
    """Of days that end at the same hour, the latest count last."""
    ends = [AT - timedelta(days=days) for days in range(len(counts))]
    windows = [
        Evaluation(at, 2 * count, count, 900.0, State.UNKNOWN)
        for at, count in zip(reversed(ends), counts, strict=True)
    ]
    found = samples(limit, History(windows, AT))
    assert found is not None
    return found


def test_a_budget_without_enough_samples_names_the_window_that_has_them() -> None:
    few = of_days(Limit("load_ms", "p75", 1000.0, least_samples=50), [100, 5, 6, 7, 8, 9, 10, 11])
    assert few.sentence == (
        "Windows of 24 hours had 5 to 11 independent samples in the last 7 days; "
        "none of 7 reached the minimum of 50."
    )
    assert few.advice == (
        "To get a state, choose a window of 7 days (up to 56 independent samples now), "
        "or lower the minimum to 6."
    )


def test_a_budget_that_no_window_gives_enough_is_told_so() -> None:
    limit = Limit("load_ms", "p75", 1000.0, least_samples=500)
    assert of_days(limit, [3, 4, 5, 6]).advice == "To get a state, lower the minimum to 4."
    assert of_days(limit, [0, 0]).advice == "Too few for any window: check pages, environment and device."


def test_a_budget_with_enough_samples_needs_no_advice() -> None:
    enough = of_days(Limit("load_ms", "p75", 1000.0, least_samples=50), [20, 60, 60, 70])
    assert enough.advice == "" and enough.sentence.endswith("3 of 4 reached the minimum of 50.")
    assert samples(enough.limit, History([], None)) is None
