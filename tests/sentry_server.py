"""A Sentry on loopback, as far as its documentation says how it answers: projects, events and issues."""

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import cycle, islice
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID, uuid5

from tests.captures import payloads
from tests.errata.outgoing.servers import Asked, HttpServer, Reply, serving
from tests.sentry_form import documented

TOKEN = "sntrys_token-of-more-than-16-characters"
ORGANIZATION = "acme"
PER_PAGE_MAX = 100
NAMESPACE = UUID("5e9a1f7e-0000-4000-8000-000000000000")
Interruption = Callable[["SentryServer"], Reply | None]


@dataclass(frozen=True)
class Occurrence:
    """An event as its SDK sent it, in an issue of this Sentry."""

    payload: dict[str, Any]
    group_id: str
    moment: datetime


@dataclass(frozen=True)
class SentFile:
    name: str
    content: bytes
    type: str = "event.attachment"


@dataclass
class SentryServer:
    """`occurrences` by project, newest first, and the fields of issues (`states`) by their ids. `odd`: values
    that the list of each project's events ends in. `files` by the id of their event. `interruption` answers
    instead where it returns something."""

    occurrences: dict[str, list[Occurrence]]
    states: dict[str, dict[str, Any]] = field(default_factory=dict)
    odd: list[Any] = field(default_factory=list)
    files: dict[str, list[SentFile]] = field(default_factory=dict)
    interruption: Interruption = lambda server: None
    request_count: int = 0
    paths: list[str] = field(default_factory=list)

    def reply(self, asked: Asked) -> Reply:
        self.request_count += 1
        self.paths.append(asked.path)
        if asked.headers.get("authorization") != f"Bearer {TOKEN}":
            return _json(401, {"detail": "Invalid token"})
        if (instead := self.interruption(self)) is not None:
            return instead
        address = urlsplit(asked.path)
        query = {name: values[-1] for name, values in parse_qs(address.query, keep_blank_values=True).items()}
        match address.path.strip("/").split("/"):
            case ["api", "0", "organizations", "acme", "projects"]:
                return self._page(address.path, query, self._projects())
            case ["api", "0", "organizations", "acme", "issues"]:
                return self._page(address.path, query, self._issues(query))
            case ["api", "0", "projects", "acme", slug, "events"] if slug in self.occurrences:
                return self._events(address.path, query, slug)
            case ["api", "0", "projects", "acme", slug, "events", event_id, "json"]:
                return self._stored_event(slug, event_id)
            case ["api", "0", "organizations", "acme", "issues", group_id, "attachments"]:
                return self._page(address.path, query, self._attachments(group_id))
            case ["api", "0", "projects", "acme", _, "events", event_id, "attachments", number]:
                content = self.files[event_id][int(number)].content
                return Reply(200, {"Content-Type": "application/octet-stream"}, content)
        return _json(404, {"detail": "The requested resource does not exist"})

    def _projects(self) -> list[dict[str, Any]]:
        return [
            {"id": str(number), "slug": slug, "name": slug.title(), "platform": "python", "status": "active"}
            for number, slug in enumerate(self.occurrences, 1)
        ]

    def _events(self, path: str, query: Mapping[str, str], slug: str) -> Reply:
        project_id = str(list(self.occurrences).index(slug) + 1)
        within = [each for each in self.occurrences[slug] if _is_within(each, query)]

        def shown(value: Any) -> Any:
            if not isinstance(value, Occurrence):
                return value
            return documented(value.payload, value.group_id, project_id)

        return self._page(path, query, [*within, *self.odd], shown)

    def _issues(self, query: Mapping[str, str]) -> list[dict[str, Any]]:
        """Without `query` only unresolved ones, as Sentry's documentation says."""
        slug = list(self.occurrences)[int(query["project"]) - 1]
        groups: dict[str, list[Occurrence]] = {}
        for each in self.occurrences[slug]:
            if _is_within(each, query):
                groups.setdefault(each.group_id, []).append(each)
        told = [self._issue(slug, group_id, found) for group_id, found in groups.items()]
        return [issue for issue in told if "query" in query or issue["status"] == "unresolved"]

    def _issue(self, slug: str, group_id: str, found: Sequence[Occurrence]) -> dict[str, Any]:
        return {
            "id": group_id,
            "shortId": f"{slug.upper()}-{group_id}",
            "title": f"Issue {group_id}",
            "culprit": "",
            "permalink": f"https://acme.sentry.io/issues/{group_id}/",
            "status": "unresolved",
            "substatus": "ongoing",
            "statusDetails": {},
            "assignedTo": None,
            "isBookmarked": False,
            "count": str(len(found)),
            "userCount": 0,
            "firstSeen": found[-1].moment.isoformat(),
            "lastSeen": found[0].moment.isoformat(),
            **self.states.get(group_id, {}),
        }

    def _stored_event(self, slug: str, event_id: str) -> Reply:
        found = [each.payload for each in self.occurrences[slug] if each.payload["event_id"] == event_id]
        if not found:
            return _json(404, {"detail": "Event not found"})
        return _json(200, {"fingerprint": ["{{ default }}"], **found[0]})

    def _attachments(self, group_id: str) -> list[dict[str, Any]]:
        """As of an issue; of an event, they lack its id."""
        of_group = {
            str(each.payload["event_id"]): each
            for found in self.occurrences.values()
            for each in found
            if each.group_id == group_id
        }
        return [
            {
                "id": str(number),
                "event_id": event_id,
                "type": file.type,
                "name": file.name,
                "mimetype": "text/plain",
                "dateCreated": each.moment.isoformat(),
                "size": len(file.content),
                "headers": {"Content-Type": "text/plain"},
                "sha1": None,
            }
            for event_id, each in of_group.items()
            for number, file in enumerate(self.files.get(event_id, ()))
        ]

    def _page(
        self,
        path: str,
        query: Mapping[str, str],
        values: Sequence[Any],
        shown: Callable[[Any], Any] = lambda value: value,
    ) -> Reply:
        count = int(query.get("per_page", PER_PAGE_MAX))
        if not 1 <= count <= PER_PAGE_MAX:
            return _json(400, {"detail": "Invalid per_page parameter. Must be between 1 and 100."})
        start = int(query.get("cursor", "0:0:0").split(":")[1])
        told = [shown(value) for value in values[start : start + count]]
        has_more = str(start + count < len(values)).lower()
        before, after = f"0:{max(start - count, 0)}:1", f"0:{start + count}:0"
        link = (
            f'<https://sentry.example{path}?&cursor={before}>; rel="previous"; '
            f'results="{str(start > 0).lower()}"; cursor="{before}", '
            f'<https://sentry.example{path}?&cursor={after}>; rel="next"; '
            f'results="{has_more}"; cursor="{after}"'
        )
        return _json(200, told, {"Link": link})


