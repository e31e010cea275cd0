"""GitHub and GitLab as their documentation describes them: anything else in a request is refused."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.errata.outgoing.servers import Asked, Reply, serving

TOKEN = "forge_token_1"
HEAD = "a" * 40
MERGE = "b" * 40
OURS, THEIRS = {"id": 1, "login": "github-actions[bot]", "type": "Bot"}, {"id": 2, "type": "User"}


class Undocumented(Exception):
    """The request is not what the forge documents."""


def answer(status: int, body: object) -> Reply:
    return Reply(status, {"Content-Type": "application/json"}, json.dumps(body).encode())


@dataclass
class StandIn:
    """`waiting`: comments by id, in their order. `fails`: what every write is answered with instead."""

    statuses: list[dict[str, Any]] = field(default_factory=list)
    comments: dict[int, dict[str, Any]] = field(default_factory=dict)
    fails: Callable[[Asked], Reply] | None = None
    knows_user: bool = False
    undocumented: list[str] = field(default_factory=list)
    written: int = 0

    def reply(self, asked: Asked) -> Reply:
        if self.fails is not None:
            return self.fails(asked)
        try:
            return self.documented(asked)
        except Undocumented as wrong:
            self.undocumented.append(str(wrong))
            return answer(422, {"message": str(wrong)})

    def documented(self, asked: Asked) -> Reply:
        raise NotImplementedError

    def page(self, asked: Asked) -> list[dict[str, Any]]:
        query = parse_qs(urlsplit(asked.path).query, strict_parsing=True)
        size, number = int(query["per_page"][0]), int(query["page"][0])
        if not 1 <= size <= 100:
            raise Undocumented("per_page")
        return list(self.comments.values())[size * (number - 1) : size * number]

    def has(self, text: str, author: dict[str, Any]) -> int:
        comment_id = 100 + self.written
        self.written += 1
        self.comments[comment_id] = {"id": comment_id, "body": text, self.author_field: author}
        return comment_id

    def write(self, comment_id: int, asked: Asked) -> Reply:
        """Edits or deletes a comment of this ID."""
        if comment_id not in self.comments:
            return answer(404, {"message": "404 Not found"})
        if asked.method == "DELETE":
            expect(not asked.body, "a body")
            del self.comments[comment_id]
            return Reply(204)
        self.comments[comment_id]["body"] = fields(asked, {"body"}, set())["body"]
        return answer(200, {"id": comment_id})

    author_field = "user"


class GitHub(StandIn):
    def documented(self, asked: Asked) -> Reply:
        expect(asked.headers.get("authorization") == f"Bearer {TOKEN}", "authorization")
        expect(asked.headers.get("accept") == "application/vnd.github+json", "accept")
        expect(asked.headers.get("x-github-api-version") == "2022-11-28", "version")
        expect(bool(asked.headers.get("user-agent")), "user agent")
        path = urlsplit(asked.path).path
        if (asked.method, path) == ("GET", "/user"):
            return (
                answer(200, OURS) if self.knows_user else answer(403, {"message": "Resource not accessible"})
            )
        if (asked.method, path) == ("POST", f"/repos/acme/shop/statuses/{HEAD}"):
            body = fields(asked, {"state"}, {"context", "description", "target_url"})
            expect(body["state"] in ("error", "failure", "pending", "success"), "state")
            expect(len(body.get("description", "")) <= 140, "description")
            expect(body["target_url"].startswith("http"), "target_url")
            self.statuses.append(body)
            return answer(201, {"id": 1, **body})
        if path == "/repos/acme/shop/issues/7/comments" and asked.method == "GET":
            return answer(200, self.page(asked))
        if path == "/repos/acme/shop/issues/7/comments" and asked.method == "POST":
            return answer(201, {"id": self.has(fields(asked, {"body"}, set())["body"], OURS)})
        found = re.fullmatch(r"/repos/acme/shop/issues/comments/(\d+)", path)
        if found and asked.method in ("PATCH", "DELETE"):
            return self.write(int(found[1]), asked)
        raise Undocumented(f"{asked.method} {path}")


class GitLab(StandIn):
    author_field = "author"

    def documented(self, asked: Asked) -> Reply:
        expect(asked.headers.get("private-token") == TOKEN, "token")
        expect("authorization" not in asked.headers, "authorization")
        path = urlsplit(asked.path).path
        notes = "/projects/42/merge_requests/7/notes"
        if (asked.method, path) == ("GET", "/user"):
            return answer(200, OURS)
        if (asked.method, path) == ("POST", f"/projects/42/statuses/{MERGE}"):
            return self.status(asked)
        if path == notes and asked.method == "GET":
            return answer(200, self.page(asked))
        if path == notes and asked.method == "POST":
            return answer(201, {"id": self.has(fields(asked, {"body"}, set())["body"], OURS)})
        found = re.fullmatch(notes + r"/(\d+)", path)
        if found and asked.method in ("PUT", "DELETE"):
            return self.write(int(found[1]), asked)
        raise Undocumented(f"{asked.method} {path}")

    def status(self, asked: Asked) -> Reply:
        optional = {"name", "context", "target_url", "description", "pipeline_id", "ref", "coverage"}
        body = fields(asked, {"state"}, optional)
        expect(body["state"] in ("pending", "running", "success", "failed", "canceled", "skipped"), "state")
        expect(all(len(str(value)) <= 255 for value in body.values()), "length")
        expect(body.get("pipeline_id") == 99, "pipeline_id")
        if body["state"] == "pending" and self.statuses and self.statuses[-1]["state"] == "pending":
            said = 'Cannot transition status via :enqueue from :pending (Reason(s): "enqueue")'
            return answer(400, {"message": said})
        self.statuses.append(body)
        return answer(201, {"id": 1, **body})


def expect(is_so: bool, what: str) -> None:
    if not is_so:
        raise Undocumented(what)


def fields(asked: Asked, required: set[str], optional: set[str]) -> dict[str, Any]:
    expect(asked.headers.get("content-type") == "application/json", "content type")
    body: dict[str, Any] = json.loads(asked.body)
    expect(required <= set(body) <= required | optional, f"fields {sorted(body)}")
    return body


@contextmanager
def running(stand_in: StandIn) -> Iterator[str]:
    with serving(stand_in.reply) as server:
        yield server.url
    assert stand_in.undocumented == []
