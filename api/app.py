"""Assembles the API. `errata web --ingest-only` serves `ingest`; pages mount the whole of it."""

import asyncio
import gc
import logging
import os
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path

from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from api import documentation, problems
from api.addresses import paths_of, refuse_other_methods
from api.admission import Admission, prepare_threads
from api.body_limit import BodyLimit
from api.client_address import TrustedProxies
from api.context import Check, Context
from api.door import cron, error_page, minidump, otlp
from api.door import endpoint as door_endpoint
from api.door.door import Door
from api.door.first import EnvelopesFirst
from api.door.spools import Spools
from api.heartbeat import heartbeat_check
from api.ingest import endpoint, send_test_event
from api.ingest.accept import Ingest
from api.jobs import Scheduler
from api.jobs.registry import jobs_of
from api.limits import BODY_MAX_BYTES, UPLOAD_MAX_BYTES, described
from api.metrics import endpoint as metrics
from api.metrics.instruments import note_lookup
from api.metrics.requests import NotesRoute, RequestSeconds
from api.oidc.configuration import Configuration, configuration_of
from api.oidc.sign_in import SingleSignOn
from api.origin import Origin
from api.project_sql import ProjectSql
from api.rest import (
    activity,
    alert_channels,
    alert_messages,
    alert_rules,
    annotations,
    budgets,
    causes,
    change_points,
    comparison,
    delivery,
    differences,
    dsns,
    endpoint_detail,
    erasures,
    event_attachments,
    event_logs,
    events,
    feedback,
    find,
    grouping,
    health,
    inbound_filters,
    integrations,
    invitations,
    issue_actions,
    issue_activity,
    issues,
    key_verification,
    keys,
    members,
    membership,
    monitors,
    notifications,
    oidc,
    one_time_links,
    overview,
    page_views,
    performance,
    project_tokens,
    projects,
    provenance,
    recommendations,
    related,
    releases,
    replay_share_links,
    replays,
    report_schedules,
    reports,
    resources,
    retention,
    scrubbing,
    searches,
    second_step,
    share_links,
    sign_in,
    source_maps,
    sql,
    subscriptions,
    suspect_commits,
    two_steps,
    usage,
    users,
)
from api.settings import ApiSettings
from api.unknown_parameters import refuse_unknown_parameters
from api.uploads import assembly, chunks
from api.uploads import releases as upload_releases
from errata import __version__
from errata.alerts.mail import MailServer
from errata.alerts.service_mail import mail_server
from errata.allocation import return_large_blocks
from errata.backup.expected import NONE_EXPECTED, Expected
from errata.endings import exiting
from errata.errors import ErrataError
from errata.outgoing import Outgoing
from errata.outgoing.policy import Network
from errata.process_log.configured import configure, log_requests
from errata.settings import CoreSettings, load
from errata.state import Store
from errata.warehouse.cache import Cache
from errata.warehouse.client import SILENCE_SECONDS, Warehouse
from errata.warehouse.shards import connections_of

log = logging.getLogger(__name__)

DESCRIPTION = (
    "Application errors and page/API performance. "
    "Send `Authorization: Bearer <API key>`; a signed-in browser uses its session instead. "
    "Every error body contains `error`, `message` and `request_id`."
)
GARBAGE_THRESHOLDS = (500_000, 10, 10)
ASK_AHEAD_EVERY_SECONDS = 1.0
# A request takes the interpreter a dozen times: it waits so long for each where a delivery is decoded.
SWITCH_SECONDS = 0.0005
ROUTERS = (
    endpoint.router,
    send_test_event.router,
    door_endpoint.router,
    otlp.router,
    cron.router,
    error_page.router,
    minidump.router,
    health.router,
    metrics.router,
    sign_in.router,
    second_step.router,
    oidc.router,
    one_time_links.router,
    two_steps.router,
    key_verification.router,
    keys.router,
    activity.router,
    members.router,
    invitations.router,
    usage.router,
    projects.router,
    project_tokens.router,
    sql.router,
    dsns.router,
    overview.router,
    find.router,
    notifications.router,
    grouping.router,
    scrubbing.router,
    inbound_filters.router,
    retention.router,
    # Before the issues' own routes: of two that match a path the first one responds.
    membership.router,
    issue_actions.router,
    share_links.router,
    replay_share_links.router,
    searches.router,
    annotations.router,
    integrations.router,
    issue_activity.router,
    subscriptions.router,
    suspect_commits.router,
    issues.router,
    comparison.router,
    related.router,
    events.router,
    event_attachments.router,
    event_logs.router,
    feedback.router,
    differences.router,
    users.router,
    monitors.router,
    replays.router,
    performance.router,
    endpoint_detail.router,
    erasures.router,
    resources.router,
    page_views.router,
    releases.router,
    causes.router,
    change_points.router,
    recommendations.router,
    reports.router,
    report_schedules.router,
    provenance.router,
    budgets.router,
    source_maps.router,
    chunks.router,
    assembly.router,
    upload_releases.router,
    delivery.router,
    alert_rules.router,
    alert_messages.router,
    alert_channels.router,
    documentation.router,
)
# What the public may reach where pages and REST stay inside.
INGEST_ROUTERS = (
    endpoint.router,
    door_endpoint.router,
    otlp.router,
    cron.router,
    error_page.router,
    minidump.router,
    key_verification.router,
    health.router,
    metrics.router,
    documentation.router,
)


