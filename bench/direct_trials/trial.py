"""One trial: senders at work, a fault, and what is stored of all that was acknowledged."""

import itertools
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence

from bench.direct_trials.senders import Senders, Sent
from bench.direct_trials.target import Target
from bench.figures import figure
from bench.full_disk import fill

BEFORE_SECONDS = 10.0
AFTER_SECONDS = 10.0
KILL_EVERY_SECONDS = 4.0
# Nothing more was stored for so long: nothing more will be. Less where it may be all.
STILL_SECONDS = 90.0
COMPLETE_SECONDS = 15.0

Fault = Callable[[Target, Senders, float], Counter[str]]
"""Returns how often each part was killed."""


def outage(target: Target, senders: Senders, seconds: float) -> Counter[str]:
    senders.phase = "outage"
    target.hold_database(seconds)
    return Counter()


def outage_and_kills(target: Target, senders: Senders, seconds: float) -> Counter[str]:
    """Meanwhile what takes events is killed again and again."""
    senders.phase = "outage"
    holding = threading.Thread(target=target.hold_database, args=(seconds,))
    holding.start()
    killed = _kill(target, target.parts[:1], seconds - KILL_EVERY_SECONDS)
    holding.join()
    return killed


def full_disk(target: Target, senders: Senders, seconds: float) -> Counter[str]:
    """First writes break off; then the whole disk is full, to its last byte."""
    senders.phase = "broken_writes"
    target.break_writes(seconds / 2)
    senders.phase = "between"
    time.sleep(BEFORE_SECONDS)
    senders.phase = "full_disk"
    ballast = target.directory.parent / "ballast"
    until = time.monotonic() + seconds / 2
    while time.monotonic() < until:
        fill(ballast, 0)
        time.sleep(0.5)
    ballast.unlink()
    return Counter()


def kills(target: Target, senders: Senders, seconds: float) -> Counter[str]:
    senders.phase = "kills"
    return _kill(target, target.parts, seconds)


def _kill(target: Target, parts: Sequence[str], seconds: float) -> Counter[str]:
    until, killed = time.monotonic() + seconds, Counter[str]()
    for part in itertools.cycle(parts):
        target.kill(part)
        killed[part] += 1
        time.sleep(KILL_EVERY_SECONDS)
        if time.monotonic() > until:
            break
    return killed


FAULTS: dict[str, Fault] = {
    "outage": outage,
    "outage_and_kills": outage_and_kills,
    "full_disk": full_disk,
    "kills": kills,
}


def run(target: Target, fault: str, seconds: float, rate: float) -> bool:
    """Whether nothing was lost or counted twice."""
    with Senders(target.ways, rate) as senders:
        time.sleep(BEFORE_SECONDS)
        killed = FAULTS[fault](target, senders, seconds)
        senders.phase = "after"
        time.sleep(AFTER_SECONDS)
    acknowledged = sum(len(sent.acknowledged) for sent in senders.sent.values())
    settled_after = _settled_after(target, acknowledged)
    stored = target.stored()
    counted, different = target.counted()
    name, lost, doubled = f"{target.name}_{fault}", 0, abs(counted - different)
    for way, sent in senders.sent.items():
        copies = stored[way]
        missing = sum(number not in copies for number in sent.acknowledged)
        again = sum(count - 1 for count in copies.values())
        lost, doubled = lost + missing, doubled + again
        figure(f"{name}_{way}_acknowledged", len(sent.acknowledged), "requests", lost=missing, doubled=again)
    figure(f"{name}_lost", lost, "events", acknowledged=acknowledged, killed=killed)
    figure(f"{name}_doubled", doubled, "events", counted_by_issues=counted, stored_errors=different)
    _tell_answers(name, list(senders.sent.values()))
    figure(f"{name}_settled_after", settled_after, "s")
    return not lost and not doubled


def _tell_answers(name: str, sent: list[Sent]) -> None:
    refused: dict[str, int] = {}
    waits: dict[str, list[float]] = {}
    for one in sent:
        for what, count in [*one.refused.items(), *one.unanswered.items()]:
            refused[str(what)] = refused.get(str(what), 0) + count
        for phase, each in one.waits.items():
            waits.setdefault(phase, []).extend(each)
    figure(f"{name}_not_acknowledged", sum(refused.values()), "requests", **refused)
    for phase, each in waits.items():
        each.sort()
        p99, most = each[len(each) * 99 // 100], each[-1]
        p50 = each[len(each) // 2] * 1000
        facts = {"p99": round(p99 * 1000, 1), "most": round(most * 1000, 1), "answers": len(each)}
        figure(f"{name}_p50_{phase}", p50, "ms", **facts)


def _settled_after(target: Target, acknowledged: int) -> float:
    """In seconds, since the senders ended until nothing more was stored."""
    began = moved = time.monotonic()
    before: int | None = -1
    while time.monotonic() - moved < (COMPLETE_SECONDS if (before or 0) >= acknowledged else STILL_SECONDS):
        time.sleep(2)
        if (now := target.waiting()) != before:
            before, moved = now, time.monotonic()
    return moved - began
