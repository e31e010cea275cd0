"""The order of releases, against a model that compares them one by one."""

import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from errata.warehouse.roles import Role
from tests.builders import an_error_event, an_issue_action, insert
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

BEGIN = datetime(2026, 11, 1, tzinfo=UTC)
LISTED = """
    select release from errata_read.releases order by position
"""
VERSION = re.compile(r"(?:(.+)@)?v?(\d+(?:\.\d+){1,3})(?:-([0-9A-Za-z.-]+))?(?:\+([0-9A-Za-z.-]+))?")


@dataclass(frozen=True)
class Release:
    text: str
    first_seen: datetime

    @property
    def parts(self) -> "re.Match[str] | None":
        return VERSION.fullmatch(self.text)

    @property
    def package(self) -> str:
        return (self.parts[1] or "") if self.parts else self.text

    @property
    def precedence(self) -> tuple[Any, ...]:
        assert self.parts
        numbers = [int(number) for number in self.parts[2].split(".")]
        stage = words(self.parts[3]) if self.parts[3] else [(2, 0, "")]
        return (numbers + [0] * (4 - len(numbers)), stage, words(self.parts[4]) if self.parts[4] else [])


def words(text: str) -> list[tuple[int, int, str]]:
    return [(0, int(word), "") if word.isdecimal() else (1, 0, word) for word in text.split(".")]


def in_order(releases: list[Release]) -> list[str]:
    def is_comparable(one: Release, other: Release) -> bool:
        return bool(one.parts and other.parts) and one.package == other.package

    def place(release: Release) -> tuple[Any, ...]:
        above = [
            other.first_seen
            for other in releases
            if is_comparable(release, other)
            and (other.precedence, other.first_seen, other.text)
            >= (release.precedence, release.first_seen, release.text)
        ]
        precedence = release.precedence if release.parts else ([], [], [])
        return (
            min([release.first_seen, *above]),
            bool(release.parts),
            release.package,
            precedence,
            release.first_seen,
            release.text,
        )

    return [release.text for release in sorted(releases, key=place)]


def store(warehouse: WarehouseProcess, releases: list[Release]) -> None:
    events = [
        an_error_event(occurred_at=release.first_seen + timedelta(days=later), release=release.text)
        for release in releases
        for later in (0, 3)
    ]
    insert(warehouse.client(Role.INGEST), "errata_raw.error_events", events)


def listed(warehouse: WarehouseProcess) -> list[str]:
    return [row["release"] for row in warehouse.client(Role.READ).rows(LISTED, {"project_id": 7})]


ASCENDING = [
    "shop@1.0.0-alpha",
    "shop@1.0.0-alpha.1",
    "shop@1.0.0-alpha.beta",
    "shop@1.0.0-beta.2",
    "shop@1.0.0-beta.11",
    "shop@1.0.0-rc.1",
    "shop@1.0",
    "shop@1.0.0+5",
    "shop@1.0.0+12",
    "shop@1.0.0.7",
    "shop@v1.2.3",
    "shop@1.10.0",
    "shop@2026.11.1",
]


@pytest.mark.parametrize("seed", range(2))
def test_versions_are_in_their_order_whenever_they_were_seen(warehouse: WarehouseProcess, seed: int) -> None:
    shuffled = random.Random(seed).sample(ASCENDING, len(ASCENDING))
    store(warehouse, [Release(text, BEGIN + timedelta(hours=n)) for n, text in enumerate(shuffled)])
    assert listed(warehouse) == ASCENDING


@pytest.mark.slow
def test_the_order_is_that_of_the_model(warehouse: WarehouseProcess) -> None:
    chance = random.Random(11)
    texts = {
        f"{package}{major}.{minor}{end}"
        for package in ("", "shop@", "worker@")
        for major in (1, 2)
        for minor in (0, 3, 11)
        for end in ("", "-rc.1", "+7")
        if chance.random() < 0.6
    } | {"9f8e7d6c", "shop@9f8e7d6c", "2026-11-20", "main", "1", "shop@", "shop@1.x", "ü@1.0", "1.2.3.4.5"}
    releases = [Release(text, BEGIN + timedelta(minutes=chance.randrange(9000))) for text in sorted(texts)]
    store(warehouse, releases[::2])
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_releases")
    let_bound_take_hold(warehouse)
    store(warehouse, releases[1::2])
    assert listed(warehouse) == in_order(releases)


@pytest.mark.slow
def test_a_release_named_before_it_is_seen_comes_after_all_that_were(warehouse: WarehouseProcess) -> None:
    store(warehouse, [Release("abc", BEGIN), Release("1.0", BEGIN), Release("1.2", BEGIN)])
    detail = '{"in": "release", "release": "%s"}'
    rows = [an_issue_action(issue_id=n, detail=detail % name) for n, name in enumerate(["def", "1.1", "1.2"])]
    insert(warehouse.client(Role.INGEST), "errata_raw.issue_actions", rows)
    assert listed(warehouse) == ["abc", "1.0", "1.1", "1.2", "def"]
