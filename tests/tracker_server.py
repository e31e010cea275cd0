"""GitHub, GitLab, Jira and Linear on loopback, as far as their documentation says how they answer."""

import base64
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any
from urllib.parse import unquote, urlsplit

from errata.outgoing import Outgoing, Policy

TOKEN = "token-of-more-than-16-characters"
ACCOUNT = "ada@shop.example"
Answer = tuple[int, Any, dict[str, str]]


@dataclass
class TrackerServer:
    """`issues` by number; `next_answer` is given once instead of the usual one."""

    port: int = 0
    issues: dict[int, dict[str, Any]] = field(default_factory=dict)
    requests: list[tuple[str, str, dict[str, str], Any]] = field(default_factory=list)
    next_answer: Answer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def answer(self, method: str, path: str, headers: dict[str, str], body: Any) -> Answer:
        self.requests.append((method, path, headers, body))
        if self.next_answer is not None:
            given, self.next_answer = self.next_answer, None
            return given
        for prefix, part in (
            ("/api/v3", self._github),
            ("/api/v4", self._gitlab),
            ("/rest/api", self._jira),
            ("/graphql", self._linear),
        ):
            if path.startswith(prefix):
                return part(method, path.removeprefix(prefix), headers, body or {})
        return 404, {"message": "Not Found"}, {}

    def _github(self, method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        limits = {"X-RateLimit-Remaining": "4999", "X-RateLimit-Reset": "1790000000"}
        if headers.get("authorization") != f"Bearer {TOKEN}" or not headers.get("user-agent"):
            return 401, {"message": "Bad credentials", "documentation_url": "https://docs.github.com"}, limits
        assert headers["accept"] == "application/vnd.github+json"
        assert headers["x-github-api-version"] == "2022-11-28"
        if not path.startswith("/repos/acme/shop"):
            return 404, {"message": "Not Found"}, limits
        rest = path.removeprefix("/repos/acme/shop")
        if rest == "":
            return 200, {"full_name": "acme/shop", "has_issues": True, "permissions": {"pull": True}}, limits
        if method == "POST" and rest == "/issues":
            number = self._made({"title": body["title"], "body": body["body"], "state": "open"})
            return 201, self._of_github(number), limits
        number = int(rest.rpartition("/")[2])
        known = number in self.issues
        return (200, self._of_github(number), limits) if known else (404, {"message": "Not Found"}, limits)

    def _of_github(self, number: int) -> dict[str, Any]:
        url = f"{self.url}/acme/shop/issues/{number}"
        return {"id": 9, "number": number, "html_url": url, "state_reason": None, **self.issues[number]}

    def _gitlab(self, method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        if headers.get("private-token") != TOKEN:
            return 401, {"message": "401 Unauthorized"}, {}
        match = re.fullmatch(r"/projects/([^/]+)(/issues(?:/(\d+))?)?", path)
        # The path of a project comes as one segment, its slashes encoded.
        if match is None or unquote(match[1]) != "acme/tools/shop":
            return 404, {"message": "404 Project Not Found"}, {}
        if match[2] is None:
            return 200, {"id": 5, "path_with_namespace": "acme/tools/shop", "issues_enabled": True}, {}
        if method == "POST":
            if not body.get("title"):
                return 400, {"message": {"title": ["can't be blank"]}}, {}
            kept = {"title": body["title"], "body": body["description"], "state": "opened"}
            return 201, self._of_gitlab(self._made({**kept, "labels": body["labels"].split(",")})), {}
        number = int(match[3])
        return (
            (200, self._of_gitlab(number), {})
            if number in self.issues
            else (404, {"message": "404 Not found"}, {})
        )

    def _of_gitlab(self, number: int) -> dict[str, Any]:
        url = f"{self.url}/acme/tools/shop/-/issues/{number}"
        return {"id": 700 + number, "iid": number, "web_url": url, **self.issues[number]}

    def _jira(self, method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        version, _, rest = path.lstrip("/").partition("/")
        pair = base64.b64encode(f"{ACCOUNT}:{TOKEN}".encode()).decode()
        wanted = {"3": f"Basic {pair}", "2": f"Bearer {TOKEN}"}[version]
        if headers.get("authorization") != wanted:
            return 401, {"errorMessages": ["Client must be authenticated."], "errors": {}}, {}
        if rest.startswith("project/"):
            if rest != "project/SHOP":
                return 404, {"errorMessages": ["No project could be found with key."], "errors": {}}, {}
            return (
                200,
                {"key": "SHOP", "name": "The shop", "issueTypes": [{"name": "Bug"}, {"name": "Task"}]},
                {},
            )
        if method == "POST":
            fields = body["fields"]
            if any(" " in label for label in fields["labels"]):
                return 400, {"errorMessages": [], "errors": {"labels": "The label can't contain spaces."}}, {}
            is_document = isinstance(fields["description"], dict)
            if is_document != (version == "3"):
                return (
                    400,
                    {"errorMessages": [], "errors": {"description": "Operation value must be ADF"}},
                    {},
                )
            number = self._made({"title": fields["summary"], "body": fields["description"], "state": "To Do"})
            return 201, {"id": "10000", "key": f"SHOP-{number}", "self": f"{self.url}/rest"}, {}
        number = int(urlsplit(rest).path.rpartition("-")[2])
        if number not in self.issues:
            return (
                404,
                {"errorMessages": ["Issue does not exist or you do not have permission."], "errors": {}},
                {},
            )
        issue = self.issues[number]
        category = "done" if issue["state"] == "Done" else "new"
        status = {"name": issue["state"], "statusCategory": {"key": category}}
        return 200, {"key": f"SHOP-{number}", "fields": {"summary": issue["title"], "status": status}}, {}

    def _linear(self, method: str, path: str, headers: dict[str, str], body: dict[str, Any]) -> Answer:
        """https://linear.app/developers/graphql: an API key stands in the header as it is."""
        assert (method, path) == ("POST", "")
        if headers.get("authorization") != TOKEN:
            code = {"code": "AUTHENTICATION_ERROR", "userPresentableMessage": "You need to authenticate."}
            return 401, {"errors": [{"message": "Authentication required", "extensions": code}]}, {}
        given = body["variables"]
        if "teams(" in body["query"]:
            teams = [{"id": "t-1", "name": "The shop"}] if given["key"] == "SHOP" else []
            return 200, {"data": {"teams": {"nodes": teams}}}, {}
        if "issueCreate(" in body["query"]:
            assert {*given["input"]} == {"teamId", "title", "description"} and given["input"][
                "teamId"
            ] == "t-1"
            number = self._made(
                {"title": given["input"]["title"], "body": given["input"]["description"], "state": "Todo"}
            )
            return 200, {"data": {"issueCreate": {"success": True, "issue": self._of_linear(number)}}}, {}
        number = int(given["id"].rpartition("-")[2])
        if number not in self.issues:
            error = {"message": "Entity not found: Issue", "extensions": {"code": "INPUT_ERROR"}}
            return 200, {"data": None, "errors": [error]}, {}
        return 200, {"data": {"issue": self._of_linear(number)}}, {}

    def _of_linear(self, number: int) -> dict[str, Any]:
        issue = self.issues[number]
        state = {"name": issue["state"], "type": "completed" if issue["state"] == "Done" else "unstarted"}
        url = f"{self.url}/acme/issue/SHOP-{number}/value-error"
        return {"identifier": f"SHOP-{number}", "url": url, "title": issue["title"], "state": state}

    def _made(self, issue: dict[str, Any]) -> int:
        number = len(self.issues) + 1
        self.issues[number] = issue
        return number


def allowing_loopback() -> Outgoing:
    return Outgoing(Policy((ip_network("127.0.0.0/8"),), allows_http=True))


@contextmanager
def running_tracker() -> Iterator[TrackerServer]:
    state = TrackerServer()

    class Handler(BaseHTTPRequestHandler):
        def _serve(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            content = self.rfile.read(length)
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, body, extra = state.answer(
                self.command, self.path, headers, json.loads(content) if content else None
            )
            encoded = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Type": "application/json", **extra}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(encoded)))
            self.end_headers()
            self.wfile.write(encoded)

        do_GET = do_POST = _serve  # noqa: N815

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    state.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield state
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
