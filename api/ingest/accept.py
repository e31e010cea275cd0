"""A delivery from its bytes to its response, which is sent once every accepted row is stored."""

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from time import monotonic
from typing import Any
from uuid import uuid4

from anyio import to_thread

from api.errors import ApplicationNotFound
from api.ingest import source
from api.ingest.batch import Batch, Outcome, Route, add_rejected_rows, decoded, prepare
from api.ingest.bodies import Bodies
from api.ingest.body import TooLarge, inflated, numbered_lines
from api.ingest.country import Countries
from api.ingest.erased import ErasedItems
from api.ingest.errors import RowsNotStored
from api.ingest.monitors import MonitorRegistry
from api.ingest.names import NameRegistry, bounds_of
from api.ingest.payload_limits import PayloadLimits
from api.ingest.preparation import HEAVY, LIGHT, PreparationThreads, Steps
from api.ingest.rate import Amount, LineRate, Refused
from api.ingest.services import services_of
from api.ingest.source import Source
from api.ingest.values import warehouse_time
from api.ingest.variants import NEW_VARIANTS, SHARE, VariantRegistry
from api.ingest.writer import Writer
from api.metrics.instruments import count_stored
from api.rate_limit import RateLimit
from api.settings import ApiSettings
from api.slots import Slots
from errata.clock import EPOCH
from errata.errors import ErrataError, RateLimited
from errata.grouping.configuration import STANDARD, GroupingConfiguration, grouping
from errata.scrubbing import rules_of, without_secrets
from errata.state import Store
from errata.state.api_keys import ApiKeyOwner
from errata.state.app_keys import ProjectRoute
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.disk import AdmissionLimit, DiskFull

BATCH_ID_MAX = 200
# Inflated size.
LARGE_BYTES = 8 << 20
REFUSALS_RECORDED_EVERY_SECONDS = 15.0
# Deliveries being prepared that an insert waits for.
MANY_COMING = 3


@dataclass(frozen=True, slots=True)
class Delivery:
    """A request as received: `body` is still encoded. `route`: the project of what the service itself sends,
    without a key; `is_direct`: of this node's own spool, so limits of rates were asked before."""

    organization_id: int
    body: bytes
    encoding: str
    app_key: str
    batch_id: str
    source: Source
    api_key_prefix: str = ""
    shipper_version: str = ""
    route: ProjectRoute | None = None
    is_direct: bool = False


@dataclass(frozen=True, slots=True)
class Accepted:
    batch_id: str
    accepted: int
    rejected: list[dict[str, Any]]


