"""Assembles the pages with the API below them: the `app` of `errata web`."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

import api.app
from api.admission import Admission
from api.client_address import TrustedProxies
from api.door.first import EnvelopesFirst
from api.mcp.door import AgentDoor
from api.metrics import endpoint as metrics
from api.metrics.requests import NotesRoute, RequestSeconds
from dashboards.alerts.route import router as alerts
from dashboards.annotations.route import router as annotations
from dashboards.budgets.route import router as budgets
from dashboards.delivery.route import router as delivery
from dashboards.documentation.reference import reference_page
from dashboards.documentation.route import router as documentation
from dashboards.feedback.route import router as feedback
from dashboards.find.route import router as find
from dashboards.installation.route import router as installation
from dashboards.issue.confirmation import router as confirmation
from dashboards.issue.following import router as following
from dashboards.issue.route import router as issue
from dashboards.issue.suspects import router as suspects
from dashboards.issues.route import router as issues
from dashboards.monitors.route import router as monitors
from dashboards.notifications.route import router as notifications
from dashboards.one_time_link.route import router as one_time_link
from dashboards.organization.account.route import router as account
from dashboards.organization.activity.route import router as activity
from dashboards.organization.api_keys.route import router as api_keys
from dashboards.organization.people.route import router as people
from dashboards.organization.usage.route import router as usage
from dashboards.overview.route import router as overview
from dashboards.performance.endpoint.route import router as endpoint
from dashboards.performance.overview.route import router as performance
from dashboards.performance.page_detail.route import router as page_detail
from dashboards.performance.recommendations.route import router as recommendations
from dashboards.performance.resources.route import router as resources
from dashboards.performance.saved_views.route import router as saved_views
from dashboards.performance.trends.route import router as trends
from dashboards.performance.waterfall.route import router as waterfall
from dashboards.projects.route import router as projects
from dashboards.provenance.route import router as provenance
from dashboards.releases.route import router as releases
from dashboards.replay.player.route import router as replay_player
from dashboards.replays.route import router as replays
from dashboards.reports.route import router as reports
from dashboards.reports.schedules.route import router as report_schedules
from dashboards.settings.erasure.route import router as erasure
from dashboards.settings.general.route import router as general
from dashboards.settings.grouping.route import router as grouping
from dashboards.settings.inbound_filters.route import router as inbound_filters
from dashboards.settings.integrations.route import router as integrations
from dashboards.settings.retention.route import router as retention
from dashboards.settings.scrubbing.route import router as scrubbing
from dashboards.settings.source_maps.route import router as source_maps
from dashboards.shared import failures
from dashboards.shared.compression import Compression
from dashboards.shared.envelope import Envelope
from dashboards.shared.rendering import STATIC
from dashboards.shared.static_files import StaticFiles
from dashboards.sharing.replay import router as shared_segments
from dashboards.sharing.route import router as sharing
from dashboards.sign_in.code import router as code
from dashboards.sign_in.route import router as sign_in
from dashboards.sign_in.two_steps import router as two_steps
from dashboards.styleguide.route import router as styleguide
from dashboards.users.route import router as users
from errata.endings import exiting

ROUTERS = (
    sign_in,
    code,
    two_steps,
    one_time_link,
    documentation,
    installation,
    projects,
    find,
    overview,
    issues,
    issue,
    following,
    confirmation,
    suspects,
    users,
    feedback,
    monitors,
    replays,
    replay_player,
    performance,
    budgets,
    provenance,
    recommendations,
    resources,
    page_detail,
    endpoint,
    waterfall,
    saved_views,
    releases,
    trends,
    reports,
    report_schedules,
    delivery,
    annotations,
    general,
    integrations,
    grouping,
    retention,
    scrubbing,
    inbound_filters,
    source_maps,
    erasure,
    sharing,
    shared_segments,
    alerts,
    api_keys,
    people,
    usage,
    activity,
    account,
    notifications,
)

# Files of ours need no work, and the API gives its requests their places.
WITHOUT_A_PLACE = ("/static/", "/api/", "/v1/", "/mcp")


def create_app(mounted_api: FastAPI) -> FastAPI:
    """The pages share the account store and the reading warehouse of the API they contain."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with mounted_api.router.lifespan_context(mounted_api):
            api.app.prepare_routes(app)
            yield
            await agents.close()

    agents = AgentDoor(mounted_api)
    app = FastAPI(
        openapi_url=None,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        telemetry={"tracing": False, "metrics": False},
    )
    app.state.context = mounted_api.state.context
    failures.install(app)
    mounted_api.state.failure_page = failures.page
    mounted_api.state.reference_page = reference_page
    context = app.state.context
    app.add_middleware(NotesRoute)
    app.add_middleware(
        Admission,
        slots=context.slots,
        seconds=context.settings.answer_seconds,
        is_exempt=lambda path: path.startswith(WITHOUT_A_PLACE),
        refuse=failures.refuse,
        snapshot=context.read.asked_ahead.snapshot,
    )
    app.add_middleware(Compression)
    app.add_middleware(Envelope)
    app.add_middleware(EnvelopesFirst, api=mounted_api)
    app.add_middleware(TrustedProxies, networks=context.trusted_proxies)
    app.add_middleware(RequestSeconds)
    for router in ROUTERS:
        app.include_router(router)
    # Where a Prometheus looks for it.
    app.include_router(metrics.router)
    if context.settings.styleguide:
        app.include_router(styleguide)
    app.router.routes.extend(agents.routes())
    app.mount("/static", GZipMiddleware(StaticFiles(directory=STATIC), minimum_size=1000))
    app.mount("/api", api.app.Mounted(mounted_api))
    # Where exporters of OpenTelemetry send to, unless they are told otherwise.
    app.mount("/v1", api.app.Mounted(mounted_api))
    return app


def from_environment(environ: Mapping[str, str]) -> FastAPI:
    return create_app(api.app.from_environment(environ))


def __getattr__(name: str) -> FastAPI:
    """`app` is made when a server asks for it: importing this module needs no environment."""
    if name == "app":
        with exiting():
            return from_environment(os.environ)
    raise AttributeError(name)
