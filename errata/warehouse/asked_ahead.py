"""Questions that a process asks of new versions before its readers do.

Of new versions nothing is cached, so the first reader of a page after a build would wait for seconds. A
process therefore reads the versions it has until it has asked the new ones what its readers asked lately. All
statements of a page read the same versions, before and after; where nobody reads, nothing is asked.
"""

import logging
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from threading import Lock
from time import monotonic
from typing import Any

from errata.errors import ErrataError
from errata.warehouse.published import Asks, Builds, Snapshot, all_published, one_snapshot

log = logging.getLogger(__name__)

RECENT_SECONDS = 300.0
MOST_QUESTIONS = 500
# Nobody may read versions that were replaced 90 s ago (build_progress.sql), and a request takes up to 20 s.
HELD_SECONDS = 45.0
# No question is begun later than this after new versions were found, and none takes longer.
AHEAD_SECONDS = 20.0


@dataclass(frozen=True)
class Question:
    """`ask` fills the cache with the answer of the versions in the snapshot; `marts` are those it reads."""

    ask: Callable[[], Any]
    marts: frozenset[str]
    asked_at: float


_IS_PART = ContextVar("is_part", default=False)


@contextmanager
def one_question() -> Iterator[None]:
    """What is asked within is part of a question, and not asked ahead by itself."""
    token = _IS_PART.set(True)
    try:
        yield
    finally:
        _IS_PART.reset(token)


class AskedAhead:
    """The versions that readers of a process read, and what they asked lately. Thread-safe. `warehouse`: the
    servers that have the versions."""

    def __init__(self, warehouse: Asks) -> None:
        self._warehouse = warehouse
        self._address = warehouse.address
        self._lock = Lock()
        self._recent: OrderedDict[Hashable, Question] = OrderedDict()
        self._held: Builds | None = None
        self._held_until = 0.0

    def snapshot(self) -> Snapshot:
        """Of the held versions; of those published then, if none are held."""
        return Snapshot(self.held())

    def held(self) -> Mapping[str, Builds]:
        """The held versions by the address of their servers; nothing if none are held."""
        with self._lock:
            held = self._held if monotonic() < self._held_until else None
            return {} if held is None else {self._address: held}

    def note(self, key: Hashable, ask: Callable[[], Any], marts: Iterable[str]) -> None:
        """A reader has asked this."""
        if _IS_PART.get():
            return
        with self._lock:
            self._recent[key] = Question(ask, frozenset(marts), monotonic())
            self._recent.move_to_end(key)
            if len(self._recent) > MOST_QUESTIONS:
                self._recent.popitem(last=False)

    def renew(self) -> None:
        """Reads the versions published now, once they have been asked what was asked lately. To be called
        about every second."""
        began = monotonic()
        recent = self._asked_since(began - RECENT_SECONDS)
        newest = all_published(self._warehouse) if recent else None
        if newest and self._held and began < self._held_until:
            changed = {mart for mart, build in newest.items() if build != self._held.get(mart)}
            self._ask([each for each in recent if each.marts & changed], newest, began + AHEAD_SECONDS)
        with self._lock:
            self._held, self._held_until = newest, began + HELD_SECONDS

    def _asked_since(self, moment: float) -> list[Question]:
        """The newest first."""
        with self._lock:
            while self._recent and next(iter(self._recent.values())).asked_at < moment:
                self._recent.popitem(last=False)
            return list(reversed(self._recent.values()))

    def _ask(self, questions: Iterable[Question], builds: Builds, until: float) -> None:
        with one_snapshot(Snapshot({self._address: builds}, is_ahead=True)):
            for question in questions:
                if monotonic() >= until:
                    return
                try:
                    question.ask()
                except ErrataError as error:
                    # Its next reader is told.
                    log.info("A question could not be asked ahead: %s", error)
