"""The keys in use, read again without a restart: when a file of theirs changes, and on SIGHUP."""

import logging
import re
import signal
from collections.abc import Callable
from dataclasses import fields, replace
from http import HTTPStatus
from pathlib import Path
from types import FrameType

from errata_shipper.client import ServerClient
from errata_shipper.errors import ConfigurationInvalid, ServerUnreachable
from errata_shipper.settings import SECTION, Settings, load_settings
from errata_shipper.settings_warnings import warnings_about

# What may change while the shipper runs; the rest needs a restart.
_RELOADED = ("api_key", "app_key", "secret_files")

log = logging.getLogger(__name__)

# Of each file its path, inode, size and time of change; the path alone if it is not there.
_State = tuple[tuple[object, ...], ...]


class KeyRing:
    def __init__(
        self,
        path: Path,
        settings: Settings,
        client: ServerClient,
        on_change: Callable[[Settings], None] = lambda settings: None,
    ) -> None:
        self.is_refused = False
        # Called with the settings whose keys are used from now on.
        self.on_change = on_change
        self._path = path
        self._settings = settings
        self._client = client
        self._is_asked = False
        self._used = self._seen = self._state()

    def read_on_hangup(self) -> None:
        signal.signal(signal.SIGHUP, self._on_hangup)

    def note_refusal(self) -> None:
        """The server does not take the keys in use: others may do, also those it did not take before."""
        self.is_refused = True
        self._seen = self._used

    def note_acceptance(self) -> None:
        self.is_refused = False

    def refresh(self) -> bool:
        """Read the keys again if there is reason to; True if delivery is worth a try at once."""
        if not self._is_asked and self._state() == self._seen:
            return False
        was_asked, self._is_asked, self._seen = self._is_asked, False, self._state()
        try:
            is_changed = self._take(load_settings(self._path))
        except ConfigurationInvalid as error:
            for line in str(error).splitlines():
                log.error("%s", line)
            log.error("%s was not applied; keeping the current keys", self._path)
            return False
        return is_changed or (was_asked and self.is_refused)

    def _on_hangup(self, number: int, frame: FrameType | None) -> None:
        self._is_asked = True

    def _take(self, settings: Settings) -> bool:
        for warning in [*warnings_about(self._path, settings), *self._unchangeable(settings)]:
            log.warning("%s", warning)
        names = [
            name
            for name in ("api_key", "app_key")
            if getattr(settings, name) != getattr(self._settings, name)
        ]
        words = " and ".join(f"{SECTION}.{_field(name)}" for name in names)
        if not names:
            self._adopt(settings)
            log.info("%s was reloaded; keys unchanged", self._path)
            return False
        if (why := self._refusal(settings)) is not None:
            log.error("%s: the server rejected the new %s; keeping the current keys", why, words)
            return False
        self._adopt(settings)
        self.on_change(settings)
        log.info("%s was reloaded; using the new %s from now on", self._path, words)
        return True

    def _adopt(self, settings: Settings) -> None:
        self._used = self._seen
        self._settings = replace(self._settings, **{name: getattr(settings, name) for name in _RELOADED})

    def _refusal(self, settings: Settings) -> str | None:
        """Use the new keys; what the server has against them, if so, and the old ones are used on."""
        self._client.use_keys(settings.api_key, settings.app_key)
        try:
            answer = self._client.ingest(b"", "identity", "key-check", None)
        except ServerUnreachable:
            # Nobody can say now: what the operator wrote holds.
            return None
        is_refusal = answer.status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN, HTTPStatus.NOT_FOUND)
        # What another server answers says nothing of keys either.
        if not (is_refusal and answer.error):
            return None
        self._client.use_keys(self._settings.api_key, self._settings.app_key)
        is_app_key = answer.status == HTTPStatus.NOT_FOUND
        return "Application Not Found" if is_app_key else "Authentication failed"

    def _unchangeable(self, settings: Settings) -> list[str]:
        names = [field.name for field in fields(Settings) if field.name not in _RELOADED]
        return [
            f"{SECTION}.{_field(name)} changed; restart the shipper to apply it"
            for name in names
            if getattr(settings, name) != getattr(self._settings, name)
        ]

    def _state(self) -> _State:
        return tuple(_state_of(path) for path in (self._path, *self._settings.secret_files))


def _state_of(path: Path) -> tuple[object, ...]:
    try:
        state = path.stat()
    except OSError:
        return (path,)
    return path, state.st_ino, state.st_size, state.st_mtime_ns


def _field(name: str) -> str:
    """The field of errata.yaml that an attribute of Settings was read from."""
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), name.removesuffix("_seconds"))
