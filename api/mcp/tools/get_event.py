"""The tool `get_event`."""

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import Field

from api.mcp.answer import Answer
from api.mcp.arguments import Cursor
from api.mcp.provenance import UNTRUSTED
from api.mcp.rest import Refused, Rest
from api.mcp.tool import Tool

# Of what is left of a payload.
FIRST = ("logentry", "message", "request", "tags", "user", "contexts", "extra")


async def get_event(
    rest: Rest,
    issue_id: Annotated[str, Field(pattern="^([0-9a-f]{16})?$")] = "",
    event_id: Annotated[str, Field(pattern="^([0-9a-f]{32})?$")] = "",
    cursor: Cursor = "",
) -> Answer:
    """One event: of an issue the latest, or the one with this id. Items are its exceptions, stack frames
    with source lines and variables (innermost first), breadcrumbs (latest first), request, tags, contexts."""
    if not event_id:
        if not issue_id:
            raise Refused("Give issue_id or event_id.")
        found = await rest.ask("issue_events", issue_id=issue_id, limit=1)
        if not found["events"]:
            raise Refused("The issue has no stored events anymore.")
        event_id = found["events"][0]["event_id"]
    head = await rest.ask("event", event_id=event_id)
    payload = head.get(UNTRUSTED, {}).pop("payload", {})
    return Answer(head, list(parts_of(payload)), cursor)


def parts_of(payload: Any) -> Iterator[dict[str, Any]]:
    """What an application sent, in the order in which a developer reads it. Nothing of it is trusted, and it
    may have any form."""
    payload = dict(payload) if isinstance(payload, dict) else {}
    for exception in reversed(listed(payload.pop("exception", None))):
        stack = exception.pop("stacktrace", None) if isinstance(exception, dict) else None
        yield part("exception", exception)
        for frame in reversed(listed(stack, "frames")):
            yield part("frame", frame)
    for crumb in reversed(listed(payload.pop("breadcrumbs", None))):
        yield part("breadcrumb", crumb)
    for kind in (*FIRST, *sorted(payload.keys() - set(FIRST))):
        if payload.get(kind):
            yield part("other", {kind: payload[kind]})


def listed(node: Any, of: str = "values") -> list[Any]:
    found = node.get(of) if isinstance(node, dict) else node
    return list(found) if isinstance(found, list) else []


def part(kind: str, node: Any) -> dict[str, Any]:
    return {"kind": kind, UNTRUSTED: node}


TOOL = Tool(get_event, "Get an event", ("event", "issue_events"))
