"""Which commits changed the files of a stack."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, Protocol, TypeVar

from errata.suspects.stack import StackFile

MOST_SUSPECTS = 5
SCHEME = re.compile(r"^[A-Za-z][A-Za-z0-9+.-]*:/*")
# The file name and one folder.
LEAST_COMMON = 2

Parts = tuple[str, ...]


class Unknown(StrEnum):
    """Why no commit is suspected."""

    NO_COMMITS = "no_commits"
    NO_STACK = "no_stack"
    NO_MATCH = "no_match"
    AMBIGUOUS = "ambiguous"


class Change(Protocol):
    """A commit with its changed files."""

    @property
    def paths(self) -> Sequence[str]: ...


Commit = TypeVar("Commit", bound=Change)


@dataclass(frozen=True)
class Suspect(Generic[Commit]):
    """`path`: the changed file; `frame_position`: number of files in the stack nearer to the error."""

    commit: Commit
    path: str
    frame_position: int


def suspects(
    stack: Sequence[StackFile], commits: Sequence[Commit]
) -> tuple[list[Suspect[Commit]], Unknown | None]:
    """The nearest to the error first, among equals the latest commit; each commit once.

    The stack begins at the error, commits begin with the latest.
    """
    if not commits:
        return [], Unknown.NO_COMMITS
    if not stack:
        return [], Unknown.NO_STACK
    changed = {path: parts(path) for commit in commits for path in commit.paths}
    found: dict[int, Suspect[Commit]] = {}
    is_ambiguous = False
    for position, file in enumerate(stack):
        paths = best_matches(file, changed)
        if len(paths) > 1:
            is_ambiguous = True
            continue
        for path in paths:
            for number, commit in enumerate(commits):
                if path in commit.paths:
                    found.setdefault(number, Suspect(commit, path, position))
    if not found:
        return [], Unknown.AMBIGUOUS if is_ambiguous else Unknown.NO_MATCH
    return [*found.values()][:MOST_SUSPECTS], None


def best_matches(file: StackFile, changed: Mapping[str, Parts]) -> list[str]:
    """The changed files that have most folders in common with a file of the stack; several: it may be any."""
    sent = parts(file)
    common = {path: _common(sent, other) for path, other in changed.items()}
    longest = max(common.values(), default=0)
    return [path for path, length in common.items() if length == longest > 0]


def parts(path: str) -> Parts:
    """Folders and name, without scheme, query and steps within folders."""
    return tuple(_steps(SCHEME.sub("", path.replace("\\", "/")).partition("?")[0]))


def _steps(path: str) -> Iterator[str]:
    return (step for step in path.split("/") if step not in ("", ".", "..", "~"))


def _common(sent: Parts, changed: Parts) -> int:
    """Parts at the end that both have; 0: too few to mean the same file."""
    count = 0
    for one, other in zip(reversed(sent), reversed(changed), strict=False):
        if one != other:
            break
        count += 1
    is_exact = count == len(sent) == len(changed)
    return count if count >= LEAST_COMMON or (is_exact and count) else 0
