"""Traffic made with a known truth: how often what is found is chance, and how often an interval misses."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from random import Random

from errata.differences.findings import Found, Verdict, found
from errata.differences.traffic import Side, Stratum, Traffic, Value

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
    counts: dict[tuple[str, str], dict[str, list[int]]] = {}
    strata = {}
    for environment, sides in environments.items():
        sizes = []
        for side, sources in enumerate(sides):
            drawn = list(sources)
            sizes.append(Side(len(drawn), len(drawn)))
            for pair, number in Counter(pair for source in drawn for pair in source.items()).items():
                key = (pair[0], str(pair[1]))
                counts.setdefault(key, {}).setdefault(environment, [0, 0])[side] = number
        strata[environment] = Stratum(*sizes)
    values = [
        Value(tag, value, {name: (pair[0], pair[1]) for name, pair in by_environment.items()})
        for (tag, value), by_environment in counts.items()
    ]
    return Traffic(strata, values)


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
    assert all(run.verdict is Verdict.COMPARED and run.tested_count > 50 for run in runs)
    assert sum(bool(run.findings) for run in runs) <= LEVEL * RUNS


def test_bursts_that_say_the_same_a_dozen_times_are_not_taken_for_proof() -> None:
    random = Random(2)
    naive = corrected = 0
    for _ in range(30):
        sources, square_sum = bursts(random, 150)
        traffic = counted({"production": (sources, [a_source(random) for _ in range(400)])})
        naive += bool(found(traffic, LEVEL).findings)
        rest = traffic.strata["production"].rest
        clustered = {"production": Stratum(Side(150, square_sum), rest)}
        corrected += bool(found(Traffic(clustered, traffic.values), LEVEL).findings)
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
        for each in really:
            intervals += 1
            held += each.interval.low <= truth.get(each.tag, truth["tag0"]) <= each.interval.high
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
        pooled = {"": Stratum(Side(150, 150), Side(600, 600))}
        merged = [
            Value(
                value.tag,
                value.value,
                {"": (sum(n for n, _ in value.counts.values()), sum(n for _, n in value.counts.values()))},
            )
            for value in traffic.values
        ]
        assert any(each.tag == "tag1" for each in found(Traffic(pooled, merged), LEVEL).findings)
    assert found_under_the_mix <= 1
