"""The limits of an organization, its projects and services, as `errata admin limits` prints them."""

from collections.abc import Iterator

from errata.state import Store
from errata.state.ingest_limits import NOT_LEARNED, LimitKind, organization_lines, per_minute, subject
from errata.state.organization import Organization
from errata.state.token_buckets import Limit

HEAD = ("PROJECT", "SERVICE", "LIMIT OF", "PER MINUTE", "USED")
NO_LIMIT = "no limit"


def limits_table(store: Store, organization: Organization, lines_per_minute: int) -> str:
    """`lines_per_minute`: the organization's limit, a setting of the service. Used: of what a minute allows,
    taken and not refilled yet, over all nodes; nodes count payloads each for itself."""
    rows = [HEAD, *_rows(store, organization, lines_per_minute)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEAD))]
    return "\n".join(
        f"{project:<{widths[0]}}  {service:<{widths[1]}}  {kind:<{widths[2]}}  {most:>{widths[3]}}  "
        f"{used:>{widths[4]}}"
        for project, service, kind, most, used in rows
    )


def _rows(
    store: Store, organization: Organization, lines_per_minute: int
) -> Iterator[tuple[str, str, str, str, str]]:
    used = _used(store, organization_lines(lines_per_minute), str(organization.id))
    yield "(all)", "", LimitKind.LINES, f"{lines_per_minute:,}", used
    projects = store.projects.of_organization(organization.id)
    limits = store.ingest_limits.of_projects([project.id for project in projects])
    services = {*store.ingest_limits.services(organization.id)}
    for project in projects:
        own = [one for one in limits if one.project_id == project.id]
        names = {name for project_id, name in services if project_id == project.id}
        for name in sorted({"", *names, *(one.service for one in own)}):
            known = [one for one in own if one.service == name]
            for one in known:
                bucket = per_minute(one.kind, one.per_minute, name)
                counts_elsewhere = one.kind is LimitKind.PAYLOADS or one.per_minute == NOT_LEARNED
                used = "" if counts_elsewhere else _used(store, bucket, subject(project.id, name))
                most = "not enough data" if one.per_minute == NOT_LEARNED else f"{one.per_minute:,}"
                yield project.slug, name, one.kind, most, used
            if not known:
                yield project.slug, name, "", NO_LIMIT, ""


def _used(store: Store, limit: Limit, whose: str) -> str:
    used = store.token_buckets.used(limit, whose)
    return f"{used:,} ({used / limit.most:.0%})"
