"""Limits of lines by project and service, with what they let through and refused."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errata.service_names import NO_SERVICE
from errata.state import Store
from errata.state.line_limits import LineLimit
from errata.state.projects import Project
from errata.warehouse.queries.delivery.usage import Refusal, Usage, Use

OUTCOMES = ("project_rate_limited", "service_rate_limited")


@dataclass(frozen=True, slots=True)
class LimitedLines:
    """Lines of a project, where the service is empty, or of one of its services; `(none)`: of keys without a
    service, which only the project's limit holds. `limit` None: none of their own."""

    project: Project
    service: str
    limit: LineLimit | None
    use: Use
    refused_delivery_count: int = 0

    @property
    def is_limitable(self) -> bool:
        return self.service != NO_SERVICE


def limited_lines(
    store: Store, organization_id: int, projects: Sequence[Project], used: Usage, refusals: Sequence[Refusal]
) -> list[LimitedLines]:
    """By project its own row, then those of its services by name."""
    limits = store.line_limits.of_projects([project.id for project in projects])
    known = {(limit.project_id, limit.service): limit for limit in limits}
    services = {*store.line_limits.services(organization_id), *used.by_service, *known}
    refused = Counter[tuple[int, str]]()
    for one in refusals:
        if one.reason in OUTCOMES:
            refused[one.project_id, one.service] += one.refused_count

    def rows() -> Iterator[LimitedLines]:
        for project in projects:
            own = project.id, ""
            of_project = used.by_project.get(project.id, Use())
            yield LimitedLines(project, "", known.get(own), of_project, refused[own])
            names = sorted(
                service for project_id, service in services if project_id == project.id and service
            )
            for name in names:
                key = project.id, name
                use = used.by_service.get(key, Use())
                yield LimitedLines(project, name, known.get(key), use, refused[key])
            if names:
                yield LimitedLines(project, NO_SERVICE, None, used.by_service.get(own, Use()))

    return list(rows())
