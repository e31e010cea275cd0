"""Why a file of configuration isn't applied, or can't be written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from errata.errors import ErrataError

MOST_SHOWN = 50


@dataclass(frozen=True, order=True)
class Problem:
    """`field`: where in the file, such as `projects[0].budgets[1].metric`; empty: the file as a whole."""

    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return ": ".join(filter(None, (str(self.line), self.field, self.reason)))


class ConfigurationRefused(ErrataError):
    """Names every problem of the file with its line."""

    code = "configuration_refused"
    is_final = True

    def __init__(self, path: Path, problems: Sequence[Problem]) -> None:
        lines = [f"{path}:{problem}" for problem in sorted(problems)[:MOST_SHOWN]]
        if len(problems) > MOST_SHOWN:
            lines.append(f"{path}: {len(problems) - MOST_SHOWN} more problems")
        super().__init__("nothing was changed:\n" + "\n".join(lines))
        self.problems = tuple(sorted(problems))


class ConfigurationUnreadable(ErrataError):
    code = "configuration_unreadable"
    is_final = True

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} can't be read: {reason}")


class SecretsFileUnusable(ErrataError):
    code = "secrets_file_unusable"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"{path} can't be written: {reason}. Name another file with --secrets-file")


class NameNotUnique(ErrataError):
    """Two stored things share the name that a file knows them by."""

    code = "name_not_unique"

    def __init__(self, noun: str, name: str, where: str) -> None:
        super().__init__(f"{where} has more than one {noun} named {name!r}. Rename one of them first")


class ApplyFailed(ErrataError):
    """`done`: what was applied before, each in a transaction of its own."""

    code = "configuration_not_applied"

    def __init__(self, what: str, error: ErrataError, done: Sequence[str]) -> None:
        before = f"Applied earlier: {', '.join(done)}" if done else "Nothing was applied"
        super().__init__(f"{what} was not changed: {error}\n{before}. Fix it, and apply the file again")
