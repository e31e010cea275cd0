"""`errata budgets check`: whether a project's budgets are kept, as an exit code."""

import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from errata.budgets.state import State
from errata.errors import ErrataError
from errata.performance.metric import Unit
from errata.reports.figures import apart, precise
from errata.service_client import service_of

# As the verdicts of releases have them.
KEPT, BREACHED, CANNOT_TELL = 0, 1, 3
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


def check(
    environ: Mapping[str, str], data: Path, project: str, written_as: str, *, ignores_unknown: bool
) -> int:
    """0 all of them are kept, 1 one is breached, 3 it cannot be told."""
    try:
        service = service_of(environ, data, project)
        table = service.ask("performance/budgets")
        if not isinstance(table.get("budgets"), list):
            raise service.unexpected()
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
