"""GitHub and GitHub Enterprise Server: REST, version 2022-11-28."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from errata.errors import InvalidParameter
from errata.trackers.errors import TrackerRefused
from errata.trackers.markdown import markdown
from errata.trackers.tracker import ExternalIssue, NewIssue, Tracker, cut, field_of, number_of

TARGET = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
PATH = re.compile(r"/(?P<target>[^/]+/[^/]+)/(?:issues|pull)/(?P<number>[1-9][0-9]{0,9})/?")


class GitHub(Tracker):
    kind = "github"
    name = "GitHub"
    usual_url = "https://github.com"

    @property
    def api_url(self) -> str:
        """People type the address they know; GitHub's own API has a host, a server's a path."""
        base = self.connection.base_url.rstrip("/")
        host = urlsplit(base).hostname or ""
        if host in ("github.com", "www.github.com", "api.github.com"):
            return "https://api.github.com"
        return base if base.endswith("/api/v3") else f"{base}/api/v3"

    @property
    def _repository(self) -> str:
        if not TARGET.fullmatch(self.connection.target):
            raise InvalidParameter("target", "owner/repository")
        return f"/repos/{self.connection.target}"

    def check(self) -> str:
        found = self._fetch("GET", self._repository)
        if found.get("has_issues") is False:
            raise TrackerRefused(self.name, 410, f"Issues are disabled in {self.connection.target}.")
        permissions = found.get("permissions") or {}
        if permissions and not (permissions.get("pull") or permissions.get("push")):
            raise TrackerRefused(self.name, 403, "The token can't read this repository's issues.")
        return f"GitHub, repository {found.get('full_name') or self.connection.target}"

    def create(self, issue: NewIssue) -> ExternalIssue:
        body = {"title": cut(issue.title), "body": markdown(issue), "labels": list(issue.labels)}
        return self._issue(self._fetch("POST", f"{self._repository}/issues", body))

    def find(self, key: str) -> ExternalIssue:
        return self._issue(self._fetch("GET", f"{self._repository}/issues/{int(key)}"))

    def key_of(self, reference: str) -> str:
        return number_of(reference, PATH, self.api_url, self.connection.target)

    def _issue(self, body: Any) -> ExternalIssue:
        state = str(field_of(body, "state", self.name))
        reason = str(body.get("state_reason") or "").replace("_", " ")
        return ExternalIssue(
            key=str(field_of(body, "number", self.name)),
            url=str(field_of(body, "html_url", self.name)),
            title=str(body.get("title") or ""),
            is_open=state == "open",
            status=f"{state}, {reason}" if reason and state != "open" and reason != "completed" else state,
        )

    def _headers(self) -> Mapping[str, str]:
        return {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self.connection.token.get_secret_value()}",
            "X-GitHub-Api-Version": "2022-11-28",
        }

    def _said(self, body: Any) -> str:
        if not isinstance(body, dict):
            return ""
        errors = body.get("errors")
        parts = [str(body.get("message") or "")]
        for error in errors if isinstance(errors, list) else []:
            if isinstance(error, dict):
                named = " ".join(str(error.get(name) or "") for name in ("field", "code", "message"))
                parts.append(" ".join(named.split()))
        return "; ".join(filter(None, parts))


TRACKER = GitHub
