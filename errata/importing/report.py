"""The report of an import: what came over, what didn't, and every issue that groups differently."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from errata.importing.values import one_line

NOT_IMPORTED = (
    "transactions, replays, profiles, check-ins and user feedback",
    "source maps, and attachments unless --attachments is given",
    "comments, bookmarks, alert rules, releases without events, and teams",
    "fingerprints, where Sentry doesn't return stored events: these events group by their stack here",
)


@dataclass(frozen=True)
class Named:
    """An issue with the number of its imported events."""

    id: str
    title: str
    event_count: int


@dataclass(frozen=True)
class Difference:
    """One issue on one side, several on the other."""

    issue: Named
    others: list[Named]


@dataclass
class ProjectReport:
    """`missing_count`: accepted events that are in no issue here, such as filtered ones."""

    project: str
    imported_to: str
    found_count: int = 0
    accepted_count: int = 0
    repeated_count: int = 0
    refused: dict[str, int] = field(default_factory=dict)
    missing_count: int = 0
    same_count: int = 0
    split: list[Difference] = field(default_factory=list)
    merged: list[Difference] = field(default_factory=list)
    attachments: dict[str, int] = field(default_factory=dict)
    states: dict[str, int] = field(default_factory=dict)
    states_left: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Report:
    identity: Mapping[str, str]
    projects: list[ProjectReport]

    def document(self) -> dict[str, Any]:
        told = [asdict(each) for each in self.projects]
        return {"import": dict(self.identity), "projects": told, "not_imported": list(NOT_IMPORTED)}

    def lines(self) -> list[str]:
        told = [line for project in self.projects for line in _lines(project)]
        return [*told, "Not imported:", *(f"  {each}" for each in NOT_IMPORTED)]


def _lines(project: ProjectReport) -> list[str]:
    told = [
        f"{one_line(project.project)} → {project.imported_to}",
        f"  events: {project.found_count:,} found, {project.accepted_count:,} imported",
    ]
    told += [f"    {count:,} refused: {reason}" for reason, count in sorted(project.refused.items())]
    if project.missing_count:
        told.append(
            f"    {project.missing_count:,} in no issue here: filtered, erased, or the issue was deleted"
        )
    told += [f"  attachments: {count:,} {reason}" for reason, count in sorted(project.attachments.items())]
    told.append(
        f"  issues: {project.same_count:,} grouped alike, {len(project.split):,} split, "
        f"{len(project.merged):,} merged"
    )
    told += [line for each in project.split for line in _difference("split", each)]
    told += [line for each in project.merged for line in _difference("merged", each)]
    told += [f"  {count:,} {action}" for action, count in sorted(project.states.items())]
    told += [f"  {count:,} not changed: {reason}" for reason, count in sorted(project.states_left.items())]
    return told


def _difference(word: str, difference: Difference) -> list[str]:
    return [
        f"    {word}: {_named(difference.issue)}",
        *(f"      {_named(each)}" for each in difference.others),
    ]


def _named(issue: Named) -> str:
    return f"{issue.id} {issue.title} ({issue.event_count:,} events)"
