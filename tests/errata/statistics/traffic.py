"""Page loads of two releases whose true difference is known: seasonal, skewed, with a mix that shifts."""

from dataclasses import dataclass

import numpy as np

from errata.statistics.matching import HOUR_SECONDS, Views
from errata.statistics.stratified import Floats, Integers

DAY = 24 * HOUR_SECONDS
# A Monday.
START = 1_767_571_200
PAGES, DEVICES = 8, 3
SEASON = 0.12
WEEKEND = 0.06
WEEK = 7.0
# Between hours that follow each other.
CARRIED = 0.7


@dataclass(frozen=True)
class World:
    """What is the same in every trial; spreads are of logarithms.

    `spread` is of single loads of one page, device and hour, `visitor_spread` of what a visitor's three or so
    loads have in common, `hour_spread` of what all loads of an hour have in common. `mix_shift` says how
    differently pages and devices are chosen after the release.
    """

    spread: float = 0.5
    visitor_spread: float = 0.2
    hour_spread: float = 0.02
    mix_shift: float = 0.4
    is_gradual: bool = False
    """Both releases serve for the first day of the later one."""


@dataclass(frozen=True)
class Sides:
    after: Views
    before: Views
    released: float


@dataclass(frozen=True)
class Site:
    """What one trial is about: which pages and devices there are, and how slow."""

    world: World
    levels: Floats
    shocks: Floats


def sides(
    generator: np.random.Generator,
    count: int,
    shift: float,
    days: float = WEEK,
    world: World | None = None,
) -> Sides:
    """About `count` loads of the later release in so many days, slower by `shift` (0.1: a tenth), and as
    many a day of the week before it."""
    world = world or World()
    site = Site(world, generator.normal(7.3, 0.5, (PAGES, DEVICES)), _shocks(generator, world.hour_spread))
    released = START + WEEK * DAY + float(generator.integers(0, 7 * DAY))
    overlap = DAY if world.is_gradual else 0
    pages, devices = generator.dirichlet(np.full(PAGES, 2.0)), generator.dirichlet(np.full(DEVICES, 4.0))
    count_before = int(count * WEEK / days)
    before = _views(
        generator, site, count_before, (released - WEEK * DAY, released + overlap), pages, devices
    )
    pages, devices = (_shifted(generator, share, world.mix_shift) for share in (pages, devices))
    after = _views(generator, site, count, (released, released + days * DAY), pages, devices)
    return Sides(Views(after.values * (1 + shift), after.groups, after.seconds), before, released)


def _views(
    generator: np.random.Generator,
    site: Site,
    count: int,
    span: tuple[float, float],
    pages: Floats,
    devices: Floats,
) -> Views:
    world, visit_count = site.world, count // 3 + 1
    began = _moments(generator, visit_count, *span)
    device = generator.choice(DEVICES, visit_count, p=devices)
    visitor = generator.normal(0, world.visitor_spread, visit_count)
    visit = np.repeat(np.arange(visit_count), generator.poisson(2, visit_count) + 1)[:count]
    seconds = np.minimum(began[visit] + generator.exponential(240, len(visit)), span[1] - 1)
    page = generator.choice(PAGES, len(visit), p=pages)
    hour = (seconds // HOUR_SECONDS).astype(np.int64)
    # Logistic: tails heavier than a normal distribution's, on a logarithmic scale.
    noise = generator.logistic(0, world.spread * np.sqrt(3) / np.pi, len(visit))
    logs = (
        site.levels[page, device[visit]]
        + _season(seconds)
        + visitor[visit]
        + site.shocks[hour % len(site.shocks)]
        + noise
    )
    groups: Integers = page * DEVICES + device[visit]
    values = np.round(np.exp(logs), 1).astype(np.float64)
    return Views(values, groups, seconds)


def _moments(generator: np.random.Generator, count: int, since: float, until: float) -> Floats:
    """More by day than by night, fewer on weekends."""
    kept = np.empty(0)
    while len(kept) < count:
        drawn = generator.uniform(since, until, count * 3)
        busy = 0.55 - 0.45 * np.cos(2 * np.pi * (drawn % DAY) / DAY)
        busy = np.where(_is_weekend(drawn) > 0, busy * 0.6, busy)
        kept = np.concatenate((kept, drawn[generator.random(len(drawn)) < busy]))
    return kept[:count]


def _season(seconds: Floats) -> Floats:
    season: Floats = SEASON * np.sin(2 * np.pi * (seconds % DAY) / DAY - 1)
    return season - WEEKEND * _is_weekend(seconds)


def _is_weekend(seconds: Floats) -> Floats:
    weekend: Floats = ((seconds // DAY + 3) % 7 >= 5).astype(np.float64)
    return weekend


def _shocks(generator: np.random.Generator, spread: float) -> Floats:
    drawn = generator.normal(0, spread * np.sqrt(1 - CARRIED**2), 24 * 40)
    shocks, value = np.empty(len(drawn)), 0.0
    for hour, shock in enumerate(drawn):
        value = CARRIED * value + shock
        shocks[hour] = value
    return shocks


def _shifted(generator: np.random.Generator, shares: Floats, spread: float) -> Floats:
    changed: Floats = shares * np.exp(generator.normal(0, spread, len(shares)))
    changed /= changed.sum()
    return changed
