"""How often verdicts are wrong, how often changes are found, and how often intervals hold the truth."""

import sys
from collections.abc import Iterator
from dataclasses import asdict
from time import perf_counter

import numpy as np

from bench.figures import figure
from errata.statistics.comparison import Comparison, compare
from errata.statistics.discovery import benjamini_hochberg
from errata.statistics.interim_analyses import FALSE_ALARMS, INTERIM_ANALYSES, InterimAnalysis
from errata.statistics.matching import Views
from errata.statistics.verdict import Verdict, verdict
from tests.errata.statistics.traffic import Sides, World, sides

QUICK = "--quick"
RELEASES = 1000
TRIALS = 400
VIEWS = 2000
SHIFTS = (0.0, 0.02, 0.05, 0.1, 0.2)
WORLDS = {
    "usual": World(),
    "gradual rollout": World(is_gradual=True),
    "wide spread": World(spread=0.65, visitor_spread=0.25),
    "shaken hours": World(hour_spread=0.04),
    "independent views": World(visitor_spread=0.0, hour_spread=0.0, mix_shift=0.0),
}
CHANGES = (Verdict.WORSE, Verdict.BETTER)


def release_figures() -> None:
    scale = 10 if QUICK in sys.argv else 1
    _repeated_analyses(RELEASES // scale)
    for name, world in WORLDS.items():
        _known_shifts(name, world, TRIALS // scale)
    _early_looks(TRIALS // scale)
    _pages(100 // scale + 10)


def _repeated_analyses(count: int) -> None:
    """No release changes anything; each is judged at all eight analyses, and one wrong word at any of them
    counts."""
    wrong = naive = last = 0
    for number in range(count):
        pair = sides(np.random.default_rng([1, number]), VIEWS, 0.0)
        found = [
            (analysis, one) for analysis in INTERIM_ANALYSES if (one := _judged(pair, analysis)) is not None
        ]
        words = [verdict(one.bounds) for _, one in found]
        wrong += any(word in CHANGES for word in words)
        naive += any(one.p_value < FALSE_ALARMS for _, one in found)
        last += bool(words) and words[-1] in CHANGES
    facts = {"releases": count, "analyses": len(INTERIM_ANALYSES), "views_a_side": VIEWS}
    figure("release_false_alarms", wrong / count, "ratio", at_most=0.05, **facts)
    figure("release_false_alarms_last_look", last / count, "ratio", **facts)
    figure("release_false_alarms_if_every_look_took_p_below_0.05", naive / count, "ratio", **facts)


def _judged(pair: Sides, analysis: InterimAnalysis) -> Comparison | None:
    until = pair.released + analysis.after.total_seconds()
    return compare(_until(pair.after, until), _until(pair.before, until), z=analysis.z)


def _until(views: Views, moment: float) -> Views:
    return views.where(views.seconds < moment)


def _known_shifts(name: str, world: World, count: int) -> None:
    """At the last analysis, when all is known."""
    for shift in SHIFTS:
        began = perf_counter()
        found = list(_trials(world, shift, count))
        seconds = perf_counter() - began
        words = [verdict(one.bounds) for one in found]
        facts = {"world": name, "shift": shift, "trials": count, "views_a_side": VIEWS}
        held = _share([one.low <= shift <= one.high for one in found])
        figure("interval_holds_truth", held, "ratio", **facts)
        for word in (Verdict.WORSE, Verdict.BETTER, Verdict.NO_CHANGE):
            figure(f"called_{word.value}", words.count(word) / max(1, len(words)), "ratio", **facts)
        error = float(np.median([one.effect - shift for one in found]))
        figure("effect_bias", error, "ratio", **facts)
        figure("comparison_ms", seconds / count * 1000, "ms", **facts, **asdict(world))


def _trials(world: World, shift: float, count: int) -> Iterator[Comparison]:
    for number in range(count):
        pair = sides(np.random.default_rng([2, number]), VIEWS, shift, world=world)
        found = compare(pair.after, pair.before, z=INTERIM_ANALYSES[-1].z)
        if found is not None:
            yield found


def _early_looks(count: int) -> None:
    """300 views a side in six hours, 1,000 in a day: how well the interval of little is kept."""
    for days, views in ((0.25, 300), (1.0, 1000), (2.0, 1000)):
        pairs = (sides(np.random.default_rng([3, number]), views, 0.1, days) for number in range(count))
        found = [one for pair in pairs if (one := compare(pair.after, pair.before)) is not None]
        held = _share([one.low <= 0.1 <= one.high for one in found])
        figure(
            "interval_holds_truth_early", held, "ratio", days=days, views_a_side=views, compared=len(found)
        )


def _pages(count: int) -> None:
    """Twenty pages, four of them a fifth slower: of what is called changed, how much is not."""
    false, total, power = 0.0, 0, 0
    for number in range(count):
        generator = np.random.default_rng([4, number])
        p_values = []
        for page in range(20):
            pair = sides(generator, 600, 0.2 if page < 4 else 0.0)
            one = compare(pair.after, pair.before)
            p_values.append(INTERIM_ANALYSES[-1].spent(one.p_value) if one else 1.0)
        found = [q_value <= FALSE_ALARMS for q_value in benjamini_hochberg(p_values)]
        false += sum(found[4:]) / max(1, sum(found))
        total += 1
        power += sum(found[:4])
    facts = {"releases": count, "pages": 20, "changed": 4, "views_a_side": 600}
    figure("false_discoveries", false / total, "ratio", at_most=0.05, **facts)
    figure("discoveries_of_a_fifth", power / total / 4, "ratio", **facts)


def _share(held: list[bool]) -> float:
    return sum(held) / max(1, len(held))
