"""Requests made from the schema, with every check of schemathesis, in a process of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.openapi_service import Headers, OpenApiService

HOOKS = Path(__file__).with_name("openapi_hooks.py")
# A schema says of these what the fields may hold. Which of them go together, what they say in a language of
# searches or of grouping rules, or whether there is room for one more it cannot tell: 400 is an answer too.
WITH_RULES_OF_THEIR_OWN = (
    "act_on_issues",
    "add_integration",
    "backtest_alert_rule",
    "change_alert_channel",
    "change_alert_rule",
    "change_search",
    "create_alert_channel",
    "create_alert_rule",
    "create_performance_budget",
    "create_report_schedule",
    "create_share_link",
    # Searches that come with the service have no id: a link of schemathesis leads to null.
    "delete_search",
    # Exactly one subject.
    "erase",
    "preview_erasure",
    # Each tracker has references of its own.
    "link_issue",
    # Of a week that is over.
    "performance_report",
    "preview_inbound_filters",
    "preview_scrubbing_rules",
    "replace_inbound_filters",
    "replace_scrubbing_rules",
    "save_grouping_draft",
    "save_search",
    # No token that a schema makes is of a link.
    "use_one_time_link",
    # No browser of theirs has given a password.
    "give_code",
)
ALWAYS_THE_SAME = ("slug", "question", "version", "issue_id", "event_id", "id")
# They ask another service, which may not be there.
ASKING_OTHERS = ("add_integration", "link_issue", "test_integration")
# Two operations name what they address alike.
NAMED_BY_OPERATION = {
    "revoke_share_link": {"path.link_id": "share_links"},
    "refresh_link": {"path.link_id": "links_of_issues"},
    "unlink_issue": {"path.link_id": "links_of_issues"},
    "performance_report": {"query.week": "week"},
}
# What only a person may do; programs with the API key are refused.
OF_PERSONS = r"^/api/(auth/(session|password)|api-key|projects/\{slug\}/searches(/\{search_id\})?)$"


def ask_by_schema(
    service: OpenApiService,
    folder: Path,
    headers: Headers,
    *,
    phases: Sequence[str],
    examples: int,
    paths: str = "",
    seconds: int,
) -> subprocess.CompletedProcess[str]:
    """What it printed, and 0 where no check failed. Without randomness: the same requests each time."""
    config = folder / "schemathesis.toml"
    config.write_text("\n".join(_config(service, headers)))
    program = Path(sys.executable).with_name("schemathesis")
    command = [
        *(str(program), "--no-color", "--config-file", str(config)),
        *("run", f"{service.address}/api/openapi.json", "--phases", ",".join(phases)),
        *("--max-examples", str(examples), "--seed", "1", "--generation-deterministic", "--no-shrink"),
        *("--continue-on-failure", "--suppress-health-check", "all", "--warnings", "off"),
        *("--request-timeout", "60"),
        *(["--include-path-regex", paths] if paths else []),
    ]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "SCHEMATHESIS_HOOKS": str(HOOKS)},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


def _config(service: OpenApiService, headers: Headers) -> list[str]:
    lines = ["[generation]", 'database = "none"', "[headers]"]
    lines += [f"{name} = {json.dumps(value)}" for name, value in headers.items()]
    for name, values in service.known.items():
        lines += [f"[dictionaries.{name}]", f"values = {json.dumps(list(values))}"]
    # What requests may delete is drawn among several; the rest is always the same, in every phase.
    parameters = {
        f"path.{name}": name for name in service.known if name.endswith("_id") and name not in ALWAYS_THE_SAME
    }
    lines += ["[parameters]", *_forced(parameters)]
    lines += [
        f"{json.dumps(f'path.{name}')} = {json.dumps(service.known[name][0])}" for name in ALWAYS_THE_SAME
    ]
    # A body would have to be packed as its header says; cursors are given out; and searches are a language:
    # the schema cannot tell which of them parse, and what does not is refused with 400.
    lines += [
        '"header.Content-Encoding" = "identity"',
        '"query.cursor" = ""',
        '"query.query" = "is:unresolved browser:[Chrome, Firefox]"',
    ]
    # A place in a text, unlike the cursors of pages.
    lines += [*_operation("search_completions"), "[operations.parameters]", '"query.cursor" = 13']
    for operation, named in NAMED_BY_OPERATION.items():
        lines += [*_operation(operation), "[operations.parameters]", *_forced(named)]
    for operation in sorted({*WITH_RULES_OF_THEIR_OWN, *ASKING_OTHERS}):
        lines += _operation(operation)
        if operation in WITH_RULES_OF_THEIR_OWN:
            accepted = ["2xx", "3xx", "400", "401", "403", "404", "409", "410", "429", "5xx"]
            lines.append(f"checks.positive_data_acceptance.expected-statuses = {json.dumps(accepted)}")
        if operation in ASKING_OTHERS:
            lines.append('checks.not_a_server_error.expected-statuses = ["2xx", "3xx", "4xx", "502"]')
    return lines


def _operation(name: str) -> list[str]:
    return ["[[operations]]", f"include-operation-id = {json.dumps(name)}"]


def _forced(dictionaries: Mapping[str, str]) -> list[str]:
    return [f'"{name}" = {{ dictionary = "{values}" }}' for name, values in dictionaries.items()]
