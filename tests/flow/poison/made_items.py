"""Items made of nothing: smaller than what SDKs send, and with every part at hand."""

from datetime import timedelta
from typing import Any

from tests.flow.poison.line import Line
from tests.flow.poison.pot import Pot


def event(pot: Pot, **fields: Any) -> Line:
    frames = [{"function": "pay", "filename": "shop/cart.py", "module": "shop.cart", "in_app": True}]
    payload = {
        "event_id": pot.hex(),
        "timestamp": pot.now.isoformat(),
        "platform": "python",
        "exception": {
            "values": [{"type": "KeyError", "value": "price", "stacktrace": {"frames": frames}}],
        },
        "release": "shop@1.0.0",
        "environment": "production",
        "user": {"id": "7"},
    }
    return pot.add("event", payload | fields)


def load(pot: Pot, children: int = 3, **trace: Any) -> Line:
    """A page load with a script, a call and the load event, over the last ten seconds."""
    start = (pot.now - timedelta(seconds=10)).timestamp()
    spans = [
        {
            "span_id": pot.hex(16),
            "op": op,
            "description": "https://shop.example/api/cart.js",
            "start_timestamp": start + number,
            "timestamp": start + number + 0.5,
            "data": {"http.response_transfer_size": 900, "http.response.status_code": 200},
        }
        for number, op in enumerate(("resource.script", "http.client", "browser.load_event")[:children])
    ]
    payload = {
        "event_id": pot.hex(),
        "type": "transaction",
        "transaction": "/cart",
        "transaction_info": {"source": "route"},
        "start_timestamp": start,
        "timestamp": start + 9,
        "contexts": {"trace": {"trace_id": pot.hex(), "span_id": pot.hex(16), "op": "pageload"} | trace},
        "spans": spans,
        "measurements": {"lcp": {"value": 1200.5}, "fcp": {"value": 800}, "cls": {"value": 0.05}},
        "release": "shop@1.0.0",
        "environment": "production",
    }
    return pot.add("transaction", payload)


def call(pot: Pot, **fields: Any) -> Line:
    """A request that a server answered."""
    start = (pot.now - timedelta(seconds=5)).timestamp()
    payload = {
        "event_id": pot.hex(),
        "type": "transaction",
        "transaction": "/cart/{id}",
        "transaction_info": {"source": "route"},
        "start_timestamp": start,
        "timestamp": start + 0.25,
        "contexts": {
            "trace": {"trace_id": pot.hex(), "span_id": pot.hex(16), "op": "http.server", "status": "ok"},
        },
        "request": {"method": "GET", "url": "https://shop.example/cart/7"},
        "release": "shop@1.0.0",
        "environment": "production",
    }
    return pot.add("transaction", payload | fields)


def container(pot: Pot, *spans: dict[str, Any]) -> Line:
    """Streamed spans."""
    headers = {"content_type": "application/vnd.sentry.items.span.v2+json", "item_count": len(spans)}
    return pot.add("span", {"version": 2, "items": list(spans)}, headers=headers)


def span(pot: Pot, op: str, attributes: dict[str, Any] | None = None, **fields: Any) -> dict[str, Any]:
    """A streamed span, of the last second."""
    end = pot.now.timestamp()
    sent = {
        "name": "/cart",
        "span_id": pot.hex(16),
        "trace_id": pot.hex(),
        "start_timestamp": end - 1,
        "end_timestamp": end,
        "is_segment": False,
        "status": "ok",
    }
    valued = {name: {"value": value} for name, value in ({"sentry.op": op} | (attributes or {})).items()}
    return sent | {"attributes": valued} | fields


def session(pot: Pot, **fields: Any) -> Line:
    payload = {
        "sid": pot.hex(),
        "init": True,
        "started": (pot.now - timedelta(minutes=3)).isoformat(),
        "timestamp": pot.now.isoformat(),
        "status": "exited",
        "errors": 0,
        "duration": 180,
        "attrs": {"release": "shop@1.0.0", "environment": "production"},
    }
    return pot.add("session", payload | fields)
