"""The service that is imported to, by its own REST API and ingest."""

import gzip
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit
from uuid import NAMESPACE_URL, uuid5

from errata.errors import ErrataError
from errata.importing.exchange import Exchange
from errata.importing.states import Decision
from errata.importing.values import mapping, number, objects, text
from errata.service_client import Service, ServiceNotAsked
from errata.warehouse.retention import MARGIN_DAYS, DataKind

# As large as a delivery of a shipper.
BATCH_MAX_BYTES = 4 << 20
TOO_LARGE = 413
REFUSED = frozenset({400, 404, 409})
PAGE = 200


@dataclass(frozen=True)
class Project:
    """`key` sends to it. Events older than `kept_days` are accepted by ingest and not kept, and attachments
    older than `attachment_days`."""

    slug: str
    key: str
    kept_days: int
    attachment_days: int


class Destination:
    def __init__(self, service: Service) -> None:
        self.url = service.url
        self._exchange = Exchange(service.url, service.api_key, _failure)

    def slugs(self) -> set[str]:
        return {text(each.get("slug")) for each in objects(self._get("/api/projects").get("projects"))}

    def create(self, slug: str, name: str, platform: str) -> None:
        self._post("/api/projects", {"name": name[:200], "slug": slug, "platform": platform[:64]})

    def project(self, slug: str) -> Project:
        path = f"/api/projects/{quote(slug, safe='')}"
        dsns = [each for each in objects(self._get(f"{path}/dsns").get("dsns")) if not each.get("service")]
        key = next((urlsplit(text(each.get("dsn"))).username for each in dsns), None)
        if not key:
            raise ServiceNotAsked(f"{slug} has no project-wide DSN; add one in its settings")
        kinds = objects(self._get(f"{path}/retention").get("kinds"))
        days = {text(each.get("kind")): number(each.get("days")) - MARGIN_DAYS for each in kinds}
        return Project(slug, key, days.get(DataKind.ERRORS, 0), days.get(DataKind.ATTACHMENTS, 0))

    def deliver(self, project: Project, items: Sequence[Mapping[str, Any]]) -> list[str]:
        """For each item `accepted`, or the reason why it was refused. Stored when this returns.

        The id of a batch is a hash of its bytes: a page that is sent again is the same batch.
        """
        outcomes = list[str]()
        for batch in _batches([_line(each) for each in items]):
            outcomes += self._deliver(project, batch)
        return outcomes

    def _deliver(self, project: Project, lines: Sequence[bytes]) -> list[str]:
        body = b"".join(lines)
        headers = {
            "X-Errata-App-Key": project.key,
            "X-Errata-Batch-Id": f"import-{hashlib.blake2b(body, digest_size=16).hexdigest()}",
            "Content-Type": "application/x-ndjson",
            "Content-Encoding": "gzip",
        }
        try:
            answer = self._exchange.ask("POST", "/api/ingest", headers, gzip.compress(body, 1, mtime=0))
        except ServiceNotAsked as error:
            if error.status != TOO_LARGE:
                raise
            if len(lines) == 1:
                return ["too_large"]
            middle = len(lines) // 2
            return self._deliver(project, lines[:middle]) + self._deliver(project, lines[middle:])
        told = mapping(answer.value if answer else None)
        refused = {
            number(each.get("line")): text(each.get("reason")) for each in objects(told.get("rejected"))
        }
        if number(told.get("accepted")) + len(refused) != len(lines):
            raise ServiceNotAsked("the response to a delivery doesn't account for each of its events")
        return [refused.get(place, "accepted") for place in range(1, len(lines) + 1)]

    def issues(self, slug: str) -> Iterator[dict[str, Any]]:
        yield from self._all(
            f"/api/projects/{quote(slug, safe='')}/issues", "issues", {"period": "104w", "sort": "first_seen"}
        )

    def event_ids(self, issue_id: str) -> Iterator[str]:
        for event in self._all(f"/api/issues/{issue_id}/events", "events", {}):
            yield text(event.get("event_id"))

    def people(self) -> set[str]:
        return {text(each.get("email")) for each in objects(self._get("/api/members").get("members"))}

    def decide(self, slug: str, issue_id: str, decision: Decision) -> bool:
        """Once: a decision that was taken before is not taken again, even if people decided otherwise since.
        False for one that the service refuses, such as a release of a name that it doesn't take."""
        batch_id = uuid5(NAMESPACE_URL, f"sentry-import/{slug}/{issue_id}/{decision.action}")
        body = {
            "ids": [issue_id],
            "action": decision.action,
            "detail": decision.detail,
            "batch_id": str(batch_id),
        }
        try:
            self._post(f"/api/projects/{quote(slug, safe='')}/issues/actions", body)
        except ServiceNotAsked as error:
            if error.status not in REFUSED:
                raise
            return False
        return True

    def _all(self, path: str, name: str, parameters: Mapping[str, str]) -> Iterator[dict[str, Any]]:
        cursor = ""
        while True:
            given = {**parameters, "limit": str(PAGE), **({"cursor": cursor} if cursor else {})}
            told = self._get(f"{path}?{urlencode(given)}")
            yield from objects(told.get(name))
            cursor = text(told.get("next_cursor"))
            if not cursor:
                return

    def _get(self, path: str) -> dict[str, Any]:
        answer = self._exchange.ask("GET", path)
        if answer is None or not isinstance(answer.value, dict):
            raise ServiceNotAsked(f"{self.url} returned an unexpected response; check the URL")
        return answer.value

    def _post(self, path: str, body: Mapping[str, Any]) -> None:
        self._exchange.ask("POST", path, {"Content-Type": "application/json"}, json.dumps(body).encode())


def _failure(reason: str, status: int) -> ErrataError:
    return ServiceNotAsked(reason, status)


def _line(item: Mapping[str, Any]) -> bytes:
    # ASCII, so half of a surrogate pair passes as it came.
    return json.dumps(item, separators=(",", ":")).encode() + b"\n"


def _batches(lines: Sequence[bytes]) -> Iterator[list[bytes]]:
    batch, size = list[bytes](), 0
    for line in lines:
        if batch and size + len(line) > BATCH_MAX_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(line)
        size += len(line)
    if batch:
        yield batch
