"""Page loads, resources and calls of three weeks, skewed as real ones are: a few pages have nearly all."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import numpy as np

from api.ingest.item import Rows

BUSY_COUNT, SPREAD_COUNT = 1100, 900
# Each costs its builds.
DAYS = (1, 9, 16)
Row = dict[str, Any]


def skewed_traffic(now: datetime, project_id: int, seed: int = 5) -> Rows:
    generator = np.random.default_rng(seed)
    busy_hour = now.replace(minute=0, second=0, microsecond=0) - timedelta(days=9, hours=3)
    tables: Rows = {"errata_raw.page_views": [], "errata_raw.page_resources": [], "errata_raw.requests": []}
    for number in range(BUSY_COUNT + SPREAD_COUNT):
        is_busy = number < BUSY_COUNT
        if is_busy:
            at = busy_hour + timedelta(seconds=float(generator.uniform(0, 3599)))
        else:
            at = now - timedelta(days=int(generator.choice(DAYS)), hours=float(generator.uniform(1, 3)))
        shared = {
            "project_id": project_id,
            "occurred_at": f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}",
            "environment": "production" if is_busy or generator.random() < 0.8 else "staging",
            "release": "shop@1.1" if at > now - timedelta(days=12) else "shop@1.0",
        }
        tables["errata_raw.page_views"] += _view(generator, number, at, is_busy, shared)
        tables["errata_raw.page_resources"] += _resources(generator, number, at, is_busy, shared)
        tables["errata_raw.requests"].append(_call(generator, number, is_busy, shared))
    return tables


def _id(generator: np.random.Generator) -> str:
    return str(UUID(bytes=generator.bytes(16)))


def _view(generator: np.random.Generator, number: int, at: datetime, is_busy: bool, shared: Row) -> list[Row]:
    started = round(at.timestamp() * 1000, 1)
    load_ms = round(float(generator.lognormal(7, 0.6)), 1)
    kind = "navigate" if is_busy or generator.random() < 0.9 else "soft-navigation"
    view = shared | {"view_id": number + 1, "trace_id": str(UUID(int=number + 1))}
    opening = view | {
        "item_id": _id(generator),
        "is_load": True,
        "navigation_type": kind,
        "page": "/busy" if is_busy else f"/page-{min(9, int(generator.zipf(1.6)))}",
        "device": "desktop" if is_busy or generator.random() < 0.6 else "mobile",
        "started_at_ms": started,
        "call_ms": [round(float(one), 1) for one in generator.lognormal(4, 1, int(generator.integers(0, 4)))],
        "resource_intervals": [
            (started + float(begin), started + float(begin) + float(generator.integers(1, 400)))
            for begin in generator.integers(0, 900, int(generator.integers(0, 5)))
        ],
    }
    if kind == "navigate":
        opening["ttfb_ms"] = round(load_ms / 5, 1)
        opening["fcp_ms"] = round(load_ms / 3, 1)
        opening["cls"] = 0.0
        if generator.random() < 0.95:
            opening["load_at_ms"] = started + load_ms
        elif number % 3:
            # Told before it had ended.
            opening["duration_ms"] = round(load_ms * 0.8, 1)
    parts = [opening]
    for _ in range(int(generator.integers(0, 3))):
        # Vitals come later, again and grown.
        later = at + timedelta(milliseconds=float(generator.uniform(100, 9000)))
        moment = f"{later:%Y-%m-%d %H:%M:%S}.{later.microsecond // 1000:03d}"
        vital = {
            "lcp_ms": round(load_ms * float(generator.uniform(0.4, 1)), 1),
            "cls": float(generator.beta(1, 9)),
            "lcp_element": "main > img",
            "lcp_url": f"/photo/{number % 130}.webp" if is_busy else "/logo.svg",
            "lcp_size": 1000.0 + number % 50,
            **_interaction(number, started),
        }
        parts.append(view | vital | {"occurred_at": moment, "item_id": _id(generator), "is_load": False})
    return parts


def _interaction(number: int, started: float) -> Row:
    """With a frame of its own before, in or after it; of more elements than a cell names."""
    at, inp_ms = started + 5000 + number % 11, 40.0 + number % 400
    frame = {
        "start_ms": at - 20 + number % 60,
        "duration_ms": inp_ms * (0.4 + number % 5 / 5),
        "invoker": ("BUTTON#buy.onclick", "DOMWindow.onload", "Response.json.then")[number % 3],
        "invoker_type": "resolve-promise" if number % 3 == 2 else "event-listener",
        "file": "/app.js",
        "function": "buy",
        "position": 10 + number % 2,
    }
    element = f"button.of-{min(number % 90, 40)}"
    return {"inp_ms": inp_ms, "inp_at_ms": at, "inp_target": element, "cls_sources": [], "frames": [frame]}


def _resources(
    generator: np.random.Generator, number: int, at: datetime, is_busy: bool, shared: Row
) -> list[Row]:
    # In the busy hour more URLs than a cell names.
    urls = ["/app.js", f"/photo/{number % 130}.webp"] if is_busy else ["/app.js", "/main.css", "/logo.svg"]
    kinds = {"js": "script", "css": "style", "svg": "image", "webp": "image"}
    return [
        shared
        | {
            "view_id": number + 1,
            "item_id": _id(generator),
            "type": kinds[url.rpartition(".")[2]],
            "url": url,
            "start_us": int(at.timestamp() * 1e6) + int(generator.integers(0, 400_000)),
            "duration_ms": round(float(generator.lognormal(4, 1)), 1),
            "transfer_bytes": int(generator.choice([0, 9300])),
            "body_bytes": int(generator.choice([0, 9000, 9000])),
            "decoded_bytes": 30_000,
            "is_render_blocking": url == "/main.css",
            "is_cached": bool(generator.random() < 0.3),
            "status_code": int(generator.choice([200, 200, 200, 404])),
        }
        for url in urls
    ]


def _call(generator: np.random.Generator, number: int, is_busy: bool, shared: Row) -> Row:
    return shared | {
        "side": "server",
        "item_id": _id(generator),
        "method": "GET" if is_busy or number % 3 else "POST",
        "route": "/busy" if is_busy else f"/orders/{min(5, int(generator.zipf(1.7)))}/items",
        "status_code": int(generator.choice([200, 200, 200, 302, 404, 500, 0])),
        "duration_ms": round(float(generator.lognormal(4.5, 1.1)), 2),
        "path": "/x",
    }
