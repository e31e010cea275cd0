"""`errata verdict RELEASE`: whether a release is worse than the one before it, as an exit code."""

import json
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from errata.errors import ErrataError
from errata.service_client import Service, ServiceNotAsked, service_of

GOOD, WORSE, CANNOT_TELL = 0, 1, 3
CODES = {"worse": WORSE, "better": GOOD, "no_change": GOOD}
ASKED_EVERY_SECONDS = 60.0
NOT_SEEN = 404


@dataclass(frozen=True)
class Question:
    """`wait_seconds`: how long to go on asking while it cannot be told."""

    project: str
    release: str
    environment: str
    wait_seconds: float


def verdict(environ: Mapping[str, str], data: Path, question: Question, written_as: str) -> int:
    """0 the release is not worse, 1 it is, 3 it cannot be told yet."""
    try:
        service = service_of(environ, data, question.project)
        told = _answer(service, question)
    except ErrataError as error:
        print(f"errata: {error}", file=sys.stderr)  # noqa: T201
        return CANNOT_TELL
    code = exit_code(told)
    if written_as == "json":
        print(json.dumps({"exit_code": code, **told}, indent=2))  # noqa: T201
    else:
        print("\n".join(lines(told)))  # noqa: T201
    return code


def exit_code(told: Mapping[str, Any]) -> int:
    """What cannot be told is never good."""
    return CODES.get(told.get("overall_verdict", ""), CANNOT_TELL)


def lines(told: Mapping[str, Any]) -> list[str]:
    if "headline" not in told:
        return [f"{told['release']}: no page load of this release has been counted yet"]
    before = f" than {told['previous_release']}" if told["previous_release"] else ""
    words = {GOOD: "not worse", WORSE: "worse"}.get(exit_code(told), "can't tell yet whether it is worse")
    found = [f"{told['release']} in {told['environment']}: {words}{before}", told["headline"]]
    found += _rows(told)
    found.append(f"new issues: {told['new_issue_count']}, regressed: {told['regressed_issue_count']}")
    if exit_code(told) == CANNOT_TELL and told["next_look_at"]:
        found.append(f"next analysis: {told['next_look_at']}")
    return found


def _rows(told: Mapping[str, Any]) -> list[str]:
    rows = []
    if told["effect_ratio"] is not None:
        span = _span(told, "effect_ratio", lambda value: f"{100 * value:+.1f}%")
        rows.append(f"load time: {span}, of {told['compared_count']:,} page loads")
    if told["error_ratio"] is not None:
        span = _span(told, "error_ratio", lambda value: f"{value:.2f}", " times")
        rows.append(f"errors per {told['errors_per']}: {span}, of {told['compared_error_count']:,}")
    if told["crash_free_change"] is not None:
        span = _span(told, "crash_free_change", lambda value: f"{100 * value:+.2f}", " points")
        rows.append(f"crash-free sessions: {span} (decides nothing here)")
    return rows


def _span(told: Mapping[str, Any], name: str, shown: Callable[[float], str], unit: str = "") -> str:
    """The value with its 95% interval."""
    low, high = told[f"{name}_low"], told[f"{name}_high"]
    return f"{shown(told[name])}{unit} ({shown(low)} to {shown(high)})"


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
