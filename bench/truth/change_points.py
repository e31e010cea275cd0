"""Whether shifts and drifts that are told of a daily p75 are there, in worlds whose truth is known."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import process_time

import numpy as np

from bench.figures import figure
from bench.truth.trials import WRONG, arguments, rate_of, run, table
from errata.statistics.change_points import changes_of, without_weekdays
from errata.statistics.stratified import Floats, Integers

DAYS = 182
SPREAD = 0.04
# As benchmarks of change points count (van den Burg & Williams, arXiv 2003.06222).
NEAR = 5
CLOSE = 3
# A step is put at least so many days from the ends.
MARGIN = 14
SERIES = 200
COLUMNS = (
    "world",
    "told a shift (or a false drift)",
    "steps found within 5 days",
    "within 3 days",
    "interval has the day",
    "shifts made up a series",
    "drift told",
    "told as lasting",
)
Noise = Callable[[np.random.Generator], Floats]


@dataclass(frozen=True, slots=True)
class Series:
    """Logarithms of a daily p75 with the number of each day from a Monday on; `steps` are the true ones."""

    values: Floats
    days: Integers
    steps: Sequence[tuple[int, float]] = ()
    is_drifting: bool = False


@dataclass(frozen=True, slots=True)
class Told:
    """Of one series: the first days of new levels with their intervals, and whether a drift is told, and a
    shift that did not go away."""

    days: Sequence[int]
    intervals: Sequence[tuple[int, int]]
    is_drift: bool
    is_lasting: bool


@dataclass(frozen=True, slots=True)
class World:
    purpose: str
    make: Callable[[np.random.Generator], Series] = field(repr=False)
    is_null: bool = True


def carried(share: float) -> Noise:
    """Noise of `SPREAD` of which each day carries a share to the next."""

    def noise(generator: np.random.Generator) -> Floats:
        values = generator.normal(0, SPREAD * np.sqrt(1 - share**2), DAYS)
        values[0] /= np.sqrt(1 - share**2)
        for day in range(1, DAYS):
            values[day] += share * values[day - 1]
        return values

    return noise


def growing(generator: np.random.Generator) -> Floats:
    return generator.normal(0, SPREAD, DAYS) * np.linspace(0.5, 2.0, DAYS)


def waves(generator: np.random.Generator) -> Floats:
    periods, phases = generator.uniform(40, 120, 2), generator.uniform(0, 2 * np.pi, 2)
    heights = generator.uniform(0.5, 1.5, 2) * SPREAD
    days = np.arange(DAYS)
    both = sum(
        height * np.sin(2 * np.pi * days / period + phase)
        for height, period, phase in zip(heights, periods, phases, strict=True)
    )
    swayed: Floats = carried(0.3)(generator) + both
    return swayed


def heavy(generator: np.random.Generator) -> Floats:
    values: Floats = SPREAD * generator.standard_t(2.5, DAYS) / 1.5
    return values


def uneven(generator: np.random.Generator) -> Floats:
    counts = np.clip(np.exp(generator.normal(5, 1.2, DAYS)), 20, 5000)
    values: Floats = generator.normal(0, SPREAD, DAYS) * np.sqrt(148 / counts)
    return values


def outlier(generator: np.random.Generator) -> Floats:
    values = carried(0.0)(generator)
    values[generator.integers(DAYS)] += 10 * SPREAD
    return values


def plain(
    noise: Noise, weekend: float = -0.06, drift: float = 0.0
) -> Callable[[np.random.Generator], Series]:
    def make(generator: np.random.Generator) -> Series:
        days = np.arange(DAYS)
        values = 7.5 + noise(generator) + weekend * (days % 7 >= 5) + np.log1p(drift) * days / DAYS
        return Series(values, days, is_drifting=drift != 0)

    return make


def gaps(generator: np.random.Generator) -> Series:
    whole = plain(carried(0.3))(generator)
    kept = generator.random(DAYS) > 0.15
    week = int(generator.integers(DAYS - 7))
    kept[week : week + 7] = False
    return Series(whole.values[kept], whole.days[kept])


def stepped(
    noise: Noise, spreads: float, back_after: tuple[int, int] | None = None, drift: float = 0.0
) -> Callable[[np.random.Generator], Series]:
    """A step of so many spreads at a random place, up or down; after a number of days within `back_after`
    it goes away."""

    def make(generator: np.random.Generator) -> Series:
        series = plain(noise, drift=drift)(generator)
        size = float(generator.choice([-1, 1])) * spreads * SPREAD
        if back_after:
            length = int(generator.integers(*back_after))
            first = int(generator.integers(MARGIN, DAYS - MARGIN - length))
            # One shift, which goes away.
            steps = [(first, size)]
            series.values[first + length :] -= size
        else:
            steps = [(int(generator.integers(MARGIN, DAYS - MARGIN + 1)), size)]
        for day, by in steps:
            series.values[day:] += by
        return Series(series.values, series.days, steps, series.is_drifting)

    return make


def holidays(generator: np.random.Generator) -> Series:
    series = plain(carried(0.3))(generator)
    first = int(generator.integers(MARGIN, DAYS // 2 - MARGIN))
    steps = [(first, np.log(0.9)), (int(generator.integers(DAYS // 2, DAYS - MARGIN - 9)), np.log(0.9))]
    for day, by in steps:
        series.values[day : day + 9] += by
    return Series(series.values, series.days, steps)


WORLDS: dict[str, World] = {
    "white noise": World("Independent days.", plain(carried(0.0))),
    "AR 0.3": World("Each day carries 0.3 of the one before.", plain(carried(0.3))),
    "AR 0.5": World("Each day carries 0.5 of the one before.", plain(carried(0.5))),
    "AR 0.7": World("Each day carries 0.7 of the one before.", plain(carried(0.7))),
    "weekly season": World("Weekends are 20% faster.", plain(carried(0.3), weekend=-0.22)),
    "growing spread": World("The spread grows fourfold in 26 weeks.", plain(growing)),
    "slow drift": World("10% slower in 26 weeks, AR 0.3.", plain(carried(0.3), drift=0.1)),
    "slow drift, AR 0.5": World("10% slower in 26 weeks, AR 0.5.", plain(carried(0.5), drift=0.1)),
    "smooth waves": World("Two waves of 40 to 120 days, of 0.5 to 1.5 spreads, AR 0.3.", plain(waves)),
    "heavy tails": World("Student's t with 2.5 degrees of freedom.", plain(heavy)),
    "varying counts": World("Days of 20 to 5,000 loads: their spread varies.", plain(uneven)),
    "outlier day": World("One day is 10 spreads slower.", plain(outlier)),
    "missing days": World("15% of the days and one week are missing, AR 0.3.", gaps),
    "step 2": World("A step of 2 spreads, independent days.", stepped(carried(0.0), 2), False),
    "step 2, AR 0.3": World("A step of 2 spreads, AR 0.3.", stepped(carried(0.3), 2), False),
    "step 2, AR 0.7": World("A step of 2 spreads, AR 0.7.", stepped(carried(0.7), 2), False),
    "step 1": World("A step of 1 spread, independent days.", stepped(carried(0.0), 1), False),
    "step 1, AR 0.3": World("A step of 1 spread, AR 0.3.", stepped(carried(0.3), 1), False),
    "step 3, AR 0.3": World("A step of 3 spreads, AR 0.3.", stepped(carried(0.3), 3), False),
    "step that went away": World(
        "A step of 2 spreads that goes away after 21 to 56 days, AR 0.3.",
        stepped(carried(0.3), 2, back_after=(21, 57)),
        False,
    ),
    "two holidays": World("Twice, nine days are 10% faster, AR 0.3.", holidays, False),
    "step and drift": World(
        "A step of 2 spreads on a drift of 10% in 26 weeks, AR 0.3.",
        stepped(carried(0.3), 2, drift=0.1),
        False,
    ),
}


def told(series: Series) -> Told:
    (found,) = changes_of([without_weekdays(series.values, series.days % 7)])
    steps = found.steps
    return Told(
        [step.index for step in steps],
        [(step.first, step.last) for step in steps],
        found.drift is not None,
        any(step.undone is None for step in steps),
    )


@dataclass(frozen=True, slots=True)
class Counts:
    """Of one trial."""

    alarmed: bool
    drift: bool
    found: int
    close: int
    """Found within `CLOSE` days."""
    dated: int
    """Of those found, in how many the interval has the true day."""
    made_up: int
    lasting: bool
    series_ms: float


def trial(world_name: str, number: int) -> Counts:
    generator = np.random.default_rng([7, number])
    series = WORLDS[world_name].make(generator)
    began = process_time()
    heard = told(series)
    spent = process_time() - began
    found = close = dated = 0
    for day, _ in series.steps:
        near = [number for number, one in enumerate(heard.days) if abs(series.days[one] - day) <= NEAR]
        found += bool(near)
        close += any(abs(series.days[one] - day) <= CLOSE for one in heard.days)
        dated += any(
            series.days[heard.intervals[number][0]] <= day <= series.days[heard.intervals[number][1]]
            for number in near
        )
    made_up = sum(all(abs(series.days[one] - day) > NEAR for day, _ in series.steps) for one in heard.days)
    alarmed = bool(heard.days) or (heard.is_drift and not series.is_drifting)
    return Counts(alarmed, heard.is_drift, found, close, dated, made_up, heard.is_lasting, spent * 1000)


def trials(count: int, processes: int = 1, names: Sequence[str] = ()) -> None:
    """Figures of every world, then a table of promises and worlds."""
    rows = []
    for name in names or WORLDS:
        done = run(partial(trial, name), count, processes)
        rows.append(dict(zip(COLUMNS, _figures(name, WORLDS[name], done), strict=True)))
    table(COLUMNS, rows)


def _figures(name: str, world: World, done: Sequence[Counts]) -> tuple[str, ...]:
    count = len(done)
    facts = {"world": name, "trials": count, "days": DAYS}
    step_count = 0 if world.is_null else len(world.make(np.random.default_rng(0)).steps) * count
    alarmed, drifts = sum(one.alarmed for one in done), sum(one.drift for one in done)
    found, dated = sum(one.found for one in done), sum(one.dated for one in done)
    close, lasting = sum(one.close for one in done), sum(one.lasting for one in done)
    made_up = sum(one.made_up for one in done) / count
    if world.is_null:
        figure("series_without_shift_alarmed", alarmed / count, "ratio", **facts)
    else:
        figure("shifts_found", found / step_count, "ratio", near_days=NEAR, **facts)
        figure("shifts_found", close / step_count, "ratio", near_days=CLOSE, **facts)
        figure("shift_interval_has_day", dated / max(found, 1), "ratio", **facts)
    figure("shifts_made_up_a_series", made_up, "shifts", **facts)
    figure("series_told_to_drift", drifts / count, "ratio", **facts)
    figure("series_told_a_lasting_shift", lasting / count, "ratio", **facts)
    figure("series_ms", float(np.mean([one.series_ms for one in done])), "ms", **facts)
    return (
        name,
        rate_of(alarmed, count, WRONG) if world.is_null else "",
        "" if world.is_null else rate_of(found, step_count),
        "" if world.is_null else rate_of(close, step_count),
        "" if world.is_null else rate_of(dated, found),
        f"{made_up:.2f}",
        rate_of(drifts, count),
        rate_of(lasting, count),
    )


def main() -> None:
    asked = arguments(__doc__ or "")
    trials(asked.trials, asked.processes, asked.worlds)


if __name__ == "__main__":
    main()
