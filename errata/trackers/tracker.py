"""What all trackers can do, and what they answer with."""

import re
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, ClassVar
from urllib.parse import urlsplit

import msgspec
from errata_wire.retry_after import retry_after_seconds

from errata.errors import InvalidParameter
from errata.outgoing import Outgoing, Response
from errata.outgoing.errors import ResponseUnusable
from errata.shortened import shortened
from errata.trackers.connection import Connection
from errata.trackers.errors import TrackerBusy, TrackerRefused

LONGEST_TITLE = 250
LONGEST_SAID = 300
USUAL_WAIT_SECONDS = 60
LONGEST_WAIT_SECONDS = 3600
RESETS = ("x-ratelimit-reset", "ratelimit-reset", "x-ratelimit-requests-reset")


@dataclass(frozen=True)
class NewIssue:
    """`text` is shown as it is, never as markup; `facts` are names and values; `url` leads back."""

    title: str
    text: str
    facts: Sequence[tuple[str, str]]
    url: str
    labels: Sequence[str] = ()


@dataclass(frozen=True)
class ExternalIssue:
    """`key` finds it again; `status` is the tracker's own word for it."""

    key: str
    url: str
    title: str
    is_open: bool
    status: str


@dataclass(frozen=True, slots=True)
class OwnField:
    """A field of a connection that only some trackers have."""

    name: str
    label: str
    example: str = ""


class Tracker(ABC):
    """`usual_url`: the address of the tracker's own service; empty: every customer has another one, such as
    `example_url`. `has_numbers`: issues are called `#12`."""

    kind: ClassVar[str]
    name: ClassVar[str]
    usual_url: ClassVar[str] = ""
    example_url: ClassVar[str] = ""
    own_fields: ClassVar[Sequence[OwnField]] = ()
    has_numbers: ClassVar[bool] = True

    def __init__(self, connection: Connection, outgoing: Outgoing) -> None:
        self.connection = connection
        self._outgoing = outgoing

    @abstractmethod
    def check(self) -> str:
        """What the connection leads to, in words; raises where an issue could not be made there."""

    @abstractmethod
    def create(self, issue: NewIssue) -> ExternalIssue: ...

    @abstractmethod
    def find(self, key: str) -> ExternalIssue: ...

    @abstractmethod
    def key_of(self, reference: str) -> str:
        """Of what people paste: an address or a key. Raises InvalidParameter for one of elsewhere."""

    @abstractmethod
    def _headers(self) -> Mapping[str, str]: ...

    @abstractmethod
    def _said(self, body: Any) -> str:
        """The reason that an error's body gives."""

    def _fetch(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        headers = {"Accept": "application/json", **self._headers()}
        content = b""
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = msgspec.json.encode(body)
        answer = self._outgoing.request(
            method, self.api_url + path, headers=headers, body=content, redirects=2
        )
        if not answer.is_success:
            raise self._refused(answer)
        return answer.json()

    @property
    @abstractmethod
    def api_url(self) -> str: ...

    def _refused(self, answer: Response) -> TrackerRefused:
        if answer.status == 429 or (answer.status in (403, 503) and _is_limit(answer)):
            return TrackerBusy(self.name, answer.status, wait_of(answer))
        try:
            said = self._said(answer.json())[:LONGEST_SAID]
        except ResponseUnusable:
            said = ""
        return TrackerRefused(self.name, answer.status, self._sentence(answer.status, said))

    def _sentence(self, status: int, said: str) -> str:
        target = self.connection.target
        known = {
            401: f"{self.name} rejected the token: it is wrong, expired or revoked.",
            403: f"The {self.name} token lacks permission for this in {target}.",
            404: f"{self.name} found no such issue or project in {target}, or the token has no access.",
            410: f"It was deleted in {self.name}, or issues are disabled in {target}.",
            400: f"{self.name} rejected the issue.",
            422: f"{self.name} rejected the issue.",
        }
        sentence = known.get(status)
        if sentence is None:
            moved = " Check the URL." if 300 <= status < 400 else " Try again later."
            sentence = f"{self.name} responded with {status}.{moved if status < 400 or status >= 500 else ''}"
        return f"{sentence} Response: {said}" if said else sentence


def field_of(body: Any, name: str, host: str) -> Any:
    """A field that the protocol promises; ResponseUnusable where it is not there."""
    if not isinstance(body, dict) or body.get(name) in (None, ""):
        raise ResponseUnusable(host, f"the response has no {name}")
    return body[name]


def number_of(reference: str, path: re.Pattern[str], base_url: str, target: str) -> str:
    """The number of `#12`, `12`, `target#12` or an address of the target."""
    text = reference.strip()
    if text.lower().startswith(f"{target.lower()}#"):
        text = text[len(target) :]
    if re.fullmatch(r"#?[1-9][0-9]{0,9}", text):
        return text.lstrip("#")
    match = path.fullmatch(urlsplit(text).path) if "://" in text else None
    host = urlsplit(text).hostname if match else ""
    if match is None or match["target"].lower() != target.lower() or not _is_same(host or "", base_url):
        raise InvalidParameter("reference", f"not an issue of {target}; enter its number or URL")
    return match["number"]


def key_in(reference: str, path: re.Pattern[str], key: re.Pattern[str], base_url: str) -> str:
    """The key of `shop-12` or of an address of this tracker; empty: neither."""
    text = reference.strip()
    if "://" in text:
        match = path.fullmatch(urlsplit(text).path)
        is_own = urlsplit(text).hostname == urlsplit(base_url).hostname
        text = match["key"] if match and is_own else ""
    return text.upper() if key.fullmatch(text.upper()) else ""


def _is_same(host: str, base_url: str) -> bool:
    own = urlsplit(base_url).hostname or ""
    return host == own or f"api.{host}" == own


def _is_limit(answer: Response) -> bool:
    return "retry-after" in answer.headers or answer.headers.get("x-ratelimit-remaining") == "0"


def wait_of(answer: Response) -> int:
    """Seconds until the tracker may be asked again."""
    seconds = retry_after_seconds(answer.headers.get("retry-after", ""), answer.headers.get("date", ""))
    if seconds is None:
        reset = next(filter(None, map(answer.headers.get, RESETS)), "")
        # Linear says it in milliseconds.
        at = int(reset) // (1000 if len(reset) > 11 else 1) if reset.isdigit() else 0
        seconds = at - int(time.time()) if at else USUAL_WAIT_SECONDS
    return ceil(min(max(seconds, 1), LONGEST_WAIT_SECONDS))


def cut(title: str) -> str:
    """On one line, as long as every tracker takes it."""
    return shortened(" ".join(title.split()), LONGEST_TITLE)
