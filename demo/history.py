"""The weeks before now, as the log files in which a shop's SDKs would have left them."""

import json
import os
from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property, partial
from itertools import accumulate
from math import exp
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from errata_sdk.line import line_of

from demo import jobs, story
from demo.originals import Originals
from demo.stencil import Copy

_CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0"
_SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1"
DESKTOP = (
    (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36", 34),
    (f"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) {_SAFARI} Safari/605.1.15", 10),
    ("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:148.0) Gecko/20100101 Firefox/148.0", 12),
    (f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {_CHROME} Safari/537.36 Edg/156.0.0.0", 9),
)
MOBILE = (
    (f"Mozilla/5.0 (Linux; Android 14; Pixel 7) {_CHROME} Mobile Safari/537.36", 20),
    (f"Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) {_SAFARI} Mobile/15E148 Safari/604.1", 18),
)
BROWSERS = (*DESKTOP, *MOBILE)
MOBILES = frozenset(name for name, _ in MOBILE)
COUNTRIES = (
    ("DE", 30),
    ("GB", 20),
    ("FR", 14),
    ("NL", 9),
    ("SE", 8),
    ("PT", 6),
    ("CZ", 5),
    ("JP", 5),
    ("MC", 1),
)
PLANS = (("free", 6), ("team", 3), ("enterprise", 2))
NAMES = (
    *(
        "ada",
        "omar",
        "lena",
        "kenji",
        "ines",
        "zoe",
        "mara",
        "felix",
        "noor",
        "ivo",
        "sofia",
        "jonas",
        "amelie",
    ),
    *("tariq", "greta", "luca", "hana", "pavel", "ruth", "emil"),
)
WITH_RESOURCES = 0.04
"""Of page loads: the shop samples what its pages fetch."""
WHOLE = timedelta(hours=36)
"""Before now: in it, everything is kept."""
REPLAYED = timedelta(days=28)
"""Before now: replays are kept for thirty days."""
LOGGED_AFTER = timedelta(seconds=3)
NOT_YET = timedelta(minutes=2)
"""Before now there is nothing: what is written is received a moment later."""

T = TypeVar("T")


def written(logs: Path, app_key: str, weeks: int, now: datetime) -> Iterator[tuple[int, int]]:
    """Writes a log file for each day, the last one until now; yields the number of days done, and of all."""
    past = History(now, weeks, app_key)
    days = past.days
    logs.mkdir(mode=0o750, exist_ok=True)
    for done, day in enumerate(days, start=1):
        path = logs / f"errata-{day:%Y-%m-%d}.log"
        if not path.exists():
            _write(path, past.lines(day))
        yield done, len(days)


def recurrence(app_key: str, now: datetime) -> list[bytes]:
    """Lines of the bug that was resolved, as the newest release's visitors meet it again now."""
    past = History(now, 1, app_key)
    random = Random(f"{story.SEED} recurrence")
    return [
        line
        for n in range(story.BROUGHT_BACK)
        for line in past.error(
            story.COMES_BACK, now + timedelta(milliseconds=20 * n), story.NEWEST.version, random
        )
    ]


@dataclass
class History:
    now: datetime
    weeks: int
    app_key: str

    @cached_property
    def originals(self) -> Originals:
        return Originals.read()

    @cached_property
    def people(self) -> list[dict[str, str]]:
        random = Random(f"{story.SEED} people")
        return [_person(number, random) for number in range(story.PEOPLE)]

    @cached_property
    def since(self) -> datetime:
        midnight = self.now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
        return midnight - timedelta(weeks=self.weeks)

    @property
    def days(self) -> list[datetime]:
        return [self.since + timedelta(days=n) for n in range(self.weeks * 7 + 1)]

    def lines(self, day: datetime) -> list[bytes]:
        """In order of time, those of one day that has a generator of its own."""
        random = Random(f"{story.SEED} {day - self.since}")
        busy = self._traffic(day)
        moments: list[tuple[datetime, Any]] = []
        for _ in range(round(story.LOADS_A_DAY * busy)):
            moments.append((_moment(day, random), self._load))
        for _ in range(round(story.CALLS_A_DAY * busy)):
            moments.append((_moment(day, random), self._call))
        for fault in story.FAULTS:
            for _ in range(_count(fault.a_day * busy, random)):
                moments.append((_moment(day, random), fault))
        for run, status in jobs.runs_of(day, self.now):
            # All of it, or nothing: the rest would be missing forever.
            if run.ended < self.now - NOT_YET:
                for at, told in ((run.began, "in_progress"), (run.ended, status)):
                    moments.append((at - LOGGED_AFTER, partial(self._check_in, run, told)))
        found: list[bytes] = []
        for moment, made in sorted(moments, key=lambda each: each[0]):
            # Told beforehand by the generator, so that a day's lines do not depend on the time of the start.
            lines = (
                [*self._of_fault(made, moment, random)]
                if isinstance(made, story.Fault)
                else [*made(moment, random)]
            )
            if moment < self.now - NOT_YET:
                found += lines
        return found

    def _traffic(self, day: datetime) -> float:
        return story.traffic(day, (day - self.since).days / (self.weeks * 7))

    def _release(self, moment: datetime) -> tuple[int, story.Release]:
        return story.release_at(moment, self.since, self.now)

    def _load(self, moment: datetime, random: Random) -> Iterator[bytes]:
        _, release = self._release(moment)
        page = _chosen(tuple(story.VISITED.items()), random)
        load = random.choice(self.originals.loads[page])
        agent = _chosen(BROWSERS, random)
        lasts = story.LOAD_MS[page] * exp(random.gauss(0, story.SPREAD))
        lasts *= release.checkout if page == story.CHECKOUT else release.pages
        lasts *= story.MOBILE if agent in MOBILES else 1.0
        copy = Copy(
            moment,
            release.version,
            "staging" if random.random() < story.STAGING else "production",
            agent,
            self._visitor(random),
            slower=lasts / load.load_ms,
            scripts=release.scripts,
        )
        whole = self.now - moment < WHOLE or random.random() < WITH_RESOURCES
        for stencil in load.whole if whole else load.measured:
            yield stencil.line(copy, self.app_key, random, LOGGED_AFTER)
        yield random.choice(self.originals.sessions).line(copy, self.app_key, random, LOGGED_AFTER)

    def _call(self, moment: datetime, random: Random) -> Iterator[bytes]:
        _, release = self._release(moment)
        call = random.choices(self.originals.calls, self.originals.call_weights)[0]
        slower = call.median_ms / call.lasts_ms * exp(random.gauss(0, story.SPREAD))
        copy = Copy(moment, release.version, "production", "", self._visitor(random), slower=slower)
        yield call.stencil.line(copy, self.app_key, random, LOGGED_AFTER)

    def _check_in(self, run: jobs.Run, status: str, moment: datetime, random: Random) -> Iterator[bytes]:
        yield run.line(status, self.app_key)

    def _of_fault(self, fault: story.Fault, moment: datetime, random: Random) -> Iterator[bytes]:
        number, release = self._release(moment)
        if number in fault.releases:
            yield from self.error(fault, moment, release.version, random)

    def error(self, fault: story.Fault, moment: datetime, release: str, random: Random) -> Iterator[bytes]:
        agent = _chosen(tuple(each for each in BROWSERS if fault.browser in each[0]), random)
        copy = Copy(moment, release, "production", agent, self._visitor(random, fault.plan))
        chosen = random.choice(self.originals.errors[fault.case])
        is_replayed = self.now - moment < REPLAYED
        event, *replay = chosen.lines(copy, self.app_key, random, LOGGED_AFTER, is_replayed=is_replayed)
        yield from (event, *replay)
        if is_replayed:
            yield from self._wrote(fault, copy, json.loads(event)["payload"])

    def _wrote(self, fault: story.Fault, copy: Copy, event: dict[str, Any]) -> Iterator[bytes]:
        """What the person who met the fault wrote about it, if anything."""
        random = Random(f"{story.SEED} wrote {copy.at}")
        if fault.case not in story.WROTE or random.random() >= story.WROTE_OF:
            return
        said = {
            "message": random.choice(story.WROTE[fault.case]),
            "associated_event_id": event["event_id"],
            "replay_id": event.get("tags", {}).get("replayId", ""),
            "url": event.get("request", {}).get("url", ""),
        }
        if copy.person is not None:
            said |= {"contact_email": copy.person["email"], "name": copy.person["email"].partition("@")[0]}
        payload = {
            "event_id": f"{random.getrandbits(128):032x}",
            "timestamp": copy.at.timestamp(),
            "environment": copy.environment,
            "release": copy.release,
            "contexts": {"feedback": said},
        }
        yield line_of("feedback", self.app_key, {}, payload, now=(copy.at + LOGGED_AFTER).timestamp())

    def _visitor(self, random: Random, plan: str = "") -> dict[str, str] | None:
        people = [person for person in self.people if person["plan"] == plan] if plan else self.people
        # Some people come often.
        number = int(len(people) * random.random() ** 2)
        return people[number] if plan or random.random() < story.SIGNED_IN else None


def _person(number: int, random: Random) -> dict[str, str]:
    return {
        "id": f"{2000 + number}",
        "email": f"{NAMES[number % len(NAMES)]}{number}@example.org",
        "plan": _chosen(PLANS, random),
        "country": _chosen(COUNTRIES, random),
        # Addresses for documentation.
        "ip_address": f"203.0.113.{number % 254 + 1}",
    }


def _moment(day: datetime, random: Random) -> datetime:
    hour = _chosen(tuple(enumerate(story.HOURS)), random)
    return day + timedelta(hours=hour, seconds=random.uniform(0, 3599))


def _count(expected: float, random: Random) -> int:
    """Of a Poisson distribution: as many arrivals, at random, in a time of this length."""
    count, passed = 0, random.expovariate(1)
    while passed < expected:
        count, passed = count + 1, passed + random.expovariate(1)
    return count


def _chosen(weighted: "tuple[tuple[T, int], ...]", random: Random) -> T:
    sums = [*accumulate(weight for _, weight in weighted)]
    return weighted[bisect(sums, random.random() * sums[-1])][0]


def _write(path: Path, lines: list[bytes]) -> None:
    """Whole or not at all: the shipper may read at any moment."""
    made = path.with_suffix(".part")
    descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o640)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(lines)
    made.rename(path)
