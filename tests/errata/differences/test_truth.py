"""Traffic made with a known truth: how often what is found is chance, and how often an interval misses."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from errata.differences.findings import Found, Verdict, found
from errata.differences.traffic import QUARTERS, Pair, Stratum, Traffic, Value
from tests.cases import each
from tests.errata.differences.worlds import ISSUE, WORLDS, events_of_trial, told_of

LEVEL = 0.05
RUNS = 80
TAGS = 12
# Each tag has values of these shares in the rest.
SHARES = (0.45, 0.25, 0.15, 0.1, 0.05)

Source = Mapping[str, int]
Draw = Callable[[Random], Source]


def a_source(random: Random, lifted: Mapping[str, float] = {}) -> Source:
    """One value for each tag; value 4 of a lifted tag is so many times as frequent."""
    source = {}
    for number in range(TAGS):
        tag = f"tag{number}"
        factor = lifted.get(tag, 1.0)
        share = SHARES[4] * factor
        others = [each * (1 - share) / (1 - SHARES[4]) for each in SHARES[:4]]
        source[tag] = random.choices(range(5), [*others, share])[0]
    # A second tag that says the same again, as real ones do.
    source["copy0"] = source["tag0"]
    return source


def bursts(random: Random, count: int) -> tuple[list[Source], int]:
    """Sources in bursts that agree in everything, and the sum of the squares of their sizes."""
    sources: list[Source] = []
    square_sum = 0
    while len(sources) < count:
        size = min(int(random.expovariate(1 / 12)) + 1, count - len(sources))
        sources += [a_source(random)] * size
        square_sum += size * size
    return sources, square_sum


def counted(environments: Mapping[str, tuple[Iterable[Source], Iterable[Source]]]) -> Traffic:
    counts: dict[Stratum, Pair] = {}
    values: dict[tuple[str, str], dict[Stratum, list[int]]] = {}
    for environment, sides in environments.items():
        stratum = Stratum(environment)
        issue, rest = (list(sources) for sources in sides)
        counts[stratum] = (len(issue), len(rest))
        for side, drawn in enumerate((issue, rest)):
            for (tag, value), number in Counter(pair for source in drawn for pair in source.items()).items():
                values.setdefault((tag, str(value)), {}).setdefault(stratum, [0, 0])[side] = number
    return Traffic(
        counts,
        # Each source is its own cluster.
        {(stratum, stratum): pair for stratum, pair in counts.items()},
        [
            Value(tag, value, {stratum: (pair[0], pair[1]) for stratum, pair in own.items()})
            for (tag, value), own in values.items()
        ],
    )


def compared(random: Random, issue: int, rest: int, lifted: Mapping[str, float] = {}) -> Found:
    return found(
        counted(
            {
                "production": (
                    [a_source(random, lifted) for _ in range(issue)],
                    [a_source(random) for _ in range(rest)],
                )
            }
        ),
        LEVEL,
    )


def test_where_nothing_differs_hardly_ever_anything_is_found() -> None:
    random = Random(1)
    runs = [compared(random, random.choice((12, 60, 150)), 400) for _ in range(RUNS)]
    assert {run.verdict for run in runs} == {Verdict.COMPARED, Verdict.TOO_FEW}
    assert all(run.tested_count > 50 for run in runs if run.verdict is Verdict.COMPARED)
    assert sum(bool(run.findings) for run in runs) <= LEVEL * RUNS


@pytest.mark.slow
def test_bursts_that_say_the_same_a_dozen_times_are_not_taken_for_proof() -> None:
    random = Random(2)
    naive = corrected = 0
    for _ in range(30):
        sources, square_sum = bursts(random, 150)
        traffic = counted({"production": (sources, [a_source(random) for _ in range(400)])})
        naive += bool(found(traffic, LEVEL).findings)
        production = Stratum("production")
        clustered = replace(traffic, products={(production, production): (square_sum, 400)})
        corrected += bool(found(clustered, LEVEL).findings)
    assert corrected <= LEVEL * 30
    assert naive > 15


def test_what_differs_is_found_and_little_else_and_the_intervals_hold_the_truth() -> None:
    random = Random(3)
    truth = {"tag0": 6.0, "tag3": 4.0, "tag7": 5.0}
    false_shares, hits, intervals, held = [], 0, 0, 0
    for _ in range(RUNS // 2):
        named = compared(random, 150, 600, truth).findings
        really = [each for each in named if (each.tag in truth or each.tag == "copy0") and each.value == "4"]
        # All other values of such a tag became rarer: to name one as rarer is no error.
        wrong = [
            each for each in named if each.tag not in {*truth, "copy0"} or each.is_more != (each.value == "4")
        ]
        false_shares.append(len(wrong) / len(named) if named else 0.0)
        hits += len({each.tag for each in really} & set(truth))
        for finding in really:
            intervals += 1
            held += finding.interval.low <= truth.get(finding.tag, truth["tag0"]) <= finding.interval.high
    assert sum(false_shares) / len(false_shares) <= LEVEL
    assert hits >= 0.9 * len(truth) * RUNS / 2
    assert held >= (1 - LEVEL) * intervals


def test_another_mix_of_environments_is_not_taken_for_a_difference() -> None:
    random = Random(4)

    def staged(count: int) -> list[Source]:
        return [{**a_source(random), "tag1": 4 if random.random() < 0.9 else 0} for _ in range(count)]

    def produced(count: int) -> list[Source]:
        return [a_source(random) for _ in range(count)]

    found_under_the_mix = 0
    for _ in range(12):
        traffic = counted(
            {"production": (produced(30), produced(500)), "staging": (staged(120), staged(100))}
        )
        found_under_the_mix += bool(found(traffic, LEVEL).findings)
        pooled = traffic.joined(Stratum.without_environment)
        assert any(each.tag == "tag1" for each in found(pooled, LEVEL).findings)
    assert found_under_the_mix <= 1


def test_values_that_belong_to_an_hour_of_the_week_are_compared_with_that_hour() -> None:
    """By day all have the one device and by night the other; the issue occurs by night."""
    day, night = Stratum("production", 1), Stratum("production", 3)
    counts = {day: (10, 400), night: (90, 100)}
    values = [Value("device", "phone", {night: (90, 100)}), Value("device", "desk", {day: (10, 400)})]
    traffic = Traffic(counts, {(each, each): counts[each] for each in counts}, values)
    assert found(traffic, LEVEL).findings == ()
    assert found(traffic.joined(Stratum.without_time), LEVEL).findings


def test_a_cluster_whose_sources_lie_in_several_strata_is_still_one() -> None:
    """Three visitors of ten events in each of four parts of the week tell as much as three."""
    parts = [Stratum("production", part) for part in range(4)]
    traffic = Traffic(
        dict.fromkeys(parts, (30, 100)),
        {(one, other): (3 * 10 * 10, 100 if one == other else 0) for one in parts for other in parts},
        [Value("plan", "free", dict.fromkeys(parts, (30, 10)))],
    )
    told = found(traffic, LEVEL)
    assert told.verdict is Verdict.TOO_FEW
    assert told.effective[0] == pytest.approx(3)


def test_nothing_stands_out_only_where_a_large_difference_would() -> None:
    production = Stratum("production")

    def told(issue: int, rest: int) -> Verdict:
        products = {(production, production): (issue, rest)}
        values = [Value("plan", str(number), {production: (issue // 5, rest // 5)}) for number in range(60)]
        return found(Traffic({production: (issue, rest)}, products, values), LEVEL).verdict

    assert told(9, 400) is Verdict.TOO_FEW
    assert told(400, 9) is Verdict.TOO_FEW
    assert told(30, 400) is Verdict.COMPARED


def test_sources_of_nobody_known_are_left_out_where_known_ones_suffice() -> None:
    known, unknown = Stratum("production"), Stratum("production", is_known=False)
    counts = {known: (40, 400), unknown: (60, 100)}
    values = [
        Value("bot", "yes", {unknown: (60, 0)}),
        Value("plan", "free", {known: (20, 200), unknown: (0, 0)}),
    ]
    # All events of the issue that are of nobody known may be one visitor's.
    products = {(known, known): (40, 400), (unknown, unknown): (3600, 100)}
    told = found(Traffic(counts, products, values), LEVEL)
    assert (told.is_of_known, told.sources, told.tested_count) == (True, (40, 400), 1)
    assert told.findings == ()


def test_what_swings_with_the_hour_is_no_difference_of_an_issue_of_one_hour() -> None:
    world = replace(WORLDS["an issue of one hour of the day"], hourly_swing=2.0)
    for number in range(3):
        events = events_of_trial(world, 1, np.random.default_rng([32, number]))
        told, _ = told_of(events, lambda event: event["variant_hash"] == 1000 + ISSUE)
        assert not told.findings


def test_an_issue_of_hours_in_which_the_rest_has_nothing_is_not_compared() -> None:
    own, other = Stratum("", QUARTERS + 15), Stratum("", 1)
    squares = {(own, own): (40, 0), (other, other): (0, 40)}
    value = Value("plan", "gold", {own: (40, 0), other: (0, 2)})
    assert found(Traffic({own: (40, 0), other: (0, 40)}, squares, [value])).verdict is Verdict.NO_REST


def test_what_rests_on_one_client_of_nobody_known_is_no_difference() -> None:
    large, others = Stratum("", 0, False, 1), Stratum("", 0, False)

    def told(gold_of_others: int) -> Found:
        value = Value("plan", "gold", {large: (40, 0), others: (gold_of_others, 20)})
        # Ten spans of time of the large client, and other clients once each.
        products = {(large, large): (160, 0), (others, others): (160, 400)}
        return found(Traffic({large: (40, 0), others: (160, 400)}, products, [value]))

    assert (told(8).verdict, told(8).findings) == (Verdict.TOO_FEW, ())
    assert [finding.value for finding in told(120).findings] == ["gold"]


@pytest.mark.slow
@each("name", ["true: 200 anonymous visitors", "true: a release, 200 anonymous visitors"])
def test_differences_of_visitors_nobody_knows_are_told_of_many_clients(name: str) -> None:
    world = WORLDS[name]
    events = events_of_trial(world, 1, np.random.default_rng(33))
    told, _ = told_of(events, lambda event: event["variant_hash"] == 1000 + ISSUE)
    assert [(finding.tag, finding.value) for finding in told.findings] == [world.planted_value]


@pytest.mark.slow
@each("name", ["a new release, anonymous heavy visitors", "a bot 20% since a new release, nobody identified"])
def test_a_release_that_brought_visits_but_no_errors_is_no_difference(name: str) -> None:
    for number in range(3):
        events = events_of_trial(WORLDS[name], 1, np.random.default_rng([34, number]))
        told, _ = told_of(events, lambda event: event["variant_hash"] == 1000 + ISSUE)
        assert not told.findings
