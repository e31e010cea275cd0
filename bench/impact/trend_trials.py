"""Change points of series of days whose changes are known, beside a t-test, CUSUM and what PyPI offers."""

import sys
from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

from bench.figures import figure
from errata.statistics.change_points import change_points, without_weekdays
from errata.statistics.stratified import Floats
from errata.statistics.weekly_change import STUDENT

DAYS = 182
NEAR = 3
TRIALS = 200
Method = Callable[[Floats], Sequence[int]]


def trend_figures() -> None:
    count = TRIALS // (10 if "--quick" in sys.argv else 1)
    methods: dict[str, Method] = {
        "e_divisive_two_of_three": lambda values: [point.index for point in change_points(values)],
        "t_test_weeks": t_test_weeks,
        "cusum": cusum,
        **_others(),
    }
    for name, method in methods.items():
        for carried in (0.0, 0.3):
            _trial(name, method, carried, count)
    _weekly(count * 10)


def series(generator: np.random.Generator, steps: Sequence[tuple[int, float]], carried: float) -> Floats:
    """Logarithms of a daily p75: 4% of noise from day to day, weekends apart, steps."""
    noise = generator.normal(0, 0.04 * np.sqrt(1 - carried**2), DAYS)
    for day in range(1, DAYS):
        noise[day] += carried * noise[day - 1]
    values = 7.5 + noise - 0.06 * (np.arange(DAYS) % 7 >= 5)
    for day, size in steps:
        values[day:] += size
    steady: Floats = without_weekdays(values, np.arange(DAYS) % 7)
    return steady


def _trial(name: str, method: Method, carried: float, count: int) -> None:
    began = perf_counter()
    alarmed, found, spurious, off = 0, 0, 0, []
    for number in range(count):
        generator = np.random.default_rng([7, number])
        alarmed += bool(method(series(generator, [], carried)))
        days = sorted(generator.choice(np.arange(20, DAYS - 20, 30), 2, replace=False))
        steps = [(int(days[0]), 0.08), (int(days[1]), -0.1)]
        told = list(method(series(generator, steps, carried)))
        for day, _ in steps:
            nearest = min((abs(day - one) for one in told), default=DAYS)
            found += nearest <= NEAR
            off += [nearest] if nearest <= NEAR else []
        spurious += sum(min(abs(day - one) for day, _ in steps) > NEAR for one in told)
    facts = {"method": name, "days": DAYS, "carried": carried, "trials": count}
    figure("series_without_change_alarmed", alarmed / count, "ratio", **facts)
    figure("changes_found", found / count / 2, "ratio", near_days=NEAR, **facts)
    figure("changes_made_up_a_series", spurious / count, "changes", **facts)
    figure("change_days_off", float(np.mean(off)) if off else -1.0, "days", **facts)
    figure("series_ms", (perf_counter() - began) / count / 2 * 1000, "ms", **facts)


def t_test_weeks(values: Floats) -> list[int]:
    """Each week against the one before, at 5%: what a table of weekly changes invites to."""
    found = []
    for day in range(7, DAYS - 6, 7):
        one, other = values[day - 7 : day], values[day : day + 7]
        error = np.sqrt((one.var(ddof=1) + other.var(ddof=1)) / 7)
        # 12 degrees of freedom.
        if abs(other.mean() - one.mean()) > 2.179 * error:
            found.append(day)
    return found


def cusum(values: Floats) -> list[int]:
    """Page's, with the usual allowance of half and limit of five standard deviations, begun again after
    each alarm."""
    found, begun = [], 0
    while begun + 28 < len(values):
        first = values[begun : begun + 21]
        level, spread = first.mean(), first.std(ddof=1)
        upper = lower = 0.0
        since_upper = since_lower = begun + 21
        for day in range(begun + 21, len(values)):
            apart = (values[day] - level) / spread
            upper, since_upper = (upper + apart - 0.5, since_upper) if upper + apart > 0.5 else (0.0, day + 1)
            lower, since_lower = (lower - apart - 0.5, since_lower) if lower - apart > 0.5 else (0.0, day + 1)
            if max(upper, lower) > 5:
                begun = since_upper if upper > lower else since_lower
                found.append(begun)
                break
        else:
            break
    return found


def _others() -> dict[str, Method]:
    """Where they are installed: `pip install ruptures apache-otava`."""
    methods: dict[str, Method] = {}
    try:
        import ruptures
    except ImportError:
        pass
    else:
        penalty = 3 * np.log(DAYS) * 0.04**2
        methods["ruptures_pelt"] = lambda values: (
            ruptures.Pelt(model="l2", min_size=7).fit(values).predict(pen=penalty)[:-1]
        )
    try:
        from otava.analysis import compute_change_points
    except ImportError:
        pass
    else:
        # It takes plain lists alone.
        methods["otava"] = lambda values: [
            point.index for point in compute_change_points(np.exp(values).tolist(), 50, max_pvalue=0.001)[0]
        ]
    return methods


def _weekly(count: int) -> None:
    """A week that is 5% slower: does Student's interval over paired weekdays hold it?"""
    held = 0
    generator = np.random.default_rng(9)
    for _ in range(count):
        ratios = 0.05 + generator.normal(0, 0.04, 7) - generator.normal(0, 0.04, 7)
        half = STUDENT[5] * ratios.std(ddof=1) / np.sqrt(7)
        held += abs(ratios.mean() - 0.05) <= half
    figure("weekly_interval_holds_truth", held / count, "ratio", trials=count)
