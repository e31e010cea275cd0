"""When visitors of the live shop come: as often as in the weeks before, some of the first hour at once."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from demo import story
from demo.journeys import FAULTS, ORDINARY, Journey, buy

HOUR = timedelta(hours=1)
AT_FAULT = 0.25
"""Of visits after the first ones."""
# Two meet bugs; after the deployment (`DEPLOYED_AFTER_S` of stage.py) one meets the slower checkout.
OPENING = (timedelta(), timedelta(seconds=20), timedelta(seconds=100))
FEWEST_AN_HOUR = 1.0
"""After the opening, while the first hour lasts."""


@dataclass(frozen=True, slots=True)
class Arrival:
    at: datetime
    journey: Journey
    pace_s: float


def arrivals(began: datetime, random: Random) -> Iterator[Arrival]:
    """Without an end, in the order of their times."""
    for after, journey in zip(OPENING, (*random.sample(FAULTS, 2), buy), strict=True):
        yield Arrival(began + after, journey, 1.0)
    at, first_hour_ends = began + OPENING[-1], began + HOUR
    while True:
        rate, until = story.visits_an_hour(at), at.replace(minute=0, second=0, microsecond=0) + HOUR
        if at < first_hour_ends:
            rate, until = max(FEWEST_AN_HOUR, rate - len(OPENING)), min(until, first_hour_ends)
        at += random.expovariate(rate) * HOUR
        # Another rate holds from there on.
        if at >= until:
            at = until
            continue
        yield Arrival(at, random.choice(FAULTS if random.random() < AT_FAULT else ORDINARY), 2.5)
