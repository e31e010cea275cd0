"""Whether the server is there and takes the keys, and what is said of it."""

import logging

from errata_shipper.client import Client
from errata_shipper.clock import Clock
from errata_shipper.delivery import Delivery, Hold, key_refusal
from errata_shipper.errors import ServerUnreachable
from errata_shipper.explanation import not_errata
from errata_shipper.key_ring import KeyRing

_VERIFY_SECONDS = 10.0

log = logging.getLogger(__name__)


class Connection:
    def __init__(
        self,
        client: Client,
        delivery: Delivery,
        clock: Clock,
        flush_interval_seconds: float,
        keys: KeyRing | None,
    ) -> None:
        self._client = client
        self._delivery = delivery
        self._clock = clock
        self._verify_seconds = max(_VERIFY_SECONDS, flush_interval_seconds)
        self._keys = keys
        self._verify_at = float("-inf")
        self.is_made = False

    @property
    def is_to_verify(self) -> bool:
        return self._verify_at <= self._clock.monotonic()

    def refresh_keys(self) -> bool:
        """Use the keys that are there now; True if what waited for a better key may go."""
        if self._keys is None:
            return False
        was_refused = self._keys.is_refused
        if not self._keys.refresh():
            return False
        self._delivery.refused_pause.end()
        self.is_made = False
        self._verify_at = float("-inf")
        return was_refused

    def verify(self) -> Hold | ServerUnreachable | None:
        """With nothing delivered yet, whether server and key are right; a Hold if the key is not."""
        self._verify_at = self._clock.monotonic() + self._verify_seconds
        try:
            answer = self._client.verify_key()
            is_valid = answer.status == 200 and answer.document.get("valid") is True
            if not (is_valid or answer.error):
                raise not_errata(answer.status_line)
        except ServerUnreachable as error:
            log.warning("%s", error)
            return error
        if is_valid:
            self.note_made()
        if answer.status != 401:
            return None
        log.error("Authentication failed")
        seconds = self._delivery.refused_pause.next_seconds()
        self._verify_at = self._clock.monotonic() + seconds
        return Hold(seconds, 0, key_refusal(answer), is_ambiguous=False, status=answer.status)

    def note_made(self) -> None:
        self._verify_at = float("inf")
        if self._keys is not None:
            self._keys.note_acceptance()
        if not self.is_made:
            self.is_made = True
            log.info("Connected to errata")

    def note_lost(self) -> None:
        self.is_made = False

    def note_refused(self) -> None:
        self.is_made = False
        if self._keys is not None:
            self._keys.note_refusal()
