"""Releases of upload tools: their commits with changed files, and their deploys."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

from fastapi import APIRouter, Path
from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from api.authentication import DECLARED
from api.context import Context, ContextDependency
from api.ingest.values import warehouse_time
from api.problems import responses
from api.uploads.chunks import CODES
from api.uploads.tool import Tool, ToolDependency
from errata.clock import EPOCH
from errata.errors import InvalidParameter
from errata.warehouse.queries.source_maps.commits import previous_release

router = APIRouter(tags=["uploads"])

COMMITS = "errata_raw.release_commits"
DEPLOYS = "errata_raw.deploys"
MOST_COMMITS = 1_000
MOST_PATHS = 1_000
OF_PROJECT = "/api/0/projects/{organization}/{project}/releases/"
OF_ORGANIZATION = "/api/0/organizations/{organization}/releases/"
WRITES = (*CODES, "invalid_parameter", "warehouse_unavailable")

Release = Annotated[str, StringConstraints(min_length=1, max_length=250)]
Version = Annotated[str, Path(max_length=250)]


class Changed(BaseModel):
    model_config = ConfigDict(extra="ignore")

    path: str


class Commit(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    repository: str | None = None
    author_name: str | None = None
    author_email: str | None = None
    message: str | None = None
    timestamp: str | None = None
    patch_set: list[Changed] | None = Field(None, max_length=MOST_PATHS * 10)


class ReleaseSent(BaseModel):
    """Other fields that tools send are ignored."""

    model_config = ConfigDict(extra="ignore")

    version: Release | None = None
    projects: list[str] = []
    commits: list[Commit] | None = Field(None, max_length=MOST_COMMITS)


class ReleaseShown(BaseModel):
    version: str
    shortVersion: str  # noqa: N815
    dateCreated: str  # noqa: N815
    dateReleased: str | None  # noqa: N815
    url: str | None
    projects: list[dict[str, str]]


class DeploySent(BaseModel):
    model_config = ConfigDict(extra="ignore")

    environment: Annotated[str, StringConstraints(min_length=1, max_length=64)]
    name: str | None = None
    url: str | None = None
    dateStarted: str | None = None  # noqa: N815
    dateFinished: str | None = None  # noqa: N815


class DeployShown(DeploySent):
    id: str


class LastCommit(BaseModel):
    id: str


class PreviousRelease(BaseModel):
    """Empty where there is none."""

    model_config = ConfigDict(extra="ignore")

    version: str | None = None
    dateCreated: str | None = None  # noqa: N815
    lastCommit: LastCommit | None = None  # noqa: N815


@router.get(
    "/api/0/",
    operation_id="upload_service",
    summary="Get what an access token allows, for upload tools",
    dependencies=DECLARED[:1],
    responses=responses(*CODES),
)
def upload_service(tool: ToolDependency) -> dict[str, Any]:
    return {"version": "0", "auth": {"scopes": ["project:releases", "org:ci"]}, "user": None}


@router.get(
    "/api/0/organizations/{organization}/repos/",
    operation_id="upload_repositories",
    summary="List linked repositories: always empty, since commits are sent with a release",
    dependencies=DECLARED[:1],
    responses=responses(*CODES),
)
def upload_repositories(organization: str, tool: ToolDependency, cursor: str = "") -> list[str]:
    return []


@router.post(
    OF_ORGANIZATION,
    operation_id="create_upload_release",
    summary="Create a release with its commits",
    status_code=201,
    dependencies=DECLARED[:1],
    responses=responses(*WRITES),
)
def create_upload_release(
    organization: str, sent: ReleaseSent, tool: ToolDependency, context: ContextDependency
) -> ReleaseShown:
    if not sent.version:
        raise InvalidParameter("version", "must be set")
    return _release(context, tool, sent.version, sent)


@router.post(
    OF_PROJECT,
    operation_id="create_upload_release_of_project",
    summary="Create a release with its commits",
    status_code=201,
    dependencies=DECLARED[:1],
    responses=responses(*WRITES),
)
def create_upload_release_of_project(
    organization: str, project: str, sent: ReleaseSent, tool: ToolDependency, context: ContextDependency
) -> ReleaseShown:
    tool.require([project])
    return create_upload_release(organization, sent, tool, context)


@router.get(
    OF_ORGANIZATION + "{version:path}/previous-with-commits/",
    operation_id="previous_upload_release",
    summary="Get the previous release with its latest commit",
    dependencies=DECLARED[:1],
    responses=responses(*CODES, "warehouse_unavailable"),
    response_model_exclude_none=True,
)
def previous_upload_release(
    organization: str, version: Version, tool: ToolDependency, context: ContextDependency
) -> PreviousRelease:
    found = previous_release(context.read, tool.project_id, version)
    if found is None:
        return PreviousRelease()
    release, commit, recorded_at = found
    created = recorded_at.isoformat().replace("+00:00", "Z")
    return PreviousRelease(version=release, dateCreated=created, lastCommit=LastCommit(id=commit))


@router.post(
    OF_ORGANIZATION + "{version:path}/deploys/",
    operation_id="record_deploy",
    summary="Record a deployment of a release",
    status_code=201,
    dependencies=DECLARED[:1],
    responses=responses(*WRITES),
)
def record_deploy(
    organization: str, version: Version, sent: DeploySent, tool: ToolDependency, context: ContextDependency
) -> DeployShown:
    started, finished = _moment(sent.dateStarted), _moment(sent.dateFinished)
    row = {
        "project_id": tool.project_id,
        "release": version,
        "environment": sent.environment,
        "started_at": warehouse_time(started),
        "finished_at": warehouse_time(finished if finished != EPOCH else datetime.now(UTC)),
        "name": (sent.name or "")[:200],
        "url": (sent.url or "")[:1000],
    }
    deploy = uuid4()
    context.warehouse.insert_rows(DEPLOYS, [row], deploy.hex)
    return DeployShown(id=str(deploy.int % (1 << 31)), **sent.model_dump())


@router.put(
    OF_ORGANIZATION + "{version:path}/",
    operation_id="change_upload_release",
    summary="Add commits to a release, or mark it as released",
    dependencies=DECLARED[:1],
    responses=responses(*WRITES),
)
def change_upload_release(
    organization: str, version: Version, sent: ReleaseSent, tool: ToolDependency, context: ContextDependency
) -> ReleaseShown:
    return _release(context, tool, version, sent)


@router.put(
    OF_PROJECT + "{version:path}/",
    operation_id="change_upload_release_of_project",
    summary="Add commits to a release, or mark it as released",
    dependencies=DECLARED[:1],
    responses=responses(*WRITES),
)
def change_upload_release_of_project(
    organization: str,
    project: str,
    version: Version,
    sent: ReleaseSent,
    tool: ToolDependency,
    context: ContextDependency,
) -> ReleaseShown:
    tool.require([project])
    return _release(context, tool, version, sent)


def _release(context: Context, tool: Tool, version: str, sent: ReleaseSent) -> ReleaseShown:
    tool.require(sent.projects)
    context.warehouse.insert_rows(COMMITS, _commit_rows(tool.project_id, version, sent.commits or ()))
    now = datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return ReleaseShown(
        version=version,
        shortVersion=version,
        dateCreated=now,
        dateReleased=None,
        url=f"{context.base_url}/releases",
        projects=[{"slug": tool.slug, "name": tool.slug}],
    )


def _commit_rows(project_id: int, release: str, commits: Sequence[Commit]) -> list[Mapping[str, Any]]:
    return [
        {
            "project_id": project_id,
            "release": release,
            "commit_id": commit.id,
            "position": position,
            "committed_at": warehouse_time(_moment(commit.timestamp)),
            "repository": (commit.repository or "")[:200],
            "author_name": (commit.author_name or "")[:200],
            "author_email": (commit.author_email or "")[:200],
            "message": (commit.message or "").strip()[:2000],
            "paths": [changed.path[:1000] for changed in (commit.patch_set or ())[:MOST_PATHS]],
        }
        for position, commit in enumerate(commits)
    ]


def _moment(text: str | None) -> datetime:
    """Tools send up to nine digits of a second. 1970: not said, or not understood."""
    try:
        moment = datetime.fromisoformat(re.sub(r"(\.\d{6})\d+", r"\1", text or ""))
    except ValueError:
        return EPOCH
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return aware.astimezone(UTC) if 1970 <= aware.year < 2100 else EPOCH