class Ingest:
    """The services of an ingest node; one a process."""

    def __init__(
        self,
        settings: ApiSettings,
        store: Store,
        warehouse: Warehouse,
        disk_limit: AdmissionLimit,
        slots: Slots,
    ) -> None:
        self.bodies = Bodies()
        self._settings = settings
        self._store = store
        self._warehouse = warehouse
        self._disk_limit = disk_limit
        self._rate = LineRate(store.token_buckets, settings.lines_per_minute)
        self._refusals_due_at: dict[int, float] = {}
        self._groupings: dict[int, GroupingConfiguration] = {}
        self._registry = VariantRegistry(
            warehouse, self._grouping_of, RateLimit(store.token_buckets, NEW_VARIANTS, share=SHARE)
        )
        self._names = NameRegistry(warehouse, bounds_of(settings))
        self._payload_limits = PayloadLimits()
        self._monitors = MonitorRegistry(warehouse, store.monitors.slugs)
        self._countries = Countries.open(settings.country_file)
        self._erased = ErasedItems(warehouse, self._registry.forget)
        self._preparation = PreparationThreads(slots)
        # Light deliveries wait for no insert of a heavy one.
        self._writers = {
            is_heavy: Writer(
                warehouse,
                self._registry,
                self._names,
                settings.gather_ms / 1000,
                settings.gather_rows,
                is_more_coming=lambda: self._preparation.light_count >= MANY_COMING,
            )
            for is_heavy in (LIGHT, HEAVY)
        }

    async def close(self) -> None:
        for writer in self._writers.values():
            await writer.close()
        self._preparation.close()

    async def accept(self, delivery: Delivery) -> Accepted:
        sender = delivery.organization_id, delivery.app_key
        host = delivery.source.host
        try:
            async with self._preparation.run(sender, self._prepared(delivery)) as (batch, is_heavy):
                await self._store_with_refusals(delivery.organization_id, batch, is_heavy)
        except (ApplicationNotFound, DiskFull) as error:
            await self.note_refused(*sender, host, error.code)
            raise
        except RateLimited:
            await self.note_refused(*sender, host)
            raise
        except (QueryFailed, WarehouseUnavailable) as error:
            raise RowsNotStored from error
        rejected = [
            {"line": rejection.line, "reason": rejection.reason, "message": rejection.message}
            for rejection in batch.rejections
        ]
        return Accepted(batch.batch_id, batch.accepted_count, rejected)

    def admit(self, organization_id: int, route: ProjectRoute, amount: Amount) -> None:
        """Takes lines from the limits of their organization, project and service. Raises RateLimited."""
        self._rate.take(organization_id, amount.lines)
        if route.limits:
            self._rate.take_of_projects(organization_id, {route: amount}, amount.lines)

    async def note_refused(self, organization_id: int, app_key: str, host: str, outcome: str = "") -> None:
        """Counts a refused delivery (without an outcome it is counted), and records the counted ones at most
        every few seconds: where all are refused, none is stored that they could be recorded with."""
        now = monotonic()
        is_due = now >= self._refusals_due_at.get(organization_id, now)
        if not (outcome or is_due):
            return
        # A refusal is answered as such, whether it could be recorded or not.
        with suppress(ErrataError):
            project_id = await to_thread.run_sync(self._store.keys.app.project_of, organization_id, app_key)
            if outcome:
                self._rate.give_back(organization_id, Counter([Refused(outcome, project_id, host=host)]))
            if is_due and project_id:
                self._refusals_due_at[organization_id] = now + REFUSALS_RECORDED_EVERY_SECONDS
                batch = Batch(f"refused-{uuid4().hex}", datetime.now(UTC), project_id=project_id)
                await self._store_with_refusals(organization_id, batch)

    async def _store_with_refusals(self, organization_id: int, batch: Batch, is_heavy: bool = LIGHT) -> None:
        """Stores the batch, and with it how many deliveries were refused since the last one."""
        refused = self._rate.take_refused(organization_id) if batch.project_id else Counter[Refused]()
        if refused:
            batch.rows.setdefault("errata_raw.outcomes", []).extend(
                _outcome_row(
                    batch,
                    one.host,
                    Outcome(one.project_id or batch.project_id, one.service, "delivery", one.outcome),
                    count,
                )
                for one, count in refused.items()
            )
        try:
            await self._writers[is_heavy].store(batch)
        except BaseException:
            self._rate.give_back(organization_id, refused)
            raise
        count_stored(batch.rows)

    def _prepared(self, delivery: Delivery) -> Steps[Batch]:
        settings = self._settings
        # A delivery that cannot be stored is not decoded either.
        self._warehouse.require()
        self._disk_limit.require_any()
        own = {delivery.app_key} if delivery.app_key else set[str]()
        routes = self._routes(delivery, own)
        if delivery.route is not None:
            routes[""] = self._known(delivery.route)
        if own:
            if delivery.app_key not in routes:
                raise ApplicationNotFound
            routes[""] = routes[delivery.app_key]
        self._disk_limit.require({route.project_id for route in routes.values()})
        numbered = yield from self._lines(delivery)
        if not delivery.is_direct:
            self._rate.take(delivery.organization_id, len(numbered), delivery.source.host)
        # What SDKs sent to the service itself comes from no host that could be silent.
        host = "" if delivery.is_direct else delivery.source.host
        batch = Batch(_batch_id(delivery), datetime.now(UTC), host=host)
        most = settings.line_max_bytes, settings.recording_line_max_bytes
        lines = yield from decoded(batch, numbered, *most)
        routes |= self._routes(delivery, {line.app_key for line in lines if line.app_key} - routes.keys())
        self._disk_limit.require({route.project_id for route in routes.values()})
        app_keys = {line.number: line.app_key for line in lines}
        if not delivery.is_direct and any(route.limits for route in routes.values()):
            amounts = _amounts(routes, app_keys, numbered)
            self._rate.take_of_projects(
                delivery.organization_id, amounts, len(numbered), delivery.source.host
            )
        yield from prepare(
            batch,
            lines,
            routes,
            self._registry,
            self._names,
            self._erased,
            self._countries,
            self._payload_limits,
            self._monitors,
        )
        batch.rejections.sort(key=lambda rejection: rejection.line)
        homeless = sum(rejection.reason == "application_not_found" for rejection in batch.rejections)
        if homeless and homeless == len(numbered):
            raise ApplicationNotFound
        yield from _add_ledger(batch, delivery, routes, app_keys, dict(numbered))
        return batch

    def _lines(self, delivery: Delivery) -> Steps[list[tuple[int, bytes]]]:
        """The numbered lines. Many large bodies at once would take much memory: one waits for its turn as
        heavy work."""
        settings = self._settings
        for most in (min(LARGE_BYTES, settings.inflated_max_bytes), settings.inflated_max_bytes):
            try:
                pieces = inflated(delivery.body, delivery.encoding, most)
                return (yield from numbered_lines(pieces, settings.lines_max))
            except TooLarge as error:
                if error.what == "lines" or most == settings.inflated_max_bytes:
                    raise
            yield HEAVY
        raise AssertionError

    def _routes(self, delivery: Delivery, app_keys: set[str]) -> dict[str, ProjectRoute]:
        """Routes by application key."""
        found = self._store.keys.app.routes(delivery.organization_id, app_keys) if app_keys else {}
        return {app_key: self._known(route) for app_key, route in found.items()}

    def _known(self, route: ProjectRoute) -> ProjectRoute:
        """The route; its grouping configuration is noted, so that no batch asks for it."""
        self._groupings[route.project_id] = grouping(route.fingerprint_version, route.rules, route.grouping)
        return route

    def _grouping_of(self, project_id: int) -> GroupingConfiguration:
        return self._groupings.get(project_id, STANDARD)


