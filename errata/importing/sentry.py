"""Sentry's REST API, as far as an import reads it: projects, events and issues, page by page."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from errata.errors import ErrataError
from errata.importing.errors import SentryUnusable
from errata.importing.exchange import Answer, Exchange
from errata.importing.values import mapping, objects, text

LINK = re.compile(r"<[^<>]*>([^,<]*)")
LINK_PART = re.compile(r';\s*(\w+)="([^"]*)"')
LONGEST_LINK = 4096
PER_PAGE = 100
SCOPES = "the token needs org:read, project:read and event:read"


@dataclass(frozen=True)
class Window:
    """Events from `since` to before `until`: both stay the same when an import goes on."""

    since: datetime
    until: datetime

    @property
    def parameters(self) -> dict[str, str]:
        return {"start": f"{self.since:%Y-%m-%dT%H:%M:%S}", "end": f"{self.until:%Y-%m-%dT%H:%M:%S}"}


@dataclass(frozen=True)
class SentryProject:
    id: str
    slug: str
    name: str
    platform: str


@dataclass(frozen=True)
class Page:
    """`values`: a list of anything. `next_cursor` is empty on the last page."""

    values: list[Any]
    next_cursor: str


class Sentry:
    def __init__(self, exchange: Exchange, organization: str) -> None:
        self._exchange = exchange
        self._organization = quote(organization, safe="")

    def projects(self) -> list[SentryProject]:
        path = f"/api/0/organizations/{self._organization}/projects/"
        return [
            SentryProject(
                str(told.get("id")), slug, text(told.get("name")) or slug, text(told.get("platform"))
            )
            for told in self._all(path, {})
            if (slug := text(told.get("slug")))
        ]

    def events(self, project: str, window: Window, cursor: str) -> Page:
        """A page of whole events, newest first."""
        path = f"/api/0/projects/{self._organization}/{quote(project, safe='')}/events/"
        return self._page(path, {"full": "true", **window.parameters}, cursor)

    def stored_event(self, project: str, event_id: str) -> dict[str, Any]:
        """An event as Sentry keeps it. Its pages offer this as JSON; its documentation doesn't name it."""
        path = f"/api/0/projects/{self._organization}/{quote(project, safe='')}/events/{event_id}/json/"
        answer = self._exchange.ask("GET", path)
        return mapping(answer.value if answer else None)

    def issues(self, project_id: str, window: Window) -> Iterator[dict[str, Any]]:
        """Those of every state with an event in the window."""
        path = f"/api/0/organizations/{self._organization}/issues/"
        return self._all(path, {"project": project_id, "query": "", **window.parameters})

    def attachments(self, group_id: str) -> Iterator[dict[str, Any]]:
        """Files sent with the events of an issue."""
        path = f"/api/0/organizations/{self._organization}/issues/{quote(group_id, safe='')}/attachments/"
        return self._all(path, {})

    def attachment(self, project: str, event_id: str, attachment_id: str) -> bytes | None:
        """The content; None if it is too large."""
        file = f"{quote(event_id, safe='')}/attachments/{quote(attachment_id, safe='')}"
        path = f"/api/0/projects/{self._organization}/{quote(project, safe='')}/events/{file}/"
        return self._exchange.download(f"{path}?download=1")

    def _all(self, path: str, parameters: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        cursors = CursorCheck()
        cursor = ""
        while True:
            page = self._page(path, parameters, cursor)
            yield from objects(page.values)
            if not page.next_cursor:
                return
            cursor = cursors.checked(page.next_cursor)

    def _page(self, path: str, parameters: Mapping[str, str], cursor: str) -> Page:
        """A smaller one where the answer is too large."""
        count = PER_PAGE
        while count:
            given = {**parameters, "per_page": str(count), **({"cursor": cursor} if cursor else {})}
            answer = self._exchange.ask("GET", f"{path}?{urlencode(given)}")
            if answer is not None:
                return _page_of(answer)
            count //= 2
        raise SentryUnusable("a single event is too large")


class CursorCheck:
    """A listing that returns a cursor twice would never end."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def checked(self, cursor: str) -> str:
        if cursor in self._seen:
            raise SentryUnusable(f"the cursor {cursor[:100]} was returned twice, so the list never ends")
        self._seen.add(cursor)
        return cursor


def sentry_exchange(url: str, token: str) -> Exchange:
    """Raises SentryUnusable for what is no address, or a token that can't be sent."""
    url = url.rstrip("/")
    if urlsplit(url).scheme not in ("http", "https"):
        raise SentryUnusable("--url must start with https://, such as https://sentry.io")
    if not token or not token.isascii() or not token.isprintable() or " " in token:
        raise SentryUnusable(
            "set SENTRY_AUTH_TOKEN, or pass a file that contains the token with --token-file"
        )
    return Exchange(url, token, _failure)


def _failure(reason: str, status: int) -> ErrataError:
    return SentryUnusable(f"{reason}; {SCOPES}" if status in (401, 403) else reason, status)


def _page_of(answer: Answer) -> Page:
    if not isinstance(answer.value, list):
        raise SentryUnusable("the response is not a list; check --url")
    return Page(answer.value, next_cursor(answer.headers.get("link", "")))


def next_cursor(link: str) -> str:
    """The cursor of the next page by a Link header; empty where there is none, or it has no results."""
    for parameters in LINK.findall(link[:LONGEST_LINK]):
        told = dict(LINK_PART.findall(parameters))
        if told.get("rel") == "next" and told.get("results") == "true":
            return str(told.get("cursor", ""))
    return ""
