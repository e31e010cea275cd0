"""Traffic whose truth is known: users, visits, bots, seasons and rollouts."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errata.statistics.stratified import Floats, Integers

HOUR = 3600.0
DAY = 24 * HOUR
WEEK = 7 * DAY
# A Monday.
START = 1_767_571_200.0
PAGES, DEVICES, COUNTRIES = 8, 3, 6
VISIT_SECONDS = 240.0
EVENING = (17.0, 24.0)
BURSTS_A_BOT = 6
BURST_SECONDS = 5 * HOUR
BOT_NOISE = 0.2


@dataclass(frozen=True)
class World:
    """What is the same in every trial. Spreads are standard deviations of logarithms; `views_a_user` is the
    mean over both weeks of one user."""

    views_a_user: float = 1.5
    pareto: float = 0.0
    """Views a user have this tail instead; 0: geometric."""
    user_spread: float = 0.35
    noise_spread: float = 0.65
    returning: float = 0.5
    """Share of users who come all the time; others come within two days."""
    hour_spread: float = 0.02
    carried: float = 0.7
    """Of an hour's own level, to the next hour."""
    season: float = 0.12
    season_phase: float = 1.0
    """Radians: at 1.0 loads are slowest about ten in the morning, at 3.5 about seven in the evening."""
    has_own_seasons: bool = False
    """Each page has its slowest hour."""
    evening_slowness: float = 0.0
    """How much slower are half of the users, who come in the evening only."""
    week_drift: float = 0.0
    """How much slower the site grows from Monday to Sunday, when it is started anew."""
    drift: float = 0.0
    """How much slower the site grows a week, before the release and after it, for eight weeks at least."""
    mix_shift: float = 0.4
    """How differently pages and devices are chosen after the release."""
    country_spread: float = 0.0
    country_shift: float = 0.0
    """How differently often countries, which no column names, come after the release."""
    bots: int = 0
    bot_share: float = 0.0
    bot_spread: float = 0.5
    bot_level: float = 0.0
    is_bot_steady: bool = False
    """Comes at any time, instead of in bursts; in `loads_of_days` alone, as `bot_level`."""
    rollout: str = "moment"
    """`moment`: all at once. `user`, `view`: half of the users or views get the release while it is rolled
    out."""
    rollout_seconds: float = WEEK
    is_anonymous: bool = False

    @property
    def spread(self) -> float:
        return float(np.hypot(self.user_spread, self.noise_spread))


@dataclass(frozen=True)
class Traffic:
    """One value a load; `users` counts from 1, 0 is nobody known; `people` knows them all."""

    logs: Floats
    page: Integers
    device: Integers
    seconds: Floats
    users: NDArray[np.uint64]
    people: Integers
    is_after: NDArray[np.bool_]
    released: float

    @property
    def groups(self) -> Integers:
        groups: Integers = self.page * DEVICES + self.device
        return groups