def create_app(
    settings: ApiSettings,
    state: Store,
    warehouse: Warehouse,
    read: Warehouse,
    *,
    analysts: Warehouse | None = None,
    base_url: str = "http://127.0.0.1:8000",
    checks: Mapping[str, Check] | None = None,
    outgoing: Outgoing | None = None,
    mail: MailServer | None = None,
    oidc: Configuration | None = None,
    is_ingest_only: bool = False,
    runs_jobs: bool = False,
    asks_ahead: bool = False,
    credentials_path: Path | None = None,
    restarts_path: Path | None = None,
    backups: Expected = NONE_EXPECTED,
    trusted_proxies: Sequence[Network] = (),
) -> FastAPI:
    """The API with whole paths (`/api/…`); to mount it beside pages, see Mounted."""
    app = FastAPI(
        title="Errata API",
        description=DESCRIPTION,
        version=__version__,
        openapi_url="/api/openapi.json",
        # FastAPI's ready-made pages load scripts from other hosts.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False},
        lifespan=_lifespan,
    )
    outgoing = outgoing or Outgoing()
    context = Context(
        settings,
        state,
        warehouse,
        read,
        base_url,
        {"spool": lambda: _spool_check(app.state.door.spools), **(checks or {})},
        outgoing,
        mail,
        single_sign_on=SingleSignOn(oidc, state, outgoing) if oidc else None,
        credentials_path=credentials_path,
        restarts_path=restarts_path,
        backups=backups,
        trusted_proxies=trusted_proxies,
        project_sql=ProjectSql(analysts),
    )
    if runs_jobs:
        context.jobs.extend(jobs_of(context))
    app.state.context = context
    app.state.asks_ahead = asks_ahead
    app.state.scheduler = Scheduler(state, context.jobs)
    app.state.ingest = Ingest(settings, state, warehouse, context.disk_limit, context.slots)
    spools = Spools(
        settings.spool_path,
        settings.spool_max_bytes,
        is_synced=settings.spool_sync,
        ingest=app.state.ingest,
    )
    app.state.door = Door(
        state.keys.app,
        app.state.ingest,
        spools,
        settings.public_requests_per_second,
        warehouse.shard_number,
    )
    # The ingest endpoint has its own limit, and reads past it so that the client sees the response.
    ingest_max_bytes = settings.body_max_bytes + endpoint.DISCARDED_MAX_BYTES
    app.add_middleware(NotesRoute)
    app.add_middleware(
        Admission,
        slots=context.slots,
        seconds=settings.answer_seconds,
        is_exempt=documentation.has_no_place,
        refuse=_refuse,
        snapshot=context.read.asked_ahead.snapshot,
    )
    app.add_middleware(BodyLimit, limit_bytes_of=lambda path: body_limit(path, ingest_max_bytes))
    app.add_middleware(Origin)
    app.add_middleware(EnvelopesFirst, api=app)
    app.add_middleware(TrustedProxies, networks=trusted_proxies)
    app.add_middleware(RequestSeconds)
    app.state.paths = paths_of(_routers(is_ingest_only))
    problems.install(app)
    app.router.routes.extend(_prepared(is_ingest_only).routes)
    declared = [route for router in _routers(is_ingest_only) for route in router.routes]
    documentation.install(app, described(settings), declared)
    return app


def _routers(is_ingest_only: bool) -> Sequence[APIRouter]:
    return INGEST_ROUTERS if is_ingest_only else ROUTERS


