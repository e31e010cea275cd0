"""Assembles the pages with the API below them: `uvicorn dashboards.app:app`."""

import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from fastapi import FastAPI
from starlette.middleware.gzip import GZipMiddleware

import api.app
from api.admission import Admission
from dashboards import failures
from dashboards.envelope import Envelope
from dashboards.pages import (
    alerts,
    budgets,
    delivery,
    grouping,
    issue,
    issues,
    page_detail,
    performance,
    projects,
    provenance,
    recommendations,
    releases,
    report_schedules,
    reports,
    resources,
    scrubbing,
    settings,
    shared,
    sign_in,
    trends,
    waterfall,
)
from dashboards.rendering import STATIC
from dashboards.static_files import StaticFiles

ROUTERS = (
    sign_in.router,
    projects.router,
    issues.router,
    issue.router,
    performance.router,
    budgets.router,
    provenance.router,
    recommendations.router,
    resources.router,
    page_detail.router,
    waterfall.router,
    releases.router,
    trends.router,
    reports.router,
    report_schedules.router,
    delivery.router,
    settings.router,
    grouping.router,
    scrubbing.router,
    shared.router,
    alerts.router,
)

# Files of ours need no work, and the API gives its requests their places.
WITHOUT_A_PLACE = ("/static/", "/api/")


def create_app(mounted_api: FastAPI) -> FastAPI:
    """The pages share the account store and the reading warehouse of the API they contain."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with mounted_api.router.lifespan_context(mounted_api):
            yield

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
    context = app.state.context
    app.add_middleware(
        Admission,
        slots=context.slots,
        seconds=context.settings.answer_seconds,
        is_exempt=lambda path: path.startswith(WITHOUT_A_PLACE),
        refuse=failures.refuse,
    )
    app.add_middleware(Envelope)
    for router in ROUTERS:
        app.include_router(router)
    app.mount("/static", GZipMiddleware(StaticFiles(directory=STATIC), minimum_size=1000))
    app.mount("/api", api.app.Mounted(mounted_api))
    return app


def from_environment(environ: Mapping[str, str]) -> FastAPI:
    return create_app(api.app.from_environment(environ))


def __getattr__(name: str) -> FastAPI:
    """`app` is made when a server asks for it: importing this module needs no environment."""
    if name == "app":
        return from_environment(os.environ)
    raise AttributeError(name)
