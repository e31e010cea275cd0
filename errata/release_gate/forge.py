"""A forge as a CI job reaches it: the commit's status, and one comment at the request to merge it."""

import json
import time
import urllib.error
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pydantic import SecretStr

from errata.release_gate.errors import ForgeNotTold
from errata.release_gate.status import Status
from errata.service_client import NoRedirects

SECONDS = 20.0
RESPONSE_MAX_BYTES = 8 << 20
CHUNK_BYTES = 1 << 16
PAGE_SIZE = 100
# A longer discussion gets a second comment.
MOST_PAGES = 50
REASON_MAX = 300
GONE = 404


@dataclass(frozen=True)
class Comment:
    id: int
    body: str
    author: Mapping[str, Any]


@dataclass(frozen=True)
class Forge(ABC):
    """`request_number` is that of the request to merge; None: the job belongs to none."""

    api_url: str
    token: SecretStr
    repository: str
    commit: str
    request_number: int | None

    kind: ClassVar[str]
    name: ClassVar[str]
    request_name: ClassVar[str]
    permissions: ClassVar[str]
    _oldest_first: ClassVar[str] = ""
    _edit_method: ClassVar[str]

    @classmethod
    @abstractmethod
    def of_job(cls, environ: Mapping[str, str], commit: str) -> "Forge":
        """As the CI job's environment says; `commit` empty: the commit of the job. Raises ForgeNotTold."""

    @abstractmethod
    def set_status(self, status: Status) -> None:
        """Raises ForgeNotTold."""

    def put_comment(self, marker: str, body: str) -> None:
        """Edit the comment that begins with the marker, or write the first one. Raises ForgeNotTold."""
        if self.request_number is None:
            raise ForgeNotTold(self.name, f"this job has no {self.request_name}")
        text = f"{marker}\n{body}"
        user = self._user()
        first = next(self._marked(self.request_number, marker, user), None)
        if first is not None:
            self._write_over(self.request_number, first, text)
            return
        created = self._fetch("POST", self._comments_path(self.request_number), {"body": text})
        created_id = created.get("id") if isinstance(created, dict) else None
        marked = list(self._marked(self.request_number, marker, user))
        self._keep_oldest(self.request_number, marked, created_id, text)

    def _keep_oldest(self, number: int, marked: Sequence[Comment], created_id: Any, text: str) -> None:
        """Another job may have written its first comment at the same time. Both jobs keep the older one, with
        the text of the later job, and delete the other, which may be gone already."""
        if not marked:
            return
        oldest = min(marked, key=lambda one: one.id)
        created = next((one for one in marked if one.id == created_id), None)
        if created is not oldest:
            self._write_over(number, oldest, text)
        for comment in marked:
            # Another bot may have copied the marker.
            is_same = created is not None and comment.author.get("id") == created.author.get("id")
            if comment is not oldest and is_same:
                self._delete_comment(number, comment.id)

    def _delete_comment(self, number: int, comment_id: int) -> None:
        try:
            self._fetch("DELETE", self._comment_path(number, comment_id))
        except ForgeNotTold as error:
            if error.status != GONE:
                raise

    def _marked(self, number: int, marker: str, user: Mapping[str, Any]) -> Iterator[Comment]:
        """The gate's comments. Somebody else may have copied the marker."""
        for comment in self._comments(number):
            if comment.body.startswith(marker) and self._is_own(comment.author, user):
                yield comment

    def _write_over(self, number: int, comment: Comment, text: str) -> None:
        if comment.body.strip() != text.strip():
            self._fetch(self._edit_method, self._comment_path(number, comment.id), {"body": text})

    def _user(self) -> Mapping[str, Any]:
        """The token's user; empty: the forge does not say."""
        try:
            found = self._fetch("GET", "/user")
        except ForgeNotTold as error:
            if error.status in (401, 403, 404):
                return {}
            raise
        return found if isinstance(found, dict) else {}

    def _is_own(self, author: Mapping[str, Any], user: Mapping[str, Any]) -> bool:
        return "id" in user and author.get("id") == user["id"]

    @abstractmethod
    def _comments_path(self, number: int) -> str: ...

    @abstractmethod
    def _comment_path(self, number: int, comment_id: int) -> str: ...

    @abstractmethod
    def _headers(self) -> Mapping[str, str]: ...

    def _comments(self, number: int) -> Iterator[Comment]:
        """The oldest first."""
        for page in range(1, MOST_PAGES + 1):
            path = f"{self._comments_path(number)}?per_page={PAGE_SIZE}&page={page}{self._oldest_first}"
            found = self._fetch("GET", path)
            if not isinstance(found, list):
                raise ForgeNotTold(self.name, "the list of comments is not a list")
            for one in found:
                if isinstance(one, dict) and isinstance(one.get("id"), int):
                    author = one.get("user") or one.get("author") or {}
                    yield Comment(one["id"], str(one.get("body") or ""), author)
            if len(found) < PAGE_SIZE:
                return

    def _fetch(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """The forge's response. Redirects aren't followed: the token is for this host alone."""
        request = urllib.request.Request(
            f"{self.api_url}{path}",
            data=json.dumps(body).encode() if body is not None else None,
            method=method,
            headers={"Content-Type": "application/json", "User-Agent": "errata", **self._headers()},
        )
        try:
            with urllib.request.build_opener(NoRedirects).open(request, timeout=SECONDS) as response:
                return json.loads(_read(response) or b"null")
        except urllib.error.HTTPError as error:
            raise self._refused(error) from error
        except (OSError, HTTPException, ValueError) as error:
            reason = getattr(error, "reason", None) or error
            raise ForgeNotTold(self.name, f"{self.api_url}: {reason}") from error

    def _refused(self, error: urllib.error.HTTPError) -> ForgeNotTold:
        if 300 <= error.code < 400:
            return ForgeNotTold(self.name, f"{self.api_url} redirects elsewhere; set its own URL", error.code)
        remedy = f"; {self.permissions}" if error.code in (401, 403, 404) else ""
        return ForgeNotTold(self.name, f"{error.code} {_reason(error)}{remedy}", error.code)


def checked_url(forge: str, url: str, setting: str) -> str:
    if urlsplit(url).scheme not in ("http", "https") or not urlsplit(url).hostname:
        raise ForgeNotTold(forge, f"{setting} isn't a URL")
    return url.rstrip("/")


def checked_token(forge: str, environ: Mapping[str, str], setting: str) -> SecretStr:
    token = environ.get(setting, "")
    if not token:
        raise ForgeNotTold(forge, f"set {setting}")
    if not token.isascii() or not token.isprintable() or " " in token:
        raise ForgeNotTold(forge, f"{setting} contains characters that are invalid in a token")
    return SecretStr(token)


def _read(response: HTTPResponse) -> bytes:
    """A forge that sends a byte at a time is given up too."""
    until, found = time.monotonic() + SECONDS, b""
    while chunk := response.read1(CHUNK_BYTES):
        found += chunk
        if len(found) > RESPONSE_MAX_BYTES or time.monotonic() > until:
            raise TimeoutError("the response is too long or too slow")
    return found


def _reason(error: urllib.error.HTTPError) -> str:
    try:
        told = json.loads(error.read(CHUNK_BYTES))
        said = told.get("message") or told.get("error") if isinstance(told, dict) else ""
    except (OSError, HTTPException, ValueError):
        said = ""
    text = " ".join(str(said or error.reason).split())
    return "".join(letter for letter in text if letter.isprintable())[:REASON_MAX]
