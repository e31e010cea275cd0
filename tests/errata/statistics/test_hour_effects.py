"""What hours of the week add to values, told from what pages, releases, users and chance do."""

import numpy as np
import pytest

from errata.statistics.hour_effects import hour_effects
from errata.statistics.stratified import Floats, Integers

COUNT = 4000


def drawn(seed: int) -> tuple[np.random.Generator, Floats, Integers, Integers]:
    generator = np.random.default_rng(seed)
    return (
        generator,
        generator.logistic(0, 0.35, COUNT),
        generator.integers(0, 48, COUNT),
        generator.integers(0, 20, COUNT),
    )


def test_a_season_is_found_and_pages_and_releases_are_none() -> None:
    _, noise, hours, cells = drawn(1)
    season = 0.4 * np.sin(2 * np.pi * hours / 24)
    found = hour_effects(noise + season + cells, hours, cells, np.ones(COUNT))
    assert np.std(found - season) < 0.3 * np.std(season)
    again = hour_effects(noise + season - 5 * cells, hours, cells, np.ones(COUNT))
    assert again == pytest.approx(found, abs=0.01)


def test_chance_makes_no_season() -> None:
    sizes = []
    for seed in range(20):
        _, noise, hours, cells = drawn(seed)
        sizes.append(np.std(hour_effects(noise, hours, cells, np.ones(COUNT))))
    # Hours' means alone would differ by 0.07.
    assert np.mean(sizes) < 0.025 and min(sizes) == 0


def test_values_that_hardly_differ_stay_as_they_are() -> None:
    generator, _, hours, cells = drawn(2)
    constant = np.where(generator.random(COUNT) < 0.01, 99_700.0, 100_000.0)
    assert not hour_effects(constant, hours, cells, np.ones(COUNT)).any()


def test_one_load_of_a_day_moves_no_hour() -> None:
    _, noise, hours, cells = drawn(3)
    moved = noise.copy()
    moved[0] = 1000
    usual, beside = (hour_effects(each, hours, cells, np.ones(COUNT)) for each in (noise, moved))
    assert np.abs(beside - usual).max() < 0.03


def test_many_visits_of_one_user_count_as_few() -> None:
    _, noise, hours, cells = drawn(4)
    is_of_bot = np.arange(COUNT) < 300
    hours[is_of_bot], noise[is_of_bot] = 7, noise[is_of_bot] / 5 + 0.5
    counts = np.where(is_of_bot, 1 / 60, 1.0)
    as_many, as_few = (
        np.abs(hour_effects(noise, hours, cells, each)[is_of_bot]).max() for each in (np.ones(COUNT), counts)
    )
    assert as_few < 0.3 * as_many
