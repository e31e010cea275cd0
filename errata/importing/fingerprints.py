"""Fingerprints that an SDK or a rule in Sentry set: stored events have them, and lists of events do not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from errata.importing.errors import SentryUnusable
from errata.importing.sentry import Sentry

DEFAULT = "{{default}}"
# An older Sentry, a token that may not, or an event that is gone since.
UNKNOWN = frozenset({403, 404})


@dataclass
class Fingerprints:
    """Of one project. The first event of an issue says whether its other events have to be asked for, too:
    an issue by a fingerprint has no event without one."""

    sentry: Sentry
    project: str
    _is_custom: dict[str, bool] = field(default_factory=dict)

    def of(self, event_id: str, group_id: str) -> list[str]:
        """Empty for an event that is grouped by its stack or message."""
        if not self._is_custom.get(group_id, True):
            return []
        found = self._stored(event_id)
        self._is_custom.setdefault(group_id, bool(found))
        return found

    def _stored(self, event_id: str) -> list[str]:
        try:
            return custom(self.sentry.stored_event(self.project, event_id))
        except SentryUnusable as error:
            if error.status not in UNKNOWN:
                raise
            return []


def custom(stored: Mapping[str, Any]) -> list[str]:
    """The fingerprint of a stored event; empty for Sentry's own grouping."""
    sent = stored.get("fingerprint")
    given = sent if isinstance(sent, list) else []
    parts = [str(part) for part in given if isinstance(part, str | int | float)]
    is_default = all(part.replace(" ", "") == DEFAULT for part in parts)
    return [] if is_default else parts
