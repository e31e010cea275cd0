"""What kinds of configuration are read from and written to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from errata.alerts.channel_kind import Surroundings
from errata.configuration.references import References
from errata.state import Store
from errata.state.organization import Organization


@dataclass(frozen=True)
class ProjectGiven:
    """A project as the file names it; `values` by the fields of kinds. What isn't named isn't managed."""

    slug: str
    name: str
    platform: str
    values: Mapping[str, Any]


@dataclass(frozen=True)
class Given:
    """A whole file. `projects`: None if it names none."""

    values: Mapping[str, Any] = field(default_factory=dict)
    projects: Sequence[ProjectGiven] | None = None


@dataclass(frozen=True)
class Context:
    """`slug`: the project; empty in kinds of the whole organization. `issued`: sentences with keys and
    passwords made anew, shown once."""

    store: Store
    organization: Organization
    actor: str
    surroundings: Surroundings
    references: References
    given: Given = field(default_factory=Given)
    is_pruning: bool = False
    slug: str = ""
    issued: list[str] = field(default_factory=list)

    @property
    def organization_id(self) -> int:
        return self.organization.id

    @property
    def where(self) -> str:
        return self.slug or self.organization.name

    def of(self, slug: str) -> "Context":
        return replace(self, slug=slug)

    @property
    def slugs(self) -> set[str]:
        """Of the stored projects."""
        return {project.slug for project in self.store.projects.of_organization(self.organization_id)}

    @property
    def is_stored(self) -> bool:
        """Whether there is something to read: an organization always, a project once it is created."""
        return not self.slug or self.slug in self.slugs

    def value(self, name: str) -> Any:
        """What the file gives for a kind here; None if it doesn't name it."""
        if not self.slug:
            return self.given.values.get(name)
        for project in self.given.projects or ():
            if project.slug == self.slug:
                return project.values.get(name)
        return None