def traffic(generator: np.random.Generator, world: World, count: int) -> Traffic:
    """About `count` loads of either release, a week before and a week after; none is slower by truth."""
    released = START + WEEK + float(generator.integers(0, 7)) * DAY + float(generator.uniform(0, DAY))
    since, until = released - WEEK, released + WEEK
    bot_count = round(2 * count * world.bot_share) if world.bots else 0
    person, seconds = _visits(generator, world, 2 * count - bot_count, since, until)
    people_count = int(person.max(initial=-1)) + 1
    country = generator.integers(0, COUNTRIES, people_count)
    kept = _kept_by_country(generator, world, country[person], seconds >= released)
    person, seconds = person[kept], seconds[kept]
    device_of = generator.choice(DEVICES, people_count, p=generator.dirichlet(np.full(DEVICES, 4.0)))
    levels = generator.normal(7.3, 0.5, (PAGES, DEVICES))
    shares = generator.dirichlet(np.full(PAGES, 2.0))
    later = _shifted(generator, shares, world.mix_shift)
    is_later = seconds >= released
    page = np.where(
        is_later,
        generator.choice(PAGES, len(seconds), p=later),
        generator.choice(PAGES, len(seconds), p=shares),
    )
    own = generator.normal(0, world.user_spread, people_count)
    own += generator.normal(0, world.country_spread, COUNTRIES)[country]
    if world.evening_slowness:
        is_late = generator.random(people_count) < 0.5
        own += world.evening_slowness * is_late
        seconds = np.where(is_late[person], _into_the_evening(seconds), seconds)
    # Logistic: tails heavier than a normal distribution's, on a logarithmic scale.
    noise = generator.logistic(0, world.noise_spread * np.sqrt(3) / np.pi, len(seconds))
    device = device_of[person]
    logs = own[person] + noise
    if bot_count:
        bot, when = _crawls(generator, world.bots, bot_count, since, until)
        person = np.concatenate((person, people_count + bot))
        seconds = np.concatenate((seconds, when))
        page = np.concatenate((page, generator.integers(0, PAGES, bot_count)))
        device = np.concatenate((device, np.zeros(bot_count, dtype=np.int64)))
        crawled = generator.normal(0, world.bot_spread, world.bots)[bot]
        logs = np.concatenate((logs, crawled + generator.normal(0, BOT_NOISE, bot_count)))
    # Loads that were moved into the evening may lie after the end.
    last = max(until, float(seconds.max(initial=until)))
    shocks = _shocks(generator, world, int((last - START) // HOUR) + 2)
    phases = np.arange(PAGES) * np.pi / 4 * world.has_own_seasons + world.season_phase
    logs = logs + levels[page, device] + _season(seconds, world, phases[page])
    logs += shocks[((seconds - START) // HOUR).astype(np.int64)]
    logs += world.drift * (seconds - released) / WEEK
    is_after = _is_after(generator, world, person, seconds, released)
    users = np.zeros(len(person)) if world.is_anonymous else person + 1
    return Traffic(logs, page, device, seconds, users.astype(np.uint64), person, is_after, released)


@dataclass(frozen=True)
class Loads:
    """Loads of one page in their order; the world's own level is 0. `people` counts all, known or not."""

    logs: Floats
    seconds: Floats
    people: Integers


def loads_of_days(generator: np.random.Generator, world: World, a_day: int, days: int) -> Loads:
    """Users come in turns of two weeks, within which `world` says how often; bots stay the same."""
    until = START + days * DAY
    own, begun, count = list[tuple[Floats, Floats, Integers]](), START, 0
    while begun < until:
        size = round(a_day * 14 * (1 - world.bot_share))
        person, seconds = _visits(generator, world, size, begun, begun + 2 * WEEK)
        levels = generator.normal(0, world.user_spread, int(person.max()) + 1)
        noise = generator.logistic(0, world.noise_spread * np.sqrt(3) / np.pi, len(person))
        own.append((levels[person] + noise, seconds, person + count))
        count += len(levels)
        begun += 2 * WEEK
    if world.bots:
        own.append(_of_bots(generator, world, round(a_day * days * world.bot_share), until, count))
    logs, seconds, people = (np.concatenate(column) for column in zip(*own, strict=True))
    shocks = _shocks(generator, world, int((begun - START) // HOUR) + 2)
    phases = np.full(len(seconds), world.season_phase)
    logs = logs + world.drift * (seconds - START) / WEEK
    logs = logs + _season(seconds, world, phases) + shocks[((seconds - START) // HOUR).astype(np.int64)]
    order = np.argsort(seconds)
    order = order[: np.searchsorted(seconds[order], until)]
    return Loads(logs[order], seconds[order], people[order])


def _of_bots(
    generator: np.random.Generator, world: World, count: int, until: float, first: int
) -> tuple[Floats, Floats, Integers]:
    bot, seconds = _crawls(generator, world.bots, count, START, until)
    if world.is_bot_steady:
        seconds = generator.uniform(START, until, count)
    levels = generator.normal(world.bot_level, world.bot_spread, world.bots)
    return levels[bot] + generator.normal(0, BOT_NOISE, count), seconds, bot + first


def views_of_users(generator: np.random.Generator, world: World, count: int) -> Integers:
    """How many views each user has, until there are `count`."""
    expected = int(count / world.views_a_user * 2) + 10
    if world.pareto:
        least = world.views_a_user * (world.pareto - 1) / world.pareto
        # Nobody views more than a page every minute of a week.
        drawn = np.minimum(least * (1 + generator.pareto(world.pareto, expected)), WEEK / 60)
        sizes = np.maximum(1, np.round(drawn)).astype(np.int64)
    else:
        sizes = generator.geometric(1 / world.views_a_user, expected)
    enough: Integers = sizes[: int(np.searchsorted(np.cumsum(sizes), count)) + 1]
    return enough


def _visits(
    generator: np.random.Generator, world: World, count: int, since: float, until: float
) -> tuple[Integers, Floats]:
    """The user and moment of each view: of a visit's views some minutes lie between."""
    sizes = views_of_users(generator, world, count)
    person = np.repeat(np.arange(len(sizes)), sizes)[:count]
    begun = moments(generator, len(sizes), since, until)
    is_short = generator.random(len(sizes)) >= world.returning
    own = moments(generator, count, since, until)
    near = begun[person] + generator.uniform(0, 2 * DAY, count)
    seconds = np.where(is_short[person], np.minimum(near, until - 1), own)
    # Every second view follows the one before it within the same visit.
    order = np.lexsort((seconds, person))
    person, seconds = person[order], seconds[order]
    follows = np.zeros(count, dtype=np.bool_)
    follows[1:] = (person[1:] == person[:-1]) & (generator.random(count - 1) < 0.5)
    base = np.maximum.accumulate(np.where(follows, -1, np.arange(count)))
    seconds = seconds[base] + np.where(follows, generator.exponential(VISIT_SECONDS, count), 0)
    return person, np.minimum(seconds, until - 1)


def moments(generator: np.random.Generator, count: int, since: float, until: float) -> Floats:
    """More by day than by night, fewer on weekends."""
    kept = np.empty(0)
    while len(kept) < count:
        drawn = generator.uniform(since, until, count * 3 + 10)
        busy = 0.55 - 0.45 * np.cos(2 * np.pi * (drawn % DAY) / DAY)
        busy = np.where(_is_weekend(drawn), busy * 0.6, busy)
        kept = np.concatenate((kept, drawn[generator.random(len(drawn)) < busy]))
    return kept[:count]


def _crawls(
    generator: np.random.Generator, bots: int, count: int, since: float, until: float
) -> tuple[Integers, Floats]:
    """Bots come in bursts: more of one before the release, more of another after it."""
    bot = generator.integers(0, bots, count)
    bursts = generator.uniform(since, until - BURST_SECONDS, (bots, BURSTS_A_BOT))
    begun = bursts[bot, generator.integers(0, BURSTS_A_BOT, count)]
    return bot, begun + generator.uniform(0, BURST_SECONDS, count)


def _kept_by_country(
    generator: np.random.Generator, world: World, country: Integers, is_later: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    if not world.country_shift:
        return np.ones(len(country), dtype=np.bool_)
    rates = np.exp(generator.normal(0, world.country_shift, COUNTRIES))
    rates /= rates.max()
    kept: NDArray[np.bool_] = ~is_later | (generator.random(len(country)) < rates[country])
    return kept


def _is_after(
    generator: np.random.Generator, world: World, person: Integers, seconds: Floats, released: float
) -> NDArray[np.bool_]:
    is_later: NDArray[np.bool_] = seconds >= released
    is_rolled_out = is_later & (seconds < released + world.rollout_seconds)
    if world.rollout == "user":
        chosen = generator.random(int(person.max()) + 1) < 0.5
        return is_later & (~is_rolled_out | chosen[person])
    if world.rollout == "view":
        return is_later & (~is_rolled_out | (generator.random(len(seconds)) < 0.5))
    return is_later


def _season(seconds: Floats, world: World, phases: Floats) -> Floats:
    daily = np.sin(2 * np.pi * (seconds % DAY) / DAY - phases)
    of_week = ((seconds - START) % WEEK) / WEEK - 0.5
    season: Floats = world.season * (daily - _is_weekend(seconds) / 2) + world.week_drift * of_week
    return season


def _into_the_evening(seconds: Floats) -> Floats:
    """The same days, with all hours moved together into the evening."""
    begin, end = EVENING
    moved: Floats = seconds - seconds % DAY + begin * HOUR + seconds % DAY * (end - begin) / 24
    return moved


def _is_weekend(seconds: Floats) -> NDArray[np.bool_]:
    weekend: NDArray[np.bool_] = (seconds // DAY + 3) % 7 >= 5
    return weekend


def _shocks(generator: np.random.Generator, world: World, count: int) -> Floats:
    drawn = generator.normal(0, world.hour_spread * np.sqrt(1 - world.carried**2), count)
    shocks, value = np.empty(count), 0.0
    for hour in range(count):
        value = world.carried * value + drawn[hour]
        shocks[hour] = value
    return shocks


def _shifted(generator: np.random.Generator, shares: Floats, spread: float) -> Floats:
    changed: Floats = shares * np.exp(generator.normal(0, spread, len(shares)))
    changed /= changed.sum()
    return changed
