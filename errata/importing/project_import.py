"""One project of Sentry, page by page: its events, then the states of its issues."""

import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from errata.grouping import variant_of
from errata.importing.attachments import AttachmentImport
from errata.importing.comparison import Comparison
from errata.importing.destination import Destination, Project
from errata.importing.errors import SentryUnusable
from errata.importing.event import IMPORTED_TYPES, payload_of
from errata.importing.fingerprints import Fingerprints
from errata.importing.pace import MOST
from errata.importing.progress import ACCEPTED, EVENTS, EventOutcome, Progress, ProjectProgress
from errata.importing.report import Difference, Named, ProjectReport
from errata.importing.sentry import CursorCheck, Sentry, SentryProject, Window
from errata.importing.states import assignee_of, assignment_of, status_of
from errata.importing.values import mapping, moment_of, one_line, text

EVENT_ID = re.compile(r"[0-9a-f]{32}", re.ASCII)
MOST_EMPTY = 1_000
PAST = {"resolve": "resolved", "ignore": "ignored", "assign": "assigned"}
Say = Callable[[str], None]


@dataclass
class ProjectImport:
    sentry: Sentry
    destination: Destination
    progress: Progress
    window: Window
    source: SentryProject
    target: Project
    say: Say
    pause: Callable[[float], None] = time.sleep
    _event_ids: set[str] = field(default_factory=set)
    _variants: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._fingerprints = Fingerprints(self.sentry, self.source.slug)

    @property
    def _project(self) -> ProjectProgress:
        return self.progress.projects[self.source.slug]

    def run(self, with_attachments: bool) -> ProjectReport:
        """Goes on where it was left."""
        self.import_events()
        if with_attachments:
            files = AttachmentImport(self.sentry, self.destination, self.progress, self.source, self.target)
            files.run()
        return self.import_states()

    def import_events(self) -> None:
        """Newest first, each page stored before the next one is asked for."""
        for told in self.progress.events(self.source.slug):
            self._event_ids.add(told.event_id)
            self._variants.add(told.variant_hash)
        cursors, empty = CursorCheck(), 0
        while self._project.stage == EVENTS:
            page = self.sentry.events(self.source.slug, self.window, self._project.cursor)
            next_cursor = cursors.checked(page.next_cursor) if page.next_cursor else ""
            stored = self._stored(page.values)
            self.progress.record(self.source.slug, stored, next_cursor)
            self.say(f"{self.source.slug}: {len(self._event_ids):,} events")
            empty = 0 if stored else empty + 1
            if empty >= MOST_EMPTY:
                raise SentryUnusable(f"{empty} pages in a row have no new event")

    def _stored(self, values: list[Any]) -> list[EventOutcome]:
        told, payloads = list[EventOutcome](), list[Mapping[str, Any]]()
        for value in values:
            event = mapping(value)
            event_id = text(event.get("eventID")).lower().replace("-", "")
            if event_id and event_id in self._event_ids:
                self._project.repeated_count += 1
                continue
            self._event_ids.add(event_id)
            reason = self._refusal(event, event_id)
            told.append(EventOutcome(event_id, text(event.get("groupID")), reason))
            if not reason:
                fingerprint = self._fingerprints.of(event_id, told[-1].group_id)
                payloads.append(
                    {**payload_of(event), **({"fingerprint": fingerprint} if fingerprint else {})}
                )
        sent = iter(self._sent(payloads))
        return [replace(each, **next(sent)) if not each.outcome else each for each in told]

    def _sent(self, payloads: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The outcome and the variant of each event, all of which are stored."""
        variants = [variant_of(payload).variant_hash for payload in payloads]
        new = set(variants) - self._variants
        if (seconds := self._project.pace.wait_seconds(len(new), time.time())) > 0:
            self.say(
                f"{self.source.slug}: waiting {seconds:,.0f} s: {MOST} new variants are accepted per hour"
            )
            self.pause(seconds)
        items = [{"type": "event", "payload": payload} for payload in payloads]
        outcomes = self.destination.deliver(self.target, items)
        self._project.pace.take(len(new), time.time())
        self._variants |= new
        return [
            {"outcome": outcome, "variant_hash": variant}
            for outcome, variant in zip(outcomes, variants, strict=True)
        ]

    def _refusal(self, event: Mapping[str, Any], event_id: str) -> str:
        """Why an event isn't sent; empty: it is."""
        if not EVENT_ID.fullmatch(event_id):
            return "no_event_id"
        if event.get("type") not in IMPORTED_TYPES:
            return f"type_{one_line(event.get('type'))[:50] or 'unknown'}"
        moment = moment_of(event.get("dateCreated"))
        if moment is None:
            return "no_date"
        if moment < datetime.now(UTC) - timedelta(days=self.target.kept_days):
            return "too_old"
        return ""

    def import_states(self) -> ProjectReport:
        report = ProjectReport(self.source.slug, self.target.slug)
        groups = self._count(report)
        issues = {text(issue.get("id")): issue for issue in self.destination.issues(self.target.slug)}
        comparison = Comparison.of(self._pairs(groups, issues))
        report.missing_count = report.accepted_count - comparison.event_count
        theirs = {str(issue.get("id")): issue for issue in self.sentry.issues(self.source.id, self.window)}
        self._compare(report, comparison, theirs, issues)
        self._decide(report, comparison, theirs)
        return report

    def _count(self, report: ProjectReport) -> dict[str, str]:
        """The issue there of each accepted event."""
        groups, refused = dict[str, str](), Counter[str]()
        for told in self.progress.events(self.source.slug):
            report.found_count += 1
            if told.outcome == ACCEPTED:
                groups[told.event_id] = told.group_id
            else:
                refused[told.outcome] += 1
        report.accepted_count, report.refused = len(groups), dict(refused)
        report.attachments = dict(self._project.attachments)
        report.repeated_count = self._project.repeated_count
        return groups

    def _pairs(self, groups: Mapping[str, str], issues: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for issue_id in issues:
            for event_id in self.destination.event_ids(issue_id):
                if event_id in groups:
                    yield groups[event_id], issue_id

    def _compare(
        self,
        report: ProjectReport,
        comparison: Comparison,
        theirs: Mapping[str, Mapping[str, Any]],
        ours: Mapping[str, Mapping[str, Any]],
    ) -> None:
        def there(group_id: str, count: int) -> Named:
            issue = theirs.get(group_id, {})
            name = one_line(issue.get("shortId")) or one_line(group_id) or "events without an issue"
            return Named(name, one_line(issue.get("title")), count)

        def here(issue_id: str, count: int) -> Named:
            return Named(issue_id, one_line(ours[issue_id].get("title")), count)

        report.same_count = len(comparison.same)
        report.split = [
            Difference(there(group_id, issues.total()), [here(*each) for each in issues.most_common()])
            for group_id, issues in comparison.split.items()
        ]
        report.merged = [
            Difference(here(issue_id, groups.total()), [there(*each) for each in groups.most_common()])
            for issue_id, groups in comparison.merged.items()
        ]

    def _decide(
        self, report: ProjectReport, comparison: Comparison, theirs: Mapping[str, Mapping[str, Any]]
    ) -> None:
        """An issue here takes what all of its issues there have in common."""
        people, now = self.destination.people(), self.window.until
        taken, left = Counter[str](), Counter[str]()
        for issue_id, group_ids in comparison.here.items():
            issues = [theirs.get(group_id, {}) for group_id in group_ids]
            for kind, decisions in (
                ("states", [status_of(issue, now) for issue in issues]),
                ("assignees", [assignment_of(issue, people) for issue in issues]),
            ):
                first = decisions[0]
                if any(each != first for each in decisions):
                    left[f"issues merged here have different {kind}"] += 1
                elif first is not None:
                    if self.destination.decide(self.target.slug, issue_id, first):
                        taken[PAST[first.action]] += 1
                    else:
                        left[f"{PAST[first.action]} in a way that Errata doesn't know"] += 1
            if any(assignee_of(issue) not in {*people, ""} for issue in issues):
                left["assigned to people who aren't members here"] += 1
        report.states, report.states_left = dict(taken), dict(left)
