"""Real web applications that serve a page, with the SDK's tunnel as one of their routes."""

import contextlib
import logging
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from wsgiref.types import WSGIApplication

import uvicorn
from errata_sdk import tunnel
from flask import Flask
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.serving import make_server

PAGE = (
    "<!doctype html><title>Shop</title><script>window.settings = {settings}</script><script>{script}</script>"
)


class Page:
    """What the shops serve; it can be changed while they run."""

    html = ""


@contextlib.contextmanager
def flask_shop(page: Page, app_key: str, logs: Path) -> Iterator[str]:
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    shop = Flask("shop")
    shop.add_url_rule("/", view_func=lambda: page.html)
    routes: dict[str, WSGIApplication] = {"/tunnel": tunnel.wsgi(app_key, logs)}
    server = make_server("127.0.0.1", 0, DispatcherMiddleware(shop.wsgi_app, routes), threaded=True)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.port}"
    finally:
        server.shutdown()
        thread.join()


@contextlib.contextmanager
def asgi_shop(page: Page, app_key: str, logs: Path) -> Iterator[str]:
    async def home(request: Request) -> HTMLResponse:
        return HTMLResponse(page.html)

    routes = [Route("/", home), Route("/tunnel", tunnel.asgi(app_key, logs), methods=["POST"])]
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(Starlette(routes=routes), log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
        listening.close()
