"""The shop: a small application with ordinary bugs, watched by Errata."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import errata_sdk
import sentry_sdk
from errata_sdk import tunnel
from fastapi import FastAPI
from sentry_sdk.integrations.logging import LoggingIntegration
from starlette.routing import Route
from starlette.staticfiles import StaticFiles

from demo import jobs
from demo.shop import api, pages, stock
from demo.shop.carts import Carts
from demo.shop.settings import ShopSettings

HERE = Path(__file__).parent
UNTRACED = ("/static", "/vendor", "/pictures", "/tunnel")


def create_app(settings: ShopSettings) -> FastAPI:
    errata_sdk.init(
        settings.app_key,
        settings.storage_path,
        environment=settings.environment,
        release=settings.release,
        in_app_include=["demo.shop"],
        traces_sampler=sample,
        enable_logs=True,
        # The shop logs what tells something; what its libraries log is not for the demonstration.
        integrations=[LoggingIntegration(sentry_logs_level=None)],
    )
    sentry_sdk.set_tag("shop", "demo")
    app = FastAPI(title="Nordlys", lifespan=with_stock_service)
    app.state.settings = settings
    app.state.carts = Carts()
    app.include_router(api.router)
    app.include_router(pages.router)
    browsers = tunnel.asgi(settings.app_key, settings.storage_path)
    app.router.routes.append(Route("/tunnel", browsers, methods=["POST"]))
    app.mount("/static", StaticFiles(directory=HERE / "static"))
    app.mount("/vendor", StaticFiles(directory=HERE / "vendor"))
    return app


@asynccontextmanager
async def with_stock_service(app: FastAPI) -> AsyncIterator[None]:
    stopping = threading.Event()
    if app.state.settings.has_jobs:
        threading.Thread(target=jobs.keep_running, args=(stopping,), daemon=True).start()
    with stock.silent_service() as service:
        app.state.settings = replace(app.state.settings, stock_port=service.getsockname()[1])
        yield
    stopping.set()


def sample(context: dict[str, Any]) -> float:
    """Every page and call is traced, files are not."""
    path = (context.get("asgi_scope") or {}).get("path", "")
    return 0.0 if path.startswith(UNTRACED) else 1.0
