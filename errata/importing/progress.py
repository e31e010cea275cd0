"""How far an import is: a folder with `progress.json`, and the events of each project in a file of lines.

A page is recorded after the service stored it. Killed in between, the import delivers the page once more, in
the same batch.
"""

import fcntl
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from errata.importing.errors import ImportRefused
from errata.importing.pace import Pace
from errata.private_file import write_private

FILE = "progress.json"
EVENTS, ISSUES, DONE = "events", "issues", "done"
ACCEPTED = "accepted"


@dataclass(frozen=True)
class EventOutcome:
    """An event of Sentry: its issue there, `accepted` or the reason why it isn't imported, and its variant
    here; 0: it wasn't sent."""

    event_id: str
    group_id: str
    outcome: str
    variant_hash: int = 0


@dataclass
class ProjectProgress:
    """`cursor`: of the next page. `byte_count`: of the file of events, up to the last recorded page.
    `attachments`: those of `attached_groups`, by outcome."""

    target: str
    stage: str = EVENTS
    cursor: str = ""
    page_count: int = 0
    byte_count: int = 0
    repeated_count: int = 0
    pace: Pace = field(default_factory=Pace)
    attached_groups: list[str] = field(default_factory=list)
    attachments: dict[str, int] = field(default_factory=dict)


@dataclass
class Progress:
    directory: Path
    identity: Mapping[str, str]
    projects: dict[str, ProjectProgress] = field(default_factory=dict)

    def save(self) -> None:
        told = {slug: asdict(each) for slug, each in self.projects.items()}
        document = {"import": dict(self.identity), "projects": told}
        write_private(self.directory / FILE, json.dumps(document, indent=2) + "\n")

    def record(self, slug: str, events: Iterable[EventOutcome], next_cursor: str) -> None:
        """Adds a page that is stored, and moves on to the next one."""
        project = self.projects[slug]
        with self._events_file(slug).open("r+b") as file:
            # What was written of a page that no progress names.
            file.truncate(project.byte_count)
            file.seek(project.byte_count)
            file.write("".join(f"{json.dumps(astuple(each))}\n" for each in events).encode())
            file.flush()
            os.fsync(file.fileno())
            project.byte_count = file.tell()
        project.page_count += 1
        project.cursor = next_cursor
        if not next_cursor:
            project.stage = ISSUES
        self.save()

    def events(self, slug: str) -> Iterator[EventOutcome]:
        left = self.projects[slug].byte_count
        with self._events_file(slug).open("rb") as file:
            while left > 0:
                line = file.readline()
                left -= len(line)
                yield EventOutcome(*json.loads(line))

    def begin(self, slug: str, target: str) -> None:
        if slug not in self.projects:
            self.projects[slug] = ProjectProgress(target)
            self._events_file(slug).touch(0o600)
            self.save()

    def _events_file(self, slug: str) -> Path:
        return self.directory / f"events-{quote(slug, safe='')}.jsonl"


@contextmanager
def opened(directory: Path, identity: Mapping[str, str]) -> Iterator[Progress]:
    """Held by one import at a time. Raises ImportRefused if another one has it, or it is of another import.

    `identity`: of the first start; what it names as empty is taken from there.
    """
    directory.mkdir(parents=True, exist_ok=True)
    with (directory / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ImportRefused(f"another import is using {directory}") from error
        yield _read(directory, identity)


def _read(directory: Path, identity: Mapping[str, str]) -> Progress:
    file = directory / FILE
    if not file.exists():
        return Progress(directory, identity)
    try:
        told = json.loads(file.read_text())
        first: dict[str, Any] = told["import"]
        projects = {slug: _project(each) for slug, each in told["projects"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ImportRefused(f"{file} is damaged; choose another folder with --progress") from error
    differing = [name for name, value in identity.items() if name != "until" and first.get(name) != value]
    if differing:
        raise ImportRefused(
            f"{directory} belongs to an import with a different {differing[0]}; choose a folder with "
            f"--progress"
        )
    return Progress(directory, first, projects)


def _project(told: dict[str, Any]) -> ProjectProgress:
    return ProjectProgress(**{**told, "pace": Pace(**told["pace"])})
