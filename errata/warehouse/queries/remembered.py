"""What a web process keeps of answers that change with a build only."""

import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock
from typing import Any, Generic, TypeVar

from errata.errors import ErrataError

log = logging.getLogger("errata.queries")

Kept = TypeVar("Kept")

# Nobody waits for a new build's answer that takes longer, where an older one is at hand.
SLOW_SECONDS = 0.25
OLD_SECONDS = 60
ASKING_ANEW = ThreadPoolExecutor(max_workers=1, thread_name_prefix="asking-anew")


def keep_last(known: dict[Any, Any], most: int) -> None:
    """Forgets what was put in first."""
    for key in list(known)[: max(0, len(known) - most)]:
        known.pop(key, None)


@dataclass(frozen=True)
class _Answer(Generic[Kept]):
    value: Kept
    version: Hashable
    asked_at: float
    is_costly: bool

    @property
    def may_stand(self) -> bool:
        """For one of another version, until that is asked for."""
        return self.is_costly and time.monotonic() - self.asked_at < OLD_SECONDS


@dataclass
class _Entry(Generic[Kept]):
    lock: Lock = field(default_factory=Lock)
    """Held by who asks: others with the same question wait for the answer."""
    answer: _Answer[Kept] | None = None
    is_being_asked: bool = False


class Remembered(Generic[Kept]):
    """Thread-safe. The questions asked last are kept."""

    def __init__(
        self, most: int, only_costly: bool = False, is_large: Callable[[Kept], bool] | None = None
    ) -> None:
        """Costly is what takes long to ask, or, if that is told, what is large. `only_costly`: anything else
        is asked every time."""
        self._most = most
        self._only_costly = only_costly
        self._is_large = is_large
        self._entries: OrderedDict[Hashable, _Entry[Kept]] = OrderedDict()
        self._lock = Lock()

    def answer(self, question: Hashable, version: Hashable, ask: Callable[[], Kept]) -> Kept:
        """That of this version; of one before it where asking takes long, which is then done meanwhile."""
        entry = self._entry(question)
        known = entry.answer
        if known is not None and self._holds(known, version):
            return known.value
        if known is not None and known.may_stand:
            self._ask_meanwhile(entry, version, ask)
            return known.value
        with entry.lock:
            known = entry.answer
            if known is None or not self._holds(known, version):
                known = entry.answer = self._asked(version, ask)
            return known.value

    def _holds(self, known: _Answer[Kept], version: Hashable) -> bool:
        return known.version == version and (known.is_costly or not self._only_costly)

    def _entry(self, question: Hashable) -> _Entry[Kept]:
        with self._lock:
            entry = self._entries.setdefault(question, _Entry())
            self._entries.move_to_end(question)
            if len(self._entries) > self._most:
                self._entries.popitem(last=False)
            return entry

    def _ask_meanwhile(self, entry: _Entry[Kept], version: Hashable, ask: Callable[[], Kept]) -> None:
        with self._lock:
            if entry.is_being_asked:
                return
            entry.is_being_asked = True
        ASKING_ANEW.submit(self._ask_anew, entry, version, ask)

    def _ask_anew(self, entry: _Entry[Kept], version: Hashable, ask: Callable[[], Kept]) -> None:
        try:
            entry.answer = self._asked(version, ask)
        except ErrataError:
            # Whoever asks next asks again.
            log.exception("an answer could not be renewed")
        finally:
            entry.is_being_asked = False

    def _asked(self, version: Hashable, ask: Callable[[], Kept]) -> _Answer[Kept]:
        began = time.monotonic()
        value = ask()
        ended = time.monotonic()
        is_costly = self._is_large(value) if self._is_large else ended - began > SLOW_SECONDS
        return _Answer(value, version, ended, is_costly)
