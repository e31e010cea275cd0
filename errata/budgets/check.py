"""`errata budgets check`: whether a project's budgets are kept, as an exit code."""

import json
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from pydantic import Field, SecretStr
from pydantic_settings import SettingsConfigDict

from errata.budgets.state import State
from errata.errors import ErrataError
from errata.performance.metric import Unit
from errata.reports.figures import apart, precise
from errata.settings import ProgramSettings, load

SECONDS = 60.0
ANSWER_MAX_BYTES = 4 << 20
KEPT, BREACHED, CANNOT_TELL = 0, 1, 2
REASONS = {
    "not_built": "no data built yet",
    "build_too_old": "the last build is over 2 hours old",
    "few_samples": "too few samples",
    "few_users": "too few independent users",
    "within_chance": "over it by no more than chance",
    "few_windows": "three of four windows must agree",
    "unended_loads": "loads that had not finished could exceed it",
    "failed": "the check failed",
}


class ClientSettings(ProgramSettings):
    """Of commands that ask a service over HTTP."""

    model_config = SettingsConfigDict(env_prefix="ERRATA_CLIENT_")

    url: str = Field(
        default="", description="URL of the service; empty: from `credentials.json` in `--data`."
    )
    api_key: SecretStr = Field(
        default=SecretStr(""), description="API key; empty: from `credentials.json` in `--data`."
    )


class BudgetsNotRead(ErrataError):
    """The service could not be asked, or did not answer with budgets."""

    code = "budgets_not_read"

    def __init__(self, reason: str) -> None:
        super().__init__(f"Can't read the budgets: {reason}")
        self.reason = reason


@dataclass(frozen=True)
class Service:
    url: str
    api_key: str
    project: str
    key_from: str


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Elsewhere the key would be told to another host."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def check(
    environ: Mapping[str, str], data: Path, project: str, written_as: str, *, ignores_unknown: bool
) -> int:
    """0 all of them are kept, 1 one is breached, 2 it cannot be told."""
    try:
        service = service_of(load(ClientSettings, environ), data, project)
        table = read(service)
    except ErrataError as error:
        print(f"errata: {error}", file=sys.stderr)  # noqa: T201
        return CANNOT_TELL
    code = verdict([State(each["state"]) for each in table["budgets"]], ignores_unknown=ignores_unknown)
    if written_as == "json":
        print(json.dumps(document(service.project, code, table), indent=2))  # noqa: T201
    else:
        print("\n".join(lines(service.project, table)))  # noqa: T201
    return code


def verdict(states: Sequence[State], *, ignores_unknown: bool) -> int:
    """Without any budget it cannot be told."""
    if State.BREACHED in states:
        return BREACHED
    is_known = State.KEPT in states and (ignores_unknown or State.UNKNOWN not in states)
    return KEPT if is_known else CANNOT_TELL


def document(project: str, exit_code: int, table: Mapping[str, Any]) -> dict[str, Any]:
    """The service's own response, with everything that the lines say."""
    budgets = [{**each, "result": _result(each)} for each in table["budgets"]]
    counts = state_counts(table)
    return {**table, "project": project, "exit_code": exit_code, "counts": counts, "budgets": budgets}


def state_counts(table: Mapping[str, Any]) -> dict[str, int]:
    """The number of budgets in each state, those without any included."""
    counts = Counter(each["state"] for each in table["budgets"])
    return {state.value: counts[state] for state in State}


def lines(project: str, table: Mapping[str, Any]) -> list[str]:
    budgets = table["budgets"]
    width = max((len(each["name"]) for each in budgets), default=0)
    told = ", ".join(f"{count} {state}" for state, count in state_counts(table).items() if count) or "none"
    as_of = f", as of {table['as_of']}" if table["as_of"] else ""
    return [*(_line(each, width) for each in budgets), f"{project}: {told}{as_of}"]


def _line(budget: Mapping[str, Any], width: int) -> str:
    return f"{budget['state']:<9} {budget['name']:<{width}}  {budget['promise']}: {_result(budget)}"


def _result(budget: Mapping[str, Any]) -> str:
    """The measured value with its samples, or the reason why there is none."""
    if reason := budget["reason"]:
        return REASONS.get(reason, str(reason))
    told, _ = apart(budget["value"], budget["threshold"], Unit(budget["unit"]), precise)
    return f"{told} of {budget['sample_count']:,} samples, {budget['independent_count']:,} independent"


def service_of(settings: ClientSettings, data: Path, project: str) -> Service:
    """Raises BudgetsNotRead."""
    told = _credentials(data)
    service = Service(
        (settings.url or told.get("base_url", "")).rstrip("/"),
        settings.api_key.get_secret_value() or told.get("api_key", ""),
        project or told.get("project", ""),
        "ERRATA_CLIENT_API_KEY" if settings.api_key.get_secret_value() else str(data / "credentials.json"),
    )
    if urlsplit(service.url).scheme not in ("http", "https"):
        raise BudgetsNotRead(f"set ERRATA_CLIENT_URL; {data} has no credentials.json")
    if not service.api_key:
        raise BudgetsNotRead("set ERRATA_CLIENT_API_KEY")
    if not service.api_key.isascii() or not service.api_key.isprintable():
        raise BudgetsNotRead(
            f"{service.key_from} contains characters that are invalid in an API key; copy the key again"
        )
    if not service.project:
        raise BudgetsNotRead("choose a project with --project")
    return service


def read(service: Service) -> dict[str, Any]:
    """Raises BudgetsNotRead."""
    path = f"/api/projects/{quote(service.project, safe='')}/performance/budgets"
    asked = urllib.request.Request(
        service.url + path,
        headers={"Authorization": f"Bearer {service.api_key}", "Accept": "application/json"},
    )
    try:
        with urllib.request.build_opener(_NoRedirects).open(asked, timeout=SECONDS) as answer:
            table = json.loads(answer.read(ANSWER_MAX_BYTES))
    except urllib.error.HTTPError as error:
        remedy = f"; update the key in {service.key_from}" * (error.code == 401)
        raise BudgetsNotRead(_said(error) + remedy) from error
    except (OSError, HTTPException, ValueError) as error:
        raise BudgetsNotRead(f"{service.url}: {error}") from error
    if not isinstance(table, dict) or not isinstance(table.get("budgets"), list):
        raise BudgetsNotRead(f"{service.url} returned an unexpected response; check the URL")
    return table


def _said(error: urllib.error.HTTPError) -> str:
    try:
        said = json.loads(error.read(ANSWER_MAX_BYTES))["message"]
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        said = error.reason
    return f"{error.code} {said}"


def _credentials(data: Path) -> dict[str, str]:
    try:
        told = json.loads((data / "credentials.json").read_text())
    except (OSError, ValueError):
        return {}
    return {name: str(value) for name, value in told.items()} if isinstance(told, dict) else {}
