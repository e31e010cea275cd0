"""The GitHub Action and the GitLab template, run as a CI job runs them."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from errata.service_client import ClientSettings
from tests.cases import each
from tests.errata.outgoing.servers import serving
from tests.errata.release_gate.forges import HEAD, MERGE, TOKEN, GitHub, GitLab, answer, running
from tests.errata.test_release_verdict import RELEASE, TOLD

ROOT = Path(__file__).resolve().parents[3]
ACTION = ROOT / ".github/actions/errata-verdict/action.yml"
TEMPLATE = ROOT / "docs/ci/gitlab-errata-verdict.yml"
FORGES = ROOT / "errata/release_gate/forges"
INPUT = re.compile(r"\$\{\{ inputs\.([\w-]+) \}\}")
# What the service's answer is; the exit code; what the action makes of it without failing when undecided.
VERDICTS = [("worse", 1, 1), ("better", 0, 0), ("not_enough_data", 3, 0)]


@pytest.fixture
def told() -> dict[str, Any]:
    return {**TOLD, "new_issue_count": 0}


@pytest.fixture
def service(told: dict[str, Any]) -> Iterator[str]:
    with serving(lambda asked: answer(200, told)) as server:
        yield server.url


def ran(script: str, environ: Mapping[str, str], directory: Path) -> int:
    """As a runner does: `bash -e` in an empty folder, with the installed command."""
    path = f"{Path(sys.executable).parent}:/usr/bin:/bin"
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script],
        env={"PATH": path, "HOME": str(directory), "PYTHONPATH": ":".join(map(str, paths())), **environ},
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "usage:" not in done.stderr, done.stderr
    return done.returncode


def paths() -> list[Path]:
    return [ROOT, ROOT / "shipper", ROOT / "sdk", ROOT / "wire"]


def filled(environ: Mapping[str, str], inputs: Mapping[str, str]) -> dict[str, str]:
    return {name: INPUT.sub(lambda found: inputs[found[1]], value) for name, value in environ.items()}


def action_inputs(action: dict[str, Any], **chosen: str) -> dict[str, str]:
    """With the defaults of those that are not chosen; a required one must be."""
    found = dict[str, str]()
    for name, described in action["inputs"].items():
        assert described["description"] and described.get("required", False) == ("default" not in described)
        found[name] = chosen[name] if name in chosen else described["default"]
    assert set(chosen) <= set(found)
    return found


@each("word, code, code_if_undecided_passes", VERDICTS)
def test_the_action_sets_the_status_and_ends_with_the_verdict(
    word: str, code: int, code_if_undecided_passes: int, service: str, told: dict[str, Any], tmp_path: Path
) -> None:
    told["overall_verdict"] = word
    action = yaml.safe_load(ACTION.read_text())
    (install, verdict) = action["runs"]["steps"]
    assert install["if"] == "inputs.wheels != ''" and install["run"].startswith("python -m pip install ")
    event = tmp_path / "event.json"
    event.write_text(f'{{"pull_request": {{"number": 7, "head": {{"sha": "{HEAD}"}}}}}}')
    hostile = '$(touch x); "shop@2.1"'
    for release, fails, expected in (
        (RELEASE, "true", code),
        (RELEASE, "false", code_if_undecided_passes),
        (hostile, "true", code),
        ("--help", "true", code),
    ):
        inputs = action_inputs(
            action,
            **{"url": service, "api-key": "errata_token_1", "project": "web-shop", "release": release},
            **{"fail-when-undecided": fails, "token": TOKEN},
        )
        output = tmp_path / "output"
        output.write_text("")
        at = GitHub()
        with running(at) as url:
            environ = {
                **filled(verdict["env"], inputs),
                "GITHUB_API_URL": url,
                "GITHUB_REPOSITORY": "acme/shop",
                "GITHUB_SHA": MERGE,
                "GITHUB_EVENT_PATH": str(event),
                "GITHUB_OUTPUT": str(output),
            }
            assert ran(verdict["run"], environ, tmp_path) == expected
        assert output.read_text() == f"exit-code={code}\n"
        assert [len(at.statuses), len(at.comments)] == [1, 1]
        assert not (tmp_path / "x").exists()


@each("word, code, _", VERDICTS)
def test_the_template_sets_the_status_and_ends_with_the_verdict(
    word: str, code: int, _: int, service: str, told: dict[str, Any], tmp_path: Path
) -> None:
    told["overall_verdict"] = word
    job = yaml.safe_load(TEMPLATE.read_text())[".errata-verdict"]
    assert "allow_failure" not in job
    known = {"$CI_PROJECT_NAME": "web-shop", "$CI_COMMIT_SHORT_SHA": "abcdef12"}
    variables = job["variables"]
    for name, value in known.items():
        variables = {each: text.replace(name, value) for each, text in variables.items()}
    at = GitLab()
    with running(at) as url:
        environ = {
            **variables,
            "ERRATA_CLIENT_URL": service,
            "ERRATA_CLIENT_API_KEY": "errata_token_1",
            "GITLAB_TOKEN": TOKEN,
            "CI_API_V4_URL": url,
            "CI_PROJECT_ID": "42",
            "CI_COMMIT_SHA": MERGE,
            "CI_PIPELINE_ID": "99",
            "CI_MERGE_REQUEST_IID": "7",
        }
        assert ran("\n".join([*job["before_script"], *job["script"]]), environ, tmp_path) == code
    assert [len(at.statuses), len(at.comments)] == [1, 1]
    assert set(re.findall(r"\$(\w+)", str(job["script"] + job["before_script"]))) <= set(job["variables"])


def test_the_template_and_the_action_wait_equally_long() -> None:
    job = yaml.safe_load(TEMPLATE.read_text())[".errata-verdict"]
    action = yaml.safe_load(ACTION.read_text())
    assert job["variables"]["VERDICT_WAIT_MINUTES"] == action["inputs"]["wait"]["default"]
    assert action["inputs"]["fail-when-undecided"]["default"] == "true" and "allow_failure" not in job


def test_the_template_names_the_missing_wheels(tmp_path: Path) -> None:
    job = yaml.safe_load(TEMPLATE.read_text())[".errata-verdict"]
    script = "\n".join([*job["before_script"], *job["script"]])
    environ = {"PATH": "/usr/bin:/bin", "VERDICT_WHEELS": ""}
    assert shutil.which("errata", path=environ["PATH"]) is None
    done = subprocess.run(
        ["sh", "-ec", script], env=environ, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "set VERDICT_WHEELS" in done.stderr


def test_variables_of_ci_files_and_documents_are_those_that_are_read() -> None:
    prefix = ClientSettings.model_config["env_prefix"]
    read = {prefix + name.upper() for name in ClientSettings.model_fields}
    for file in FORGES.glob("*.py"):
        read |= set(re.findall(r'"((?:GITHUB|GITLAB|CI)_[A-Z0-9_]+)"', file.read_text()))
    given_by_runners = {
        "GITHUB_OUTPUT",
        "CI_PROJECT_NAME",
        "CI_COMMIT_SHORT_SHA",
        "CI_COMMIT_TAG",
        "CI_JOB_TOKEN",
    }
    for file in (ACTION, TEMPLATE, ROOT / "docs/ci.md"):
        named = set(re.findall(r"\b((?:ERRATA_CLIENT|GITHUB|GITLAB|CI)_[A-Z0-9_]+)\b", file.read_text()))
        assert named and named <= read | given_by_runners, (file.name, named - read)


BAD_STATES = ("breached", "unknown")
GATES = re.findall(r"jq -es '([^']+)'", (ROOT / "docs/ci.md").read_text())
"""Of a verdict, and of budgets."""


@pytest.mark.skipif(shutil.which("jq") is None, reason="no jq on this machine")
@each(
    ("gate", "response", "is_good"),
    [
        *((0, f'{{"overall_verdict": "{verdict}"}}', True) for verdict in ("better", "no_change")),
        *((0, f'{{"overall_verdict": "{verdict}"}}', False) for verdict in ("worse", "undecided")),
        (1, '{"budgets": [{"state": "kept"}]}', True),
        *(
            (1, f'{{"budgets": [{{"state": "kept"}}, {{"state": "{state}"}}]}}', False)
            for state in BAD_STATES
        ),
        (1, '{"budgets": []}', False),
        *((gate, response, False) for gate in (0, 1) for response in ("", "{}", "<html>")),
    ],
)
def test_gates_of_jq_pass_only_what_is_known_to_be_good(gate: int, response: str, is_good: bool) -> None:
    done = subprocess.run(
        ["jq", "-es", GATES[gate]], input=response, text=True, capture_output=True, check=False
    )
    assert (done.returncode == 0) is is_good
