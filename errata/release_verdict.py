"""`errata verdict RELEASE`: whether a release is worse than the one before it, as an exit code."""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from errata.errors import ErrataError
from errata.release_gate.answer import CANNOT_TELL, GOOD, exit_code, figures, word
from errata.release_gate.publish import Publication, publish
from errata.service_client import Service, ServiceNotAsked, service_of

NOT_PUBLISHED = 4
ASKED_EVERY_SECONDS = 60.0
NOT_SEEN = 404


@dataclass(frozen=True)
class Question:
    """`wait_seconds`: how long to go on asking while it cannot be told."""

    project: str
    release: str
    environment: str
    wait_seconds: float


def verdict(
    environ: Mapping[str, str],
    data: Path,
    question: Question,
    written_as: str,
    publication: Publication | None = None,
) -> int:
    """0 the release is not worse, 1 it is, 3 it cannot be told yet; 4 it is not worse, but a required status
    was not set. A forge changes no other code."""
    service, told = None, None
    try:
        service = service_of(environ, data, question.project)
        told = _answer(service, question)
    except ErrataError as error:
        print(f"errata: {error}", file=sys.stderr)  # noqa: T201
    code = exit_code(told) if told else CANNOT_TELL
    if told:
        as_json = written_as == "json"
        text = json.dumps({"exit_code": code, **told}, indent=2) if as_json else "\n".join(lines(told))
        print(text)  # noqa: T201
    if publication is None or service is None:
        return code
    problems = _published(environ, service, question, told, publication)
    for problem in problems:
        print(f"errata: {problem}", file=sys.stderr)  # noqa: T201
    return NOT_PUBLISHED if problems and publication.is_required and code == GOOD else code


def lines(told: Mapping[str, Any]) -> list[str]:
    if "headline" not in told:
        return [f"{told['release']}: no page load of this release has been counted yet"]
    before = f" than {told['previous_release']}" if told["previous_release"] else ""
    found = [f"{told['release']} in {told['environment']}: {word(told)}{before}", told["headline"]]
    found += figures(told)
    found.append(f"new issues: {told['new_issue_count']}, regressed: {told['regressed_issue_count']}")
    if exit_code(told) == CANNOT_TELL and told["next_look_at"]:
        found.append(f"next analysis: {told['next_look_at']}")
    return found


def _published(
    environ: Mapping[str, str],
    service: Service,
    question: Question,
    told: Mapping[str, Any] | None,
    publication: Publication,
) -> list[str]:
    environment = question.environment or str((told or {}).get("environment") or "")
    of_environment = {"environment": environment} if environment else {}
    query = {"version": question.release, **of_environment}
    details = (
        f"{service.url}/projects/{quote(service.project, safe='')}/performance/release?{urlencode(query)}"
    )
    issues: dict[str, Any] = {}
    if (
        publication.has_comment
        and told
        and (told.get("new_issue_count") or told.get("regressed_issue_count"))
    ):
        try:
            issues = service.ask(
                f"performance/releases/{quote(question.release, safe='')}/issues", of_environment
            )
        except ServiceNotAsked as error:
            print(f"errata: {error}", file=sys.stderr)  # noqa: T201
    return publish(environ, publication, told, issues, service.url, details)


def _answer(service: Service, question: Question) -> dict[str, Any]:
    """The last answer until a verdict is reached or the time is over. Raises ServiceNotAsked if there was
    none then."""
    until = time.monotonic() + question.wait_seconds
    while True:
        left = until - time.monotonic()
        try:
            told = _asked(service, question)
            if exit_code(told) != CANNOT_TELL or left <= 0:
                return told
        except ServiceNotAsked:
            # A service that is just being upgraded.
            if left <= 0:
                raise
        time.sleep(min(ASKED_EVERY_SECONDS, max(left, 0.0)))


def _asked(service: Service, question: Question) -> dict[str, Any]:
    path = f"performance/releases/{quote(question.release, safe='')}/verdict"
    of_environment = {"environment": question.environment} if question.environment else {}
    try:
        told = service.ask(path, of_environment)
    except ServiceNotAsked as error:
        if error.status == NOT_SEEN and error.code_told == "release_not_found":
            return {"release": question.release, "overall_verdict": "not_enough_data"}
        raise
    if not isinstance(told.get("overall_verdict"), str):
        raise service.unexpected()
    return told
