"""The projects that a build's statement reads, as a setting: models do not name projects."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from errata.warehouse import sql
from errata.warehouse.published import Conditions
from pipelines.builder.mart import Mart

MOST_PROJECTS = (1 << 32) - 1


@dataclass(frozen=True)
class Scope:
    """Projects from `first` to `last`, both included, without those `excluded`."""

    first: int = 0
    last: int = MOST_PROJECTS
    excluded: frozenset[int] = frozenset()

    @classmethod
    def only(cls, project_id: int) -> "Scope":
        return cls(project_id, project_id)

    def without(self, projects: Collection[int]) -> "Scope":
        return replace(self, excluded=self.excluded.union(projects))

    def halves(self, projects: Sequence[int]) -> tuple["Scope", "Scope"]:
        """The lower and the upper half of these projects."""
        greater = projects[len(projects) // 2]
        return replace(self, last=greater - 1), replace(self, first=greater)

    @property
    def is_every(self) -> bool:
        return self == EVERY

    @property
    def condition(self) -> str:
        listed = f" and project_id not in ({_listed(self.excluded)})" if self.excluded else ""
        return f"project_id between {self.first} and {self.last}{listed}"

    @property
    def parameters(self) -> Mapping[str, Any]:
        """Parameters of statements that name the projects themselves."""
        return {"first": self.first, "last": self.last, "excluded": sorted(self.excluded)}

    def conditions(self, tables: Iterable[str]) -> Conditions:
        return {} if self.is_every else dict.fromkeys(tables, self.condition)


EVERY = Scope()
NOTHING_AT_ALL = Scope(first=1, last=0)


def recounted_inputs(mart: Mart) -> Sequence[str]:
    """Tables that the mart's model and its recount read, through views too."""
    files = [sql.model(mart.name), sql.parse(sql.DIRECTORY / "checks" / f"{mart.name}.sql")]
    return sql.tables_behind(table for file in files for table in file.inputs)


def _listed(projects: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(projects)))