@cache
def _prepared(is_ingest_only: bool) -> APIRouter:
    """The routers with what each route depends on, once for all applications of a process."""
    every = APIRouter(dependencies=[Depends(refuse_other_methods), Depends(refuse_unknown_parameters)])
    for router in _routers(is_ingest_only):
        every.include_router(router)
    return every


def prepare_routes(app: FastAPI) -> None:
    """FastAPI prepares a router at the first request that comes as far as it: all of them take half a second,
    in which nobody else is answered."""
    nowhere = {"type": "http", "method": "GET", "path": "/ ", "root_path": "", "headers": []}
    for route in app.router.routes:
        route.matches(dict(nowhere))


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    prepare_routes(app)
    return_large_blocks()
    # Decoding makes many containers an event and no cycles: a search for cycles doubles its cost.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)
    sys.setswitchinterval(SWITCH_SECONDS)
    prepare_threads()
    app.state.scheduler.start()
    await to_thread.run_sync(app.state.door.spools.start, asyncio.get_running_loop())
    asking = asyncio.create_task(_ask_ahead(app.state.context.read)) if app.state.asks_ahead else None
    yield
    if asking is not None:
        asking.cancel()
    await to_thread.run_sync(app.state.scheduler.stop)
    await to_thread.run_sync(app.state.door.spools.stop)
    await app.state.ingest.close()


async def _ask_ahead(read: Warehouse) -> None:
    """Until the process ends: readers are answered from what is ready."""
    while True:
        await asyncio.sleep(ASK_AHEAD_EVERY_SECONDS)
        try:
            await to_thread.run_sync(read.ask_ahead)
        except ErrataError as error:
            log.info("Published versions couldn't be looked up: %s", error)


def _spool_check(spools: Spools) -> str:
    if not spools.is_there:
        return "off"
    return "failing" if spools.lack else "ok"


async def _refuse(request: Request, error: ErrataError) -> Response:
    return problems.problem(request, error)


def body_limit(path: str, ingest_max_bytes: int) -> int:
    """In bytes."""
    if path == "/api/ingest" or documentation.is_direct(path):
        return ingest_max_bytes
    return UPLOAD_MAX_BYTES if documentation.is_upload(path) else BODY_MAX_BYTES


class Mounted:
    """The API below another application: `pages.mount("/api", Mounted(api))`.

    Mounting takes `/api` off the path; this puts it back. The outer application runs the API's lifespan:
    `async with api.router.lifespan_context(api): …`.
    """

    def __init__(self, api: ASGIApp) -> None:
        self._api = api

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._api({**scope, "root_path": scope.get("app_root_path", "")}, receive, send)


def _client(url: str, cache: Cache | None) -> Warehouse:
    return Warehouse(url, silence_seconds=SILENCE_SECONDS, cache=cache)


def from_environment(environ: Mapping[str, str], *, is_ingest_only: bool = False) -> FastAPI:
    configure("web", environ)
    core = load(CoreSettings, environ)
    if core.log_requests:
        log_requests()
    state = Store.open(
        core.state_url.get_secret_value(),
        core.secret.get_secret_value().encode(),
        previous=core.previous_secrets,
    )
    connected = connections_of(core.read_url, core.warehouse_cluster, state.shards)
    warehouse = connected(core.warehouse_url.get_secret_value(), _client, None)
    read = connected(core.read_url, _client, Cache(on_lookup=note_lookup))
    url = core.warehouse_analyst_url
    analysts = connected(url.get_secret_value(), _client, None) if url else None
    checks = {"pipelines": heartbeat_check(state, is_expected=core.builds)}
    settings = load(ApiSettings, environ)
    return create_app(
        settings,
        state,
        warehouse,
        read,
        analysts=analysts,
        base_url=core.base_url,
        checks=checks,
        outgoing=Outgoing(core.outgoing_policy, core.outgoing_ca_file),
        mail=mail_server(core),
        oidc=configuration_of(core),
        is_ingest_only=is_ingest_only,
        # Jobs write alerts and mails that the next start would send.
        runs_jobs=settings.watches and core.sends and not is_ingest_only,
        asks_ahead=not is_ingest_only,
        credentials_path=core.credentials_path,
        restarts_path=core.restarts_path,
        backups=core.backups,
        trusted_proxies=core.trusted_networks,
    )


def __getattr__(name: str) -> FastAPI:
    """Makes `app`, or `ingest`, when a server asks for it: importing this module needs no environment."""
    if name in {"app", "ingest"}:
        with exiting():
            return from_environment(os.environ, is_ingest_only=name == "ingest")
    raise AttributeError(name)
