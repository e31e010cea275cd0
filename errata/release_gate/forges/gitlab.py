"""GitLab, its own and yours: commit statuses and notes of merge requests, REST version 4."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from errata.release_gate.errors import ForgeNotTold
from errata.release_gate.forge import Forge, checked_token, checked_url
from errata.release_gate.status import State, Status

TEXT_MAX = 255
STATES = {State.GOOD: "success", State.WORSE: "failed", State.UNDECIDED: "pending"}
NUMBER = re.compile(r"[1-9][0-9]{0,14}")
COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
# GitLab refuses to set pending what waits already.
WAITS_ALREADY = "Cannot transition status via :enqueue from :pending"


@dataclass(frozen=True)
class GitLab(Forge):
    """`pipeline_id`: without it, the status may land on another pipeline of the commit."""

    kind: ClassVar[str] = "gitlab"
    name: ClassVar[str] = "GitLab"
    request_name: ClassVar[str] = "merge request"
    permissions: ClassVar[str] = (
        "GITLAB_TOKEN needs a project access token with the `api` scope and the role Developer "
        "(a job token can't set statuses)"
    )
    _oldest_first: ClassVar[str] = "&sort=asc&order_by=created_at"
    _edit_method: ClassVar[str] = "PUT"

    pipeline_id: int | None = None

    @classmethod
    def of_job(cls, environ: Mapping[str, str], commit: str) -> "GitLab":
        project = environ.get("CI_PROJECT_ID", "")
        if not NUMBER.fullmatch(project):
            raise ForgeNotTold(cls.name, "CI_PROJECT_ID isn't a project's ID")
        chosen = commit or environ.get("CI_COMMIT_SHA", "")
        if not COMMIT.fullmatch(chosen):
            raise ForgeNotTold(cls.name, "no commit: set --commit or CI_COMMIT_SHA to a full commit ID")
        return cls(
            checked_url(cls.name, environ.get("CI_API_V4_URL", ""), "CI_API_V4_URL"),
            checked_token(cls.name, environ, "GITLAB_TOKEN"),
            project,
            chosen,
            _number(environ, "CI_MERGE_REQUEST_IID"),
            # The pipeline belongs to the job's commit.
            None if commit else _number(environ, "CI_PIPELINE_ID"),
        )

    def set_status(self, status: Status) -> None:
        body: dict[str, Any] = {
            "state": STATES[status.state],
            "name": status.context[:TEXT_MAX],
            "description": status.description[:TEXT_MAX],
        }
        if len(status.url) <= TEXT_MAX:
            body["target_url"] = status.url
        if self.pipeline_id is not None:
            body["pipeline_id"] = self.pipeline_id
        try:
            self._fetch("POST", f"/projects/{self.repository}/statuses/{self.commit}", body)
        except ForgeNotTold as error:
            waits = error.status == 400 and WAITS_ALREADY in error.reason
            if status.state != State.UNDECIDED or not waits:
                raise

    def _comments_path(self, number: int) -> str:
        return f"/projects/{self.repository}/merge_requests/{number}/notes"

    def _comment_path(self, number: int, comment_id: int) -> str:
        return f"{self._comments_path(number)}/{comment_id}"

    def _headers(self) -> Mapping[str, str]:
        return {"PRIVATE-TOKEN": self.token.get_secret_value()}


def _number(environ: Mapping[str, str], name: str) -> int | None:
    return int(environ[name]) if NUMBER.fullmatch(environ.get(name, "")) else None


FORGE = GitLab
