"""Whether a running part still answers: one that does not, for too long, is as bad as a dead one."""

import time
from collections.abc import Callable

ASK_EVERY_SECONDS = 5.0
HUNG_AFTER_SECONDS = 20.0
READY_WITHIN_SECONDS = 60.0
# Time alone proves nothing where the supervisor itself was held up.
QUESTIONS = 3


class Silence:
    """Asks one part now and then. `answers` must come back within seconds, whatever the part does."""

    def __init__(self, answers: Callable[[], bool], clock: Callable[[], float] = time.monotonic) -> None:
        self._answers = answers
        self._clock = clock
        self.begin()

    def begin(self) -> None:
        """At each start of the part."""
        self._began_at = self._asked_at = self._clock()
        self._has_answered = False
        self._unanswered = 0

    def seconds(self) -> float:
        """For how long the part has been silent if it is hung, else 0. Asks if it is time to."""
        if self._clock() - self._asked_at >= ASK_EVERY_SECONDS:
            self._probe()
        silent = self._clock() - self._began_at
        patience = HUNG_AFTER_SECONDS if self._has_answered else READY_WITHIN_SECONDS
        return silent if self._unanswered >= QUESTIONS and silent > patience else 0.0

    def _probe(self) -> None:
        asked_at = self._clock()
        if self._answers():
            self._has_answered = True
            self._unanswered = 0
            self._began_at = asked_at
        else:
            self._unanswered += 1
        self._asked_at = self._clock()
