"""Linear: its GraphQL API, https://linear.app/developers/graphql."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from errata.errors import InvalidParameter
from errata.outgoing import Response
from errata.outgoing.errors import ResponseUnusable
from errata.trackers.errors import TrackerBusy, TrackerRefused
from errata.trackers.markdown import markdown
from errata.trackers.tracker import (
    LONGEST_SAID,
    ExternalIssue,
    NewIssue,
    Tracker,
    cut,
    field_of,
    key_in,
    wait_of,
)

KEY = re.compile(r"[A-Z][A-Z0-9]{0,9}-[1-9][0-9]{0,9}", re.ASCII)
PATH = re.compile(r"/[^/]+/issue/(?P<key>[^/]+)(?:/.*)?")
# https://linear.app/docs/configuring-workflows: types of states.
CLOSED = frozenset({"completed", "canceled", "duplicate"})
# https://linear.app/developers/sdk-errors and /rate-limiting: codes of errors, by the status they stand for.
STATUS_OF_CODE = {"AUTHENTICATION_ERROR": 401, "FORBIDDEN": 403, "RATELIMITED": 429}
NOT_FOUND = "Entity not found"
ISSUE = "identifier url title state { name type }"
TEAM = "query Team($key: String!) { teams(filter: { key: { eq: $key } }) { nodes { id name } } }"
CREATE = (
    "mutation Create($input: IssueCreateInput!) "
    f"{{ issueCreate(input: $input) {{ success issue {{ {ISSUE} }} }} }}"
)
FIND = f"query Issue($id: String!) {{ issue(id: $id) {{ {ISSUE} }} }}"


class Linear(Tracker):
    """It takes labels by their ids alone: created issues have none."""

    kind = "linear"
    name = "Linear"
    usual_url = "https://linear.app"
    has_numbers = False

    @property
    def api_url(self) -> str:
        base = self.connection.base_url.rstrip("/")
        is_theirs = urlsplit(base).hostname in ("linear.app", "api.linear.app")
        return "https://api.linear.app/graphql" if is_theirs else f"{base}/graphql"

    def check(self) -> str:
        return f"Linear, team {self._team()['name']}"

    def create(self, issue: NewIssue) -> ExternalIssue:
        given = {"teamId": self._team()["id"], "title": cut(issue.title), "description": markdown(issue)}
        made = self._ask(CREATE, {"input": given}).get("issueCreate") or {}
        return self._issue(made.get("issue"))

    def find(self, key: str) -> ExternalIssue:
        return self._issue(self._ask(FIND, {"id": key}).get("issue"))

    def key_of(self, reference: str) -> str:
        key = key_in(reference, PATH, KEY, self.connection.base_url)
        if not key:
            raise InvalidParameter(
                "reference", "not an issue in Linear; enter its identifier, such as ENG-12, or its URL"
            )
        return key

    def _team(self) -> Mapping[str, Any]:
        teams = (self._ask(TEAM, {"key": self.connection.target}).get("teams") or {}).get("nodes") or []
        if not teams:
            raise self._refusal(404, f"no team has the key {self.connection.target}")
        found: Mapping[str, Any] = teams[0]
        return found

    def _ask(self, query: str, variables: Mapping[str, Any]) -> Mapping[str, Any]:
        body = self._fetch("POST", "", {"query": query, "variables": variables})
        if isinstance(body, dict) and (status := _status(body)):
            raise self._refusal(status, self._said(body))
        return field_of(body, "data", self.name) or {}

    def _issue(self, body: Any) -> ExternalIssue:
        state = field_of(body, "state", self.name)
        return ExternalIssue(
            key=str(field_of(body, "identifier", self.name)),
            url=str(field_of(body, "url", self.name)),
            title=str(body.get("title") or ""),
            is_open=state.get("type") not in CLOSED,
            status=str(state.get("name") or ""),
        )

    def _headers(self) -> Mapping[str, str]:
        return {"Authorization": self.connection.token.get_secret_value()}

    def _said(self, body: Any) -> str:
        error = _error(body)
        return str(
            (error.get("extensions") or {}).get("userPresentableMessage") or error.get("message") or ""
        )

    def _refused(self, answer: Response) -> TrackerRefused:
        """Errors come with a status of 400, whatever they are."""
        try:
            body = answer.json()
        except ResponseUnusable:
            return super()._refused(answer)
        status = _status(body)
        if status == 429:
            return TrackerBusy(self.name, status, wait_of(answer))
        return self._refusal(status, self._said(body)) if status else super()._refused(answer)

    def _refusal(self, status: int, said: str) -> TrackerRefused:
        return TrackerRefused(self.name, status, self._sentence(status, said[:LONGEST_SAID]))


def _error(body: Any) -> Mapping[str, Any]:
    errors = body.get("errors") if isinstance(body, dict) else None
    first = errors[0] if isinstance(errors, list) and errors else {}
    return first if isinstance(first, dict) else {}


def _status(body: Any) -> int:
    """The status that the error of a response stands for; 0 without one."""
    error = _error(body)
    if str(error.get("message") or "").startswith(NOT_FOUND):
        return 404
    return STATUS_OF_CODE.get((error.get("extensions") or {}).get("code", ""), 400) if error else 0


TRACKER = Linear
