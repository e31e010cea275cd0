"""GitHub and GitHub Enterprise Server: commit statuses and comments, REST version 2022-11-28.

Check runs would say more, but only GitHub Apps may write them.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from errata.release_gate.errors import ForgeNotTold
from errata.release_gate.forge import Forge, checked_token, checked_url
from errata.release_gate.status import State, Status

DESCRIPTION_MAX = 140
STATES = {State.GOOD: "success", State.WORSE: "failure", State.UNDECIDED: "pending"}
REPOSITORY = re.compile(r"[\w.-]{1,100}/[\w.-]{1,100}", re.ASCII)
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
PULL_REQUEST_REF = re.compile(r"refs/pull/([1-9][0-9]{0,9})/(?:merge|head)")


class GitHub(Forge):
    kind: ClassVar[str] = "github"
    name: ClassVar[str] = "GitHub"
    request_name: ClassVar[str] = "pull request"
    permissions: ClassVar[str] = (
        "give the job `permissions: statuses: write` and, for comments, `pull-requests: write` "
        "(jobs of forks get neither)"
    )
    _edit_method: ClassVar[str] = "PATCH"

    @classmethod
    def of_job(cls, environ: Mapping[str, str], commit: str) -> "GitHub":
        url = environ.get("GITHUB_API_URL") or "https://api.github.com"
        repository = environ.get("GITHUB_REPOSITORY", "")
        if not REPOSITORY.fullmatch(repository):
            raise ForgeNotTold(cls.name, "GITHUB_REPOSITORY isn't owner/repository")
        request = _pull_request(environ)
        # The job's own commit merges the pull request, and nobody looks at its statuses.
        chosen = commit or _head(request) or environ.get("GITHUB_SHA", "")
        if not COMMIT.fullmatch(chosen):
            raise ForgeNotTold(cls.name, "no commit: set --commit or GITHUB_SHA to a full commit ID")
        return cls(
            checked_url(cls.name, url, "GITHUB_API_URL"),
            checked_token(cls.name, environ, "GITHUB_TOKEN"),
            repository,
            chosen,
            _number(request, environ),
        )

    def set_status(self, status: Status) -> None:
        body = {
            "state": STATES[status.state],
            "context": status.context,
            "description": status.description[:DESCRIPTION_MAX],
            "target_url": status.url,
        }
        self._fetch("POST", f"/repos/{self.repository}/statuses/{self.commit}", body)

    def _is_own(self, author: Mapping[str, Any], user: Mapping[str, Any]) -> bool:
        """The token of a job may not ask who it is: it is a bot, and people are none."""
        return super()._is_own(author, user) if user else author.get("type") == "Bot"

    def _comments_path(self, number: int) -> str:
        return f"/repos/{self.repository}/issues/{number}/comments"

    def _comment_path(self, number: int, comment_id: int) -> str:
        return f"/repos/{self.repository}/issues/comments/{comment_id}"

    def _headers(self) -> Mapping[str, str]:
        return {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self.token.get_secret_value()}",
            "X-GitHub-Api-Version": "2022-11-28",
        }


def _pull_request(environ: Mapping[str, str]) -> Mapping[str, Any]:
    """Of the event that started the job; empty: another event."""
    try:
        event = json.loads(Path(environ.get("GITHUB_EVENT_PATH", "")).read_bytes())
    except (OSError, ValueError):
        return {}
    found = event.get("pull_request") if isinstance(event, dict) else None
    return found if isinstance(found, dict) else {}


def _head(request: Mapping[str, Any]) -> str:
    head = request.get("head")
    return str(head.get("sha") or "") if isinstance(head, dict) else ""


def _number(request: Mapping[str, Any], environ: Mapping[str, str]) -> int | None:
    if isinstance(number := request.get("number"), int):
        return number
    found = PULL_REQUEST_REF.fullmatch(environ.get("GITHUB_REF", ""))
    return int(found[1]) if found else None


FORGE = GitHub
