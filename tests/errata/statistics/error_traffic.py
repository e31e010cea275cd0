"""Sessions and errors of two releases whose true rates are known: loops, bots, outages, seasons and
rollouts."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from errata.statistics.error_rates import Activity
from errata.statistics.stratified import Floats, Integers

HOUR = 3600.0
DAY = 24 * HOUR
WEEK = 7 * DAY
# A Monday.
START = 1_767_571_200.0
# A visit of a user has all of its sessions within this time.
VISIT_SECONDS = 2 * HOUR
LOOP_SECONDS = 3 * HOUR
# Kinds of clients are used this unequally: the k-th most used one by 1 / k of the users.
CLIENTS = 12
JOBS = np.uint64(10_000)
NOISY = 6_000_000


@dataclass(frozen=True)
class World:
    """What is the same in every trial."""

    users: int = 1500
    """Users who come with either release; twice as many in a rollout, which has half of them each."""
    sessions_a_user: float = 4.0
    pareto: float = 0.0
    """Sessions of a user have this tail instead; 0: geometric."""
    rate: float = 0.03
    """Errors a session."""
    prone_share: float = 0.0
    prone_rate: float = 0.5
    returning: float = 0.5
    """Share of the users who come with both releases."""
    loop_share: float = 0.0
    """Share of users with a crash loop of 10 to 60 errors with either release."""
    bot_share: float = 0.0
    """Share of the sessions that one identified bot has, with 10 errors where others have one."""
    season: float = 0.0
    """How much the rate varies over the day, as a part of itself; sessions vary as much, the other way."""
    job_failures: float = 0.0
    """How often in a week a job on a server fails for an hour, 300 times."""
    outages: float = 0.0
    """How often in a week every second session has an error, for an hour."""
    growth: float = 0.0
    """By how much the logarithm of the rate grows a week, before the release and after it."""
    noisy_errors: int = 0
    """Errors of one identified user who comes with the release, in bursts of three hours on each day."""
    is_rollout: bool = False
    known_share: float = 1.0


@dataclass(frozen=True)
class Traffic:
    """One value for each session, or for errors without one; `again`: errors that a release with twice the
    rate has besides."""

    seconds: Floats
    person: NDArray[np.uint64]
    is_known: NDArray[np.bool_]
    is_after: NDArray[np.bool_]
    exposures: Floats
    errors: Floats
    again: Floats
    released: float

    def doubled(self) -> "Traffic":
        """The same release with twice the errors."""
        return replace(self, errors=self.errors + self.again * self.is_after)

    def until(self, age: float) -> Activity:
        """What is known `age` seconds after the release."""
        held = self.seconds < self.released + age
        span = (self.seconds[held] // (6 * HOUR)).astype(np.int64)
        people, person = np.unique(self.person[held], return_inverse=True)
        spans = int(span.max()) + 1
        key = (self.is_after[held] * len(people) + person) * spans + span
        keys, first, group = np.unique(key, return_index=True, return_inverse=True)
        return Activity(
            keys >= len(people) * spans,
            self.person[held][first],
            self.is_known[held][first],
            span[first],
            np.bincount(group, self.exposures[held]).astype(np.float64),
            np.bincount(group, self.errors[held]).astype(np.float64),
        )


def error_traffic(generator: np.random.Generator, world: World) -> Traffic:
    """A week before a release and the week after it, which has the rate of the one before."""
    released = START + WEEK + float(generator.uniform(0, WEEK))
    sides = [_side(generator, world, released, is_after=is_after) for is_after in (False, True)]
    seconds, person, is_known, is_after, exposures, errors, again = (
        np.concatenate(columns) for columns in zip(*sides, strict=True)
    )
    return Traffic(seconds, person, is_known, is_after, exposures, errors, again, released)


def _side(
    generator: np.random.Generator, world: World, released: float, *, is_after: bool
) -> tuple[NDArray[np.generic], ...]:
    since = released if is_after or world.is_rollout else released - WEEK
    # The later half of those of before comes back, as the former half of those after.
    first = round(world.users * (1 - world.returning)) if is_after and not world.is_rollout else 0
    if world.is_rollout and is_after:
        first = world.users
    people = np.arange(first, first + world.users)
    prone = _is_prone(people, world)
    counts = _sessions(generator, world, len(people))
    visits = generator.uniform(since, since + WEEK, (len(people), 3))
    person = np.repeat(np.arange(len(people)), counts)
    visit = generator.integers(0, 3, len(person))
    seconds = np.minimum(
        since + WEEK - 1, visits[person, visit] + generator.uniform(0, VISIT_SECONDS, len(person))
    )
    if world.season:
        phase = np.cos(2 * np.pi * (seconds - START) / DAY)
        kept = generator.random(len(person)) < (1 - world.season * phase) / (1 + world.season)
        person, seconds = person[kept], seconds[kept]
    rates = np.where(prone, world.prone_rate, world.rate)[person]
    rates = rates * np.exp(world.growth * (seconds - released) / WEEK)
    if world.season:
        rates = rates * (1 + world.season * np.cos(2 * np.pi * (seconds - START) / DAY))
    names = people[person].astype(np.uint64)
    exposures = np.ones(len(person))
    if world.bot_share:
        share = world.bot_share / (1 - world.bot_share)
        bot_count = round(share * len(person))
        seconds = np.append(seconds, generator.uniform(since, since + WEEK, bot_count))
        names = np.append(names, np.full(bot_count, 5_000_000, dtype=np.uint64))
        rates = np.append(rates, np.full(bot_count, 10 * world.rate))
        exposures = np.ones(len(names))
    draws = []
    for _ in range(2):
        errors = generator.poisson(rates).astype(np.float64)
        errors += _outage_errors(generator, world, seconds, since)
        more_seconds, more_names, more_errors = _extra(generator, world, people, since, is_after=is_after)
        draws.append((errors, more_seconds, more_names, more_errors))
    (own, s1, p1, e1), (again, s2, p2, e2) = draws
    seconds = np.concatenate((seconds, s1, s2))
    names = np.concatenate((names, p1, p2))
    exposures = np.concatenate((exposures, np.zeros(len(s1) + len(s2))))
    own = np.concatenate((own, e1, np.zeros(len(s2))))
    again = np.concatenate((again, np.zeros(len(s1)), e2))
    is_job = names >= 9_000_000
    known = (_uniform(names, 3) < world.known_share) & ~is_job
    clients = np.floor(_client(_uniform(names, 5))).astype(np.uint64)
    sources = np.where(known, names + np.uint64(100), np.where(is_job, JOBS * JOBS, clients))
    return seconds, sources, known, np.full(len(seconds), is_after), exposures, own, again


def _sessions(generator: np.random.Generator, world: World, count: int) -> Integers:
    if not world.pareto:
        return generator.geometric(1 / world.sessions_a_user, count)
    least = world.sessions_a_user * (world.pareto - 1) / world.pareto
    drawn = np.minimum(1000, least * (1 + generator.pareto(world.pareto, count)))
    sessions: Integers = np.maximum(1, np.round(drawn)).astype(np.int64)
    return sessions


def _uniform(names: NDArray[np.uint64], salt: int) -> Floats:
    """A number in [0, 1) for each person that is the same on both sides."""
    mixed = (names + np.uint64(salt)) * np.uint64(0x9E3779B97F4A7C15)
    mixed ^= mixed >> np.uint64(29)
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(32)
    return (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53


def _is_prone(people: Integers, world: World) -> NDArray[np.bool_]:
    prone: NDArray[np.bool_] = _uniform(people.astype(np.uint64), 1) < world.prone_share
    return prone


def _client(uniform: Floats) -> Integers:
    shares = np.cumsum(1 / np.arange(1, CLIENTS + 1))
    return np.searchsorted(shares / shares[-1], uniform, side="right")


def _outage_errors(generator: np.random.Generator, world: World, seconds: Floats, since: float) -> Floats:
    errors = np.zeros(len(seconds))
    for began in generator.uniform(since, since + WEEK - HOUR, generator.poisson(world.outages)):
        held = (seconds >= began) & (seconds < began + HOUR)
        errors += held & (generator.random(len(seconds)) < 0.5)
    return errors


def _extra(
    generator: np.random.Generator, world: World, people: Integers, since: float, *, is_after: bool
) -> tuple[Floats, NDArray[np.uint64], Floats]:
    """Errors of crash loops, in a session that has begun, of a noisy user, and of jobs, which have none:
    moments, names, counts."""
    looping = people[generator.random(len(people)) < world.loop_share].astype(np.uint64)
    sizes = generator.integers(10, 60, len(looping)).astype(np.float64)
    moments = generator.uniform(since, since + WEEK - LOOP_SECONDS, len(looping))
    jobs = generator.poisson(world.job_failures)
    noisy = 7 if is_after and world.noisy_errors else 0
    hours = since + DAY * np.arange(noisy) + generator.uniform(0, DAY - LOOP_SECONDS, noisy)
    return (
        np.concatenate((moments, generator.uniform(since, since + WEEK - HOUR, jobs), hours)),
        np.append(looping, np.repeat(np.array([9_000_000, NOISY], dtype=np.uint64), (jobs, noisy))),
        np.concatenate((sizes, np.full(jobs, 300.0), np.full(noisy, world.noisy_errors / 7))),
    )
