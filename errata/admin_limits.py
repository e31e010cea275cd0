"""The limits of lines of an organization, its projects and services, as `errata admin limits` prints them."""

from collections.abc import Iterator

from errata.state import Store
from errata.state.accounts import Organization
from errata.state.line_limits import (
    organization_lines,
    project_lines,
    service_lines,
    service_subject,
)
from errata.state.token_buckets import Limit

HEAD = ("PROJECT", "SERVICE", "LINES A MINUTE", "USED")


def limits_table(store: Store, organization: Organization, lines_per_minute: int) -> str:
    """`lines_per_minute`: the organization's limit, a setting of the service. Used: of what a minute allows,
    taken and not refilled yet, over all nodes."""
    rows = [HEAD, *_rows(store, organization, lines_per_minute)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        f"{project:<{widths[0]}}  {service:<{widths[1]}}  {lines:>{widths[2]}}  {used:>{widths[3]}}"
        for project, service, lines, used in rows
    )


def _rows(
    store: Store, organization: Organization, lines_per_minute: int
) -> Iterator[tuple[str, str, str, str]]:
    of_all = organization_lines(lines_per_minute)
    yield "(all)", "", *_use(store, of_all, str(organization.id))
    projects = store.projects.of_organization(organization.id)
    limits = store.line_limits.of_projects([project.id for project in projects])
    known = {(one.project_id, one.service): one.lines_per_minute for one in limits}
    services = {*store.line_limits.services(organization.id), *known}
    for project in projects:
        own = known.get((project.id, ""))
        limit = project_lines(own) if own is not None else None
        yield project.slug, "", *_use(store, limit, str(project.id))
        for name in sorted(name for project_id, name in services if project_id == project.id and name):
            own = known.get((project.id, name))
            limit = service_lines(own) if own is not None else None
            yield project.slug, name, *_use(store, limit, service_subject(project.id, name))


def _use(store: Store, limit: Limit | None, subject: str) -> tuple[str, str]:
    if limit is None:
        return "no limit", ""
    used = store.token_buckets.used(limit, subject)
    return f"{limit.most:,}", f"{used:,} ({used / limit.most:.0%})"
