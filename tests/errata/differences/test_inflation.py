"""Users of a group that no tag names differ in everything: only what stands out from that is told."""

from dataclasses import replace

import numpy as np
import pytest

from errata.differences.findings import Finding, Found, Verdict
from errata.differences.inflation import MARGIN, inflation
from errata.differences.lift import Interval
from errata.differences.redundancy import DistinctFinding
from tests.errata.differences.worlds import ISSUE, WORLDS, World, events_of_trial, told_of

TRIALS = 12


def a_finding(tag: str) -> Finding:
    return Finding(tag, "1", 80, 0.8, 300, 0.3, 2.6, Interval(2.0, 3.0), 1e-9, 0.4)


def told(world: World, number: int) -> Found:
    events = events_of_trial(world, 1, np.random.default_rng([34, number]))
    return told_of(events, lambda event: event["variant_hash"] == 1000 + ISSUE)[0]


@pytest.mark.slow
def test_what_users_of_struck_companies_have_in_common_is_no_difference() -> None:
    runs = [told(WORLDS["companies that no tag names"], number) for number in range(TRIALS)]
    assert sum(bool(run.findings) for run in runs) <= 1
    assert Verdict.TOO_FEW in {run.verdict for run in runs}


@pytest.mark.slow
def test_what_stands_out_from_what_companies_have_in_common_is_told() -> None:
    world = replace(WORLDS["companies that no tag names"], users=200, planted="browser")
    runs = [told(world, number) for number in range(TRIALS)]
    found = [[(each.tag, each.value) for each in run.findings] for run in runs]
    assert found.count([world.planted_value]) >= TRIALS // 2
    assert sum(len(each) > 1 for each in found) <= 1


def test_only_most_tags_that_no_finding_explains_are_taken_for_a_group() -> None:
    others = dict.fromkeys(("plan", "theme", "locale", "country"), 1.0)
    along = dict.fromkeys(("browser", "os", "device", "version", "build"), 30.0)
    apart = [DistinctFinding(a_finding(tag), ()) for tag in along]
    explained = [DistinctFinding(a_finding("browser"), tuple(map(a_finding, list(along)[1:])))]
    assert inflation(others | along, apart) == 30 * MARGIN
    assert inflation(others | along, explained) == 1
    assert inflation(others | {"browser": 30.0, "os": 30.0}, apart[:2]) == 1
    assert inflation(along, explained) == 1
    assert inflation({}, []) == 1
