"""Suspect commits of an issue in a release, out of the warehouse."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from errata.grouping.in_app import with_in_app_of
from errata.grouping.rules import GroupingRules
from errata.suspects.matching import Suspect, Unknown, suspects
from errata.suspects.stack import stack_files
from errata.warehouse.client import Warehouse
from errata.warehouse.queries.issue.events import newest_event
from errata.warehouse.queries.issue.head import IssueHead
from errata.warehouse.queries.source_maps.commits import ChangedFiles, commits_changing


@dataclass(frozen=True)
class SuspectCommits:
    """`unknown_because` None: there are suspects."""

    release: str
    suspects: Sequence[Suspect[ChangedFiles]]
    unknown_because: Unknown | None


def suspect_commits(
    warehouse: Warehouse, project_id: int, head: IssueHead, rules: GroupingRules, release: str = ""
) -> SuspectCommits:
    """Of the release in which the issue began, unless one is named; by the latest event.

    `rules`: the project's, which say what the application's own frames are.
    """
    release = release or head.first_release
    event = newest_event(warehouse, head.merged, head.counts)
    stack = stack_files(with_in_app_of(rules, event.payload)) if event else []
    names = sorted({PurePosixPath(file.replace("\\", "/").partition("?")[0]).name for file in stack})
    commits = commits_changing(warehouse, project_id, release, names) if release else []
    return SuspectCommits(release, *suspects(stack, commits))