def _amounts(
    routes: Mapping[str, ProjectRoute], app_keys: Mapping[int, str], numbered: Iterable[tuple[int, bytes]]
) -> dict[ProjectRoute, Amount]:
    """Lines and their bytes by the route of their key. Lines without a known key count for the delivery's."""
    counts, sizes = Counter[ProjectRoute](), Counter[ProjectRoute]()
    for number, content in numbered:
        route = routes.get(app_keys.get(number, "")) or routes.get("")
        if route is not None:
            counts[route] += 1
            sizes[route] += len(content)
    return {route: Amount(count, sizes[route]) for route, count in counts.items()}


def _add_ledger(
    batch: Batch,
    delivery: Delivery,
    routes: Mapping[str, ProjectRoute],
    app_keys: Mapping[int, str],
    contents: Mapping[int, bytes],
) -> Steps[None]:
    """Adds the rows of the ledger. `app_keys`: by the number of a line that could be decoded."""
    own = routes.get("") or next(iter(routes.values()), None)
    batch.project_id = project_id = own.project_id if own is not None else 0
    outcomes = batch.outcomes.copy()
    rejected = Counter[str]()
    for rejection in batch.rejections:
        app_key = app_keys.get(rejection.line, "")
        of_line = routes[app_key].project_id if delivery.is_direct and app_key in routes else project_id
        service = _service(routes, app_key, of_line)
        outcomes[Outcome(of_line, service, "line", rejection.reason)] += 1
        rejected[service] += 1
    if outcomes:
        batch.rows["errata_raw.outcomes"] = [
            _outcome_row(batch, delivery.source.host, outcome, count) for outcome, count in outcomes.items()
        ]
    rules = rules_of(own.scrubbing if own is not None else "")
    yield from add_rejected_rows(batch, project_id, rules, contents)
    if contents or delivery.source.is_told:
        # The byte range is of one file, whichever projects its lines name.
        row = _ledger_row(batch, routes[""].project_id if "" in routes else 0, delivery)
        row["byte_count"] = sum(map(len, contents.values()))
        if "" in routes:
            services = services_of(project_id, routes[""].service, batch.accepted, rejected)
            row |= {"service": services.service, "lines_of_services": services.lines}
        batch.rows["errata_raw.deliveries"] = [row]
        if delivery.is_direct:
            amounts = _amounts(routes, app_keys, contents.items())
            batch.rows["errata_raw.deliveries"] += _taken_by_projects(row, batch, delivery, amounts)


