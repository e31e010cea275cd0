"""Files that were sent with events of Sentry, issue by issue."""

import base64
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from errata.importing.destination import Destination, Project
from errata.importing.errors import SentryUnusable
from errata.importing.progress import ACCEPTED, Progress, ProjectProgress
from errata.importing.sentry import Sentry, SentryProject
from errata.importing.values import moment_of, number, present, text

# A line has at most 4 MiB, and base64 makes four bytes of three.
LARGEST_BYTES = 3 << 20
MINIDUMP = "event.minidump"
GONE = 404


@dataclass
class AttachmentImport:
    sentry: Sentry
    destination: Destination
    progress: Progress
    source: SentryProject
    target: Project

    def run(self) -> None:
        """Of imported events only. An issue whose files were stored is not asked for again."""
        events = {
            told.event_id: told.group_id
            for told in self.progress.events(self.source.slug)
            if told.outcome == ACCEPTED and told.group_id
        }
        for group_id in sorted(set(events.values()) - set(self._project.attached_groups)):
            outcomes = Counter(self._import(told, events) for told in self.sentry.attachments(group_id))
            self._project.attached_groups.append(group_id)
            self._project.attachments = dict(Counter(self._project.attachments) + outcomes)
            self.progress.save()

    @property
    def _project(self) -> ProjectProgress:
        return self.progress.projects[self.source.slug]

    def _import(self, told: Mapping[str, Any], events: Mapping[str, str]) -> str:
        """`imported`, or why it isn't."""
        event_id = text(told.get("event_id"))
        if event_id not in events:
            return "event_not_imported"
        if told.get("type") == MINIDUMP:
            return "minidump_refused"
        sent_at = moment_of(told.get("dateCreated"))
        if sent_at is None or sent_at < datetime.now(UTC) - timedelta(days=self.target.attachment_days):
            return "too_old"
        if number(told.get("size")) > LARGEST_BYTES:
            return "too_large"
        try:
            content = self.sentry.attachment(self.source.slug, event_id, str(told.get("id")))
        except SentryUnusable as error:
            if error.status != GONE:
                raise
            return "gone"
        if content is None or len(content) > LARGEST_BYTES:
            return "too_large"
        [outcome] = self.destination.deliver(self.target, [_item(told, event_id, sent_at, content)])
        return "imported" if outcome == ACCEPTED else outcome


def _item(told: Mapping[str, Any], event_id: str, sent_at: datetime, content: bytes) -> dict[str, Any]:
    headers = {
        "event_id": event_id,
        "filename": text(told.get("name")),
        "content_type": text(told.get("mimetype")),
        "attachment_type": text(told.get("type")),
    }
    return {
        "type": "attachment",
        "logged_at": sent_at.isoformat(),
        "headers": present(headers),
        "payload_b64": base64.b64encode(content).decode(),
    }
