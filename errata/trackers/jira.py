"""Jira Cloud (REST 3, documents in ADF) and Jira Data Center (REST 2, wiki text)."""

import base64
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from errata.errors import InvalidParameter
from errata.trackers.errors import TrackerRefused
from errata.trackers.tracker import ExternalIssue, NewIssue, OwnField, Tracker, cut, field_of, key_in

KEY = re.compile(r"[A-Z][A-Z0-9_]{0,40}-[1-9][0-9]{0,9}", re.ASCII)
PATH = re.compile(r".*/(?:browse|issues)/(?P<key>[^/]+)/?")
USUAL_TYPE = "Bug"


class Jira(Tracker):
    kind = "jira"
    name = "Jira"
    example_url = "https://acme.atlassian.net"
    own_fields = (
        OwnField("account", "Token's email (Jira Cloud)"),
        OwnField("issue_type", "Issue type", "Bug"),
    )
    has_numbers = False

    @property
    def is_cloud(self) -> bool:
        return bool(self.connection.account)

    @property
    def api_url(self) -> str:
        return f"{self.connection.base_url.rstrip('/')}/rest/api/{3 if self.is_cloud else 2}"

    def check(self) -> str:
        found = self._fetch("GET", f"/project/{quote(self.connection.target, safe='')}")
        types = [str(each.get("name")) for each in found.get("issueTypes") or [] if isinstance(each, dict)]
        if types and self._type not in types:
            raise TrackerRefused(
                self.name,
                400,
                f"Project {self.connection.target} has no issue type {self._type}: {', '.join(types)}.",
            )
        return f"Jira, project {found.get('name') or self.connection.target}"

    def create(self, issue: NewIssue) -> ExternalIssue:
        fields = {
            "project": {"key": self.connection.target},
            "issuetype": {"name": self._type},
            "summary": cut(issue.title),
            "description": adf(issue) if self.is_cloud else wiki(issue),
            # Labels are words: Jira takes no white space in them.
            "labels": ["-".join(label.split()) for label in issue.labels],
        }
        made = self._fetch("POST", "/issue", {"fields": fields})
        return self.find(str(field_of(made, "key", self.name)))

    def find(self, key: str) -> ExternalIssue:
        found = self._fetch("GET", f"/issue/{quote(key, safe='')}?fields=summary,status")
        fields = found.get("fields") or {}
        status = fields.get("status") or {}
        category = (status.get("statusCategory") or {}).get("key")
        current = str(field_of(found, "key", self.name))
        return ExternalIssue(
            key=current,
            url=f"{self.connection.base_url.rstrip('/')}/browse/{current}",
            title=str(fields.get("summary") or ""),
            is_open=category != "done",
            status=str(status.get("name") or ("open" if category != "done" else "done")),
        )

    def key_of(self, reference: str) -> str:
        key = key_in(reference, PATH, KEY, self.connection.base_url)
        if not key:
            raise InvalidParameter(
                "reference", "not an issue in this tracker; enter its key, such as SHOP-12, or its URL"
            )
        return key

    @property
    def _type(self) -> str:
        return self.connection.issue_type or USUAL_TYPE

    def _headers(self) -> Mapping[str, str]:
        token = self.connection.token.get_secret_value()
        if not self.is_cloud:
            return {"Authorization": f"Bearer {token}"}
        pair = base64.b64encode(f"{self.connection.account}:{token}".encode()).decode()
        return {"Authorization": f"Basic {pair}"}

    def _said(self, body: Any) -> str:
        if not isinstance(body, dict):
            return ""
        messages, errors = body.get("errorMessages") or [], body.get("errors") or {}
        told = [str(message) for message in messages if message]
        told += [f"{name}: {said}" for name, said in errors.items()] if isinstance(errors, dict) else []
        return "; ".join(told) or str(body.get("message") or "")


TRACKER = Jira


def adf(issue: NewIssue) -> dict[str, Any]:
    """Atlassian Document Format, version 1."""
    facts = [
        {
            "type": "listItem",
            "content": [
                {
                    "type": "paragraph",
                    "content": [
                        {"type": "text", "text": f"{name}: ", "marks": [{"type": "strong"}]},
                        {"type": "text", "text": value},
                    ],
                }
            ],
        }
        for name, value in issue.facts
        if value
    ]
    link = {
        "type": "text",
        "text": "Open in Errata",
        "marks": [{"type": "link", "attrs": {"href": issue.url}}],
    }
    # A text node may not be empty, nor a list.
    code = [{"type": "codeBlock", "content": [{"type": "text", "text": issue.text}]}] if issue.text else []
    listed = [{"type": "bulletList", "content": facts}] if facts else []
    return {
        "type": "doc",
        "version": 1,
        "content": [*code, *listed, {"type": "paragraph", "content": [link]}],
    }


def wiki(issue: NewIssue) -> str:
    """Jira's own notation; what an event said cannot leave its frame."""
    text = issue.text.replace("{noformat}", "{ noformat}")
    facts = "\n".join(f"* *{name}:* {_plain(value)}" for name, value in issue.facts if value)
    return f"{{noformat}}\n{text}\n{{noformat}}\n\n{facts}\n\n[Open in Errata|{issue.url}]\n"


def _plain(value: str) -> str:
    return re.sub(r"([{}\[\]*_|!~^+-])", r"\\\1", " ".join(value.split()))
