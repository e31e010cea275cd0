"""GitLab, its own and yours: REST, version 4."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from errata.trackers.errors import TrackerRefused
from errata.trackers.markdown import markdown
from errata.trackers.tracker import ExternalIssue, NewIssue, Tracker, cut, field_of, number_of

PATH = re.compile(r"/(?P<target>.+?)/(?:-/)?(?:issues|work_items)/(?P<number>[1-9][0-9]{0,9})/?")


class GitLab(Tracker):
    kind = "gitlab"
    name = "GitLab"
    usual_url = "https://gitlab.com"

    @property
    def api_url(self) -> str:
        base = self.connection.base_url.rstrip("/")
        return base if base.endswith("/api/v4") else f"{base}/api/v4"

    @property
    def _project(self) -> str:
        return f"/projects/{quote(self.connection.target, safe='')}"

    def check(self) -> str:
        found = self._fetch("GET", self._project)
        if found.get("issues_enabled") is False or found.get("issues_access_level") == "disabled":
            raise TrackerRefused(self.name, 410, f"Issues are disabled in {self.connection.target}.")
        return f"GitLab, project {found.get('path_with_namespace') or self.connection.target}"

    def create(self, issue: NewIssue) -> ExternalIssue:
        body = {
            "title": cut(issue.title),
            "description": markdown(issue),
            "labels": ",".join(label.replace(",", " ") for label in issue.labels),
        }
        return self._issue(self._fetch("POST", f"{self._project}/issues", body))

    def find(self, key: str) -> ExternalIssue:
        return self._issue(self._fetch("GET", f"{self._project}/issues/{int(key)}"))

    def key_of(self, reference: str) -> str:
        return number_of(reference, PATH, self.connection.base_url, self.connection.target)

    def _issue(self, body: Any) -> ExternalIssue:
        state = str(field_of(body, "state", self.name))
        return ExternalIssue(
            key=str(field_of(body, "iid", self.name)),
            url=str(field_of(body, "web_url", self.name)),
            title=str(body.get("title") or ""),
            is_open=state in ("opened", "reopened"),
            status="open" if state in ("opened", "reopened") else state,
        )

    def _headers(self) -> Mapping[str, str]:
        return {"PRIVATE-TOKEN": self.connection.token.get_secret_value()}

    def _said(self, body: Any) -> str:
        if not isinstance(body, dict):
            return ""
        message = body.get("message", body.get("error_description", body.get("error", "")))
        if isinstance(message, dict):
            return "; ".join(
                f"{name} {', '.join(map(str, said)) if isinstance(said, list) else said}"
                for name, said in message.items()
            )
        return str(message or "")


TRACKER = GitLab