def _taken_by_projects(
    row: dict[str, Any], batch: Batch, delivery: Delivery, amounts: Mapping[ProjectRoute, Amount]
) -> list[dict[str, Any]]:
    """Rows without a file that count a spool's lines for their projects and services; `row`, of the spool's
    file, is left with the lines of no project."""
    lines, sizes = Counter[tuple[int, str]](), Counter[tuple[int, str]]()
    for route, amount in amounts.items():
        lines[route.project_id, route.service] += amount.lines
        sizes[route.project_id, route.service] += amount.bytes
    row["rejected_count"] += row["accepted_count"] - lines.total()
    row["accepted_count"] = 0
    row["byte_count"] -= sizes.total()
    without_file = replace(delivery, source=Source())
    return [
        {
            **_ledger_row(batch, project_id, without_file),
            "accepted_count": batch.accepted[project_id, service],
            "rejected_count": count - batch.accepted[project_id, service],
            "byte_count": sizes[project_id, service],
            "service": service,
        }
        for (project_id, service), count in lines.items()
    ]


def _service(routes: Mapping[str, Route], app_key: str, project_id: int) -> str:
    """The service of a refused line: of its own key, if that is of the project, else of the delivery's."""
    route = routes.get(app_key)
    if route is None or route.project_id != project_id:
        route = routes.get("")
    return route.service if route is not None else ""


def _outcome_row(batch: Batch, host: str, outcome: Outcome, count: int) -> dict[str, Any]:
    return {**outcome._asdict(), "host": host, "batch_id": batch.batch_id, "item_count": count}


def _batch_id(delivery: Delivery) -> str:
    """The client's own batch id; without one, a hash of the body."""
    if delivery.batch_id:
        # Cut afterwards: a part of a secret has no form to be known by.
        return without_secrets(delivery.batch_id)[:BATCH_ID_MAX]
    content = hashlib.blake2b(f"{delivery.organization_id}\0{delivery.app_key}\0".encode(), digest_size=16)
    content.update(delivery.body)
    return content.hexdigest()


def _ledger_row(batch: Batch, project_id: int, delivery: Delivery) -> dict[str, Any]:
    where = delivery.source
    return {
        "project_id": project_id,
        "host": where.host,
        "file": where.file,
        "file_id": where.file_id,
        "byte_from": where.byte_from,
        "byte_to": where.byte_to,
        "file_bytes": where.file_bytes,
        "batch_id": batch.batch_id,
        "accepted_count": batch.accepted_count,
        "rejected_count": len(batch.rejections),
        "set_aside_count": where.set_aside_count,
        "file_end": where.file_end,
        "newest_logged_at": warehouse_time(max(batch.newest_logged_at or EPOCH, EPOCH)),
        "api_key_prefix": delivery.api_key_prefix,
        "shipper_version": delivery.shipper_version,
    }


def delivery_of(owner: ApiKeyOwner, body: bytes, headers: Mapping[str, str]) -> Delivery:
    return Delivery(
        owner.organization_id,
        body,
        headers.get("content-encoding", ""),
        headers.get("x-errata-app-key", ""),
        headers.get("x-errata-batch-id", "").strip(),
        source.parse(headers.get("x-errata-source", "")),
        owner.prefix,
        source.shipper_version(headers.get("user-agent", "")),
    )
