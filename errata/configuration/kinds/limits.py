"""Limits of what a project and its services may deliver per minute."""

from collections.abc import Mapping

from pydantic import Field

from errata.configuration.context import Context
from errata.configuration.kind import Entry, SettingKind
from errata.configuration.kinds import keys
from errata.errors import InvalidParameter
from errata.state.ingest_limits import MOST_PER_MINUTE, NOT_LEARNED, LimitKind


class ServiceLimits(Entry):
    lines_per_minute: int | None = Field(default=None, ge=1, le=MOST_PER_MINUTE)
    bytes_per_minute: int | None = Field(default=None, ge=1, le=MOST_PER_MINUTE)

    @property
    def numbers(self) -> dict[LimitKind, int | None]:
        return {LimitKind.LINES: self.lines_per_minute, LimitKind.BYTES: self.bytes_per_minute}


class ProjectLimits(ServiceLimits):
    payloads_per_minute: int | None = Field(
        default=None, ge=1, le=MOST_PER_MINUTE, description="Payloads of events of one variant."
    )
    spike_protection: bool = False
    services: dict[str, ServiceLimits] = Field(default_factory=dict, description="By service.")

    @property
    def numbers(self) -> dict[LimitKind, int | None]:
        spikes = NOT_LEARNED if self.spike_protection else None
        return {
            **super().numbers,
            LimitKind.PAYLOADS: self.payloads_per_minute,
            LimitKind.SPIKES: spikes,
        }

    @property
    def by_service(self) -> dict[str, ServiceLimits]:
        """Those of the whole project under the empty name."""
        return {"": self, **self.services}


class Limits(SettingKind[ProjectLimits]):
    field = "limits"
    noun = "limits"
    description = "Limits per minute of the project, and of its services."
    shape = ProjectLimits

    @property
    def default(self) -> ProjectLimits:
        return ProjectLimits()

    def stored(self, context: Context) -> ProjectLimits:
        project = context.store.projects.get(context.organization_id, context.slug)
        found: dict[str, dict[LimitKind, int]] = {}
        for row in context.store.ingest_limits.of_projects([project.id]):
            found.setdefault(row.service, {})[row.kind] = row.per_minute
        own = found.pop("", {})
        # Those of services without a key limit nothing.
        keyed = _stored_services(context)
        return ProjectLimits(
            lines_per_minute=own.get(LimitKind.LINES),
            bytes_per_minute=own.get(LimitKind.BYTES),
            payloads_per_minute=own.get(LimitKind.PAYLOADS),
            spike_protection=LimitKind.SPIKES in own,
            services={
                service: _of_service(numbers)
                for service, numbers in sorted(found.items())
                if service in keyed
            },
        )

    def checked(self, context: Context, value: ProjectLimits) -> ProjectLimits:
        for service, limits in value.services.items():
            if service not in self._services(context):
                raise InvalidParameter(f"services.{service}", "no application key is for this service")
            if limits == ServiceLimits():
                raise InvalidParameter(f"services.{service}", "name a limit, or leave the service out")
        services = dict(sorted(value.services.items()))
        return value.model_copy(update={"services": services})

    def write(self, context: Context, value: ProjectLimits) -> None:
        before, after = self.stored(context).by_service, value.by_service
        for service in {**before, **after}:
            known = before.get(service, ServiceLimits()).numbers
            wanted = after.get(service, ServiceLimits()).numbers
            changed = {
                kind: wanted.get(kind) for kind in {**known, **wanted} if known.get(kind) != wanted.get(kind)
            }
            if changed:
                context.store.ingest_limits.replace(
                    context.organization_id, context.slug, service, changed, actor=context.actor
                )

    def _services(self, context: Context) -> set[str]:
        given = {name for kind in keys.KINDS for name in context.value(kind.field) or ()}
        return given | (_stored_services(context) if context.is_stored else set())


def _stored_services(context: Context) -> set[str]:
    return {name for kind in keys.KINDS for name in kind.stored(context)}


def _of_service(numbers: Mapping[LimitKind, int]) -> ServiceLimits:
    return ServiceLimits(
        lines_per_minute=numbers.get(LimitKind.LINES), bytes_per_minute=numbers.get(LimitKind.BYTES)
    )


KIND = Limits()