def limited() -> Reply:
    """Sentry's answer to too many requests."""
    headers = {
        "Retry-After": "0",
        "X-Sentry-Rate-Limit-Limit": "40",
        "X-Sentry-Rate-Limit-Remaining": "0",
        "X-Sentry-Rate-Limit-Reset": str(int(time.time()) + 1),
    }
    detail = "You are attempting to use this endpoint too frequently. Limit is 40 requests in 1 seconds"
    return _json(429, {"detail": detail}, headers)


def often_interrupted(server: SentryServer) -> Reply | None:
    """Some requests are too many, and some meet a gateway without a server."""
    if server.request_count % 3 == 0:
        return limited()
    if server.request_count % 5 == 0:
        return Reply(502, {"Content-Type": "text/html", "Retry-After": "0"}, b"<html>Bad Gateway</html>")
    return None


def recorded_occurrences(
    names: Sequence[str], count: int, until: datetime, span: timedelta
) -> list[Occurrence]:
    """Recorded events again and again, each with an id of its own, spread evenly over the time before
    `until`. Those with one label, or one type and place, are one issue."""
    recorded = [payload for name in names for payload in payloads(name)]
    found = []
    for place, payload in enumerate(islice(cycle(recorded), count)):
        moment = until - span * (place + 1) / (count + 1)
        own = {
            "event_id": uuid5(NAMESPACE, f"{names}/{place}").hex,
            "timestamp": moment.isoformat(timespec="microseconds").replace("+00:00", "Z"),
        }
        found.append(Occurrence({**payload, **own}, group_of(payload), moment))
    return found


def group_of(payload: Mapping[str, Any]) -> str:
    """A number of the bug's label where it has one, otherwise of the exception's type and text."""
    raised = payload["exception"]["values"][-1]
    label = (payload.get("extra") or {}).get("case") or f"{raised.get('type')}: {raised.get('value')}"
    return str(uuid5(NAMESPACE, str(label)).int % 10**9)


@contextmanager
def running_sentry(server: SentryServer) -> Iterator[HttpServer]:
    with serving(server.reply) as http:
        yield http


def _is_within(each: Occurrence, query: Mapping[str, str]) -> bool:
    since, until = (
        datetime.fromisoformat(query[name]).replace(tzinfo=UTC) if name in query else None
        for name in ("start", "end")
    )
    return (since is None or each.moment >= since) and (until is None or each.moment < until)


def _json(status: int, value: Any, headers: Mapping[str, str] | None = None) -> Reply:
    return Reply(status, {"Content-Type": "application/json", **(headers or {})}, json.dumps(value).encode())
