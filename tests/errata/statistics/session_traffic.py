"""Sessions of a release and the one before, whose true risks of a crash are known: by user, and by the hour
of the week."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errata.statistics.clustered_shares import Clusters, Sessions
from errata.statistics.stratified import Floats, Integers
from errata.statistics.week_parts import HOURS_A_WEEK, matching_weights

HOURS_A_SPAN = 6


@dataclass(frozen=True)
class World:
    """Sessions of a user are geometric, or Pareto; of prone users `prone_risk` of the sessions crash. A loop
    adds so many crashed sessions to one user's. From midnight to six there are `night_sessions` as many
    sessions, with `night_risk` times the risk; `monday_risk`, on Mondays from six to noon."""

    users: int = 1500
    sessions_a_user: float = 4.0
    pareto: float = 0.0
    risk: float = 0.01
    prone_share: float = 0.0
    prone_risk: float = 0.3
    loop_share: float = 0.0
    loop_sessions: tuple[int, int] = (10, 60)
    night_sessions: float = 1.0
    night_risk: float = 1.0
    monday_risk: float = 1.0
    released: float | None = None
    """The hour of the week (0: Monday 00:00) in which the release begins; None: any."""

    @property
    def hours(self) -> tuple[Floats, Floats]:
        """Of each hour of the week, how many sessions it has, and their risk, as multiples."""
        hour = np.arange(HOURS_A_WEEK)
        is_night = hour % 24 < 6
        is_monday = (hour >= 6) & (hour < 12)
        risks = np.where(is_night, self.night_risk, 1.0) * np.where(is_monday, self.monday_risk, 1.0)
        return np.where(is_night, self.night_sessions, 1.0), risks


@dataclass(frozen=True)
class Traffic:
    """One value for each session; `hour` counts on from the Monday of the week before the release."""

    user: Integers
    hour: Integers
    is_crashed: NDArray[np.bool_]

    def until(self, hour: float) -> "Traffic":
        held = self.hour < hour
        return Traffic(self.user[held], self.hour[held], self.is_crashed[held])

    @property
    def by_hour(self) -> Floats:
        return np.bincount(self.hour % HOURS_A_WEEK, minlength=HOURS_A_WEEK).astype(np.float64)

    def sessions(self, weights: Floats | None = None) -> Sessions:
        """What `sessions_of_releases` returns."""
        counted = np.ones(len(self.hour)) if weights is None else weights[self.hour % HOURS_A_WEEK]
        span = self.hour // HOURS_A_SPAN
        visit = self.user * (1 + int(span.max(initial=0))) + span
        users = self._clusters(self.user, counted)
        return Sessions(users, users, self._clusters(span, counted), self._clusters(visit, counted))

    def _clusters(self, by: Integers, counted: Floats) -> Clusters:
        place = np.unique(by, return_inverse=True)[1]
        sessions, crashed = (
            np.bincount(place, column).astype(np.float64) for column in (counted, counted * self.is_crashed)
        )
        return Clusters(sessions, crashed, np.ones(len(sessions)))


def matched_sessions(after: Traffic, before: Traffic) -> tuple[Sessions, Sessions]:
    weights = matching_weights(after.by_hour, before.by_hour)
    assert weights is not None
    return after.sessions(weights[0]), before.sessions(weights[1])


def release_hour(generator: np.random.Generator, world: World) -> int:
    hour = generator.integers(HOURS_A_WEEK) if world.released is None else world.released
    return HOURS_A_WEEK + int(hour)


def session_traffic(generator: np.random.Generator, world: World, since: int, times: float = 1.0) -> Traffic:
    """A week from the hour `since` on, with so many times the risk."""
    if world.pareto:
        least = world.sessions_a_user * (world.pareto - 1) / world.pareto
        drawn = np.minimum(1000, least * (1 + generator.pareto(world.pareto, world.users)))
        counts = np.maximum(1, np.round(drawn)).astype(np.int64)
    else:
        counts = generator.geometric(1 / world.sessions_a_user, world.users)
    is_prone = generator.random(world.users) < world.prone_share
    user = np.repeat(np.arange(world.users), counts)
    shares, risks = world.hours
    hour_of_week = generator.choice(HOURS_A_WEEK, len(user), p=shares / shares.sum())
    risk = np.where(is_prone[user], world.prone_risk, times * world.risk) * risks[hour_of_week]
    is_crashed = generator.random(len(user)) < risk
    looping = np.flatnonzero(generator.random(world.users) < times * world.loop_share)
    sizes = generator.integers(*world.loop_sessions, len(looping))
    loop_hours = np.repeat(generator.integers(HOURS_A_WEEK, size=len(looping)), sizes)
    hours = np.concatenate((hour_of_week, loop_hours))
    return Traffic(
        np.concatenate((user, np.repeat(looping, sizes))),
        since + (hours - since) % HOURS_A_WEEK,
        np.concatenate((is_crashed, np.ones(len(loop_hours), dtype=np.bool_))),
    )
