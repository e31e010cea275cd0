"""The blocks of shell in the documents run, page by page, at a service. Those that can't have a reason."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from errata.warehouse.roles import Role
from tests.processes import free_port
from tests.service import ROOT, Service, running
from tests.waiting import wait_until

BLOCK = re.compile(r"^( *)```(sh|console)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
}
ELSEWHERE = {
    "README.md": "tests/release/test_release.py",
    "docs/cluster.md": "tests/flow/test_cluster.py",
    "docs/first-error.md": "tests/flow/test_tutorials.py",
    "docs/import-sentry.md": "tests/flow/test_import_sentry.py",
    "docs/intake.md": "tests/flow/test_error_to_issue.py",
    "docs/send.md": "tests/flow/test_send_from_anywhere.py",
    "docs/shipper.md": "tests/release/test_debian.py",
    "docs/shipper-files.md": "tests/shipper/test_command_line.py",
}
"""Pages with commands that another test gives."""
NEEDS: Mapping[str, Mapping[str, str]] = {
    "CONTRIBUTING.md": {"make setup": "a clone of its own; `make test` would run this test"},
    "docs/agents.md": {"claude mcp add": "the agent's own program"},
    "docs/analysts.md": {
        "curl --user errata_read": "a password at a prompt",
        "pip install jupyterlab": "a notebook that stays open",
    },
    "docs/backup.md": {
        "set -a": "a server of ClickHouse, and an empty one",
        "pip install": "an object store; tests/flow/test_backup_to_s3.py has one",
    },
    "docs/ci.md": {"curl -fsS": "page loads of a release, counted"},
    "docs/data-directory.md": {"ERRATA_STATE_URL": "a server of PostgreSQL"},
    "docs/demo.md": {"make demo": "five minutes, and a browser"},
    "docs/docker.md": {"docker compose": "Docker", "sudo install": "Docker", "for name": "Docker"},
    "docs/kubernetes.md": {
        "docker build": "Docker",
        "ERRATA_WAREHOUSE_ADMIN_URL": "lines of a file, which the tests of the chart read",
        "kubectl": "Kubernetes",
        "helm install": "Kubernetes",
    },
    "docs/monitors.md": {"sentry-cli": "sentry-cli"},
    "docs/nodes.md": {
        "createuser": "a server of PostgreSQL",
        "ERRATA_STATE_URL": "lines of a file",
        "pip install": "wheels",
        "errata web": "a server of ClickHouse",
        "DAGSTER_HOME": "a server of ClickHouse",
        "mkdir -p /etc/systemd": "root and systemd",
    },
    "docs/operations.md": {
        "python3 -m venv": "root",
        "errata backup /backups/errata --data /var/lib/errata/data\n": "wheels and systemd",
    },
    "docs/opentelemetry.md": {"~/errata/venv": "an installed shipper"},
    "docs/own-metric.md": {
        "python3 -m venv": "an index of packages",
        "figures/bin/python": "the environment before it",
        "rm -r": "files of the block before it",
    },
    "docs/pipelines.md": {"DAGSTER_HOME": "a server of ClickHouse"},
    "docs/sdk.md": {"pip install": "wheels"},
    "docs/server.md": {
        "pip install": "wheels",
        "errata migrate": "a server of ClickHouse",
        "errata web": "a server of ClickHouse",
    },
    "docs/releases.md": {"sentry-cli": "sentry-cli"},
    "docs/source-maps.md": {"export SENTRY_URL": "sentry-cli"},
    "docs/three-hosts.md": {"": "three hosts"},
}
"""What the blocks that aren't run need, by the page and how their first command begins."""
EXIT_CODES = {"errata verdict": 3, "errata budgets check": 3}
"""Of those that say that there are no page loads yet."""
SECONDS_UP = 25
EVENT_ID = "9f86d081884c7d659a2feaa0c55ad015"
EVENT = {
    "event_id": EVENT_ID,
    "platform": "javascript",
    "release": "shop-web@1.4.0",
    "exception": {
        "values": [
            {
                "type": "TypeError",
                "value": "price is undefined",
                "stacktrace": {
                    "frames": [
                        {
                            "function": "t",
                            "abs_path": "https://shop.example/assets/app.js",
                            "filename": "~/assets/app.js",
                            "lineno": 1,
                            "colno": 1,
                            "in_app": True,
                        }
                    ]
                },
            }
        ]
    },
}
SOURCE_MAP = {"version": 3, "sources": ["app.ts"], "names": [], "mappings": "AAAA", "file": "app.js"}


@dataclass(frozen=True)
class Block:
    page: str
    commands: str

    @property
    def needs(self) -> str | None:
        if self.page in ELSEWHERE:
            return ELSEWHERE[self.page]
        wanted = NEEDS.get(self.page, {}).items()
        return next((need for beginning, need in wanted if self.commands.startswith(beginning)), None)


def blocks() -> Iterator[Block]:
    for name, path in PAGES.items():
        for indent, language, text in BLOCK.findall(path.read_text()):
            lines = re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)
            yield Block(name, typed(lines) if language == "console" else lines)


def typed(session: str) -> str:
    """The commands of a session, without its prompts and what was printed."""
    return "".join(
        f"{command}\n" for command in re.findall(r"^[$#] ((?:.*\\\n)*.*)", session, flags=re.MULTILINE)
    )


def test_what_a_block_needs_is_said_of_blocks_that_are_there() -> None:
    found = list(blocks())
    for page, needs in NEEDS.items():
        for beginning in needs:
            assert any(block.page == page and block.commands.startswith(beginning) for block in found), page
    assert {block.page for block in found} >= ELSEWHERE.keys()
    assert [path for path in ELSEWHERE.values() if not (ROOT / path).is_file()] == []


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running("--no-pipelines", directory=tmp_path_factory.mktemp("service") / "data") as service:
        send(service)
        yield service


@pytest.mark.slow
@pytest.mark.timeout(300)
@pytest.mark.parametrize("page", sorted({block.page for block in blocks() if block.needs is None}))
def test_the_blocks_of_a_page_end_well(page: str, service: Service, tmp_path: Path) -> None:
    text = "".join(block.commands for block in blocks() if block.page == page and block.needs is None)
    prepare(tmp_path, service)
    ended = subprocess.run(
        ["bash", "-e", "-c", here(text, service, tmp_path)],
        cwd=tmp_path,
        env={**os.environ, **known(service), "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, f"{text}\n{ended.stdout}\n{ended.stderr}"


def send(service: Service) -> None:
    """An event, and waits until it is shown."""
    key, place, project = re.split("[@/]", service.credentials["dsn"].partition("://")[2])
    body = json.dumps(EVENT).encode()
    urllib.request.urlopen(f"http://{place}/api/{project}/store/?sentry_key={key}", body).close()
    wait_until(lambda: bool(service.ask("issues")["issues"]))


def prepare(folder: Path, service: Service) -> None:
    """The programs and files that the pages speak of, and the folders that a system has."""
    (folder / "bin").mkdir()
    for name, arguments in (("errata", "-m errata "), ("python", ""), ("python3", "")):
        program = folder / "bin" / name
        program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} {arguments}"$@"\n')
        program.chmod(0o755)
    for name in ("backups", "safe/place", "var/lib/errata"):
        (folder / "root" / name).mkdir(parents=True)
    (folder / ".errata").symlink_to(service.directory)
    shutil.copy(service.directory / "secret", folder / "root/safe/place/errata-secret")
    (folder / "question.sql").write_text("select slug, release from page_days")
    assets = folder / "dist/assets"
    assets.mkdir(parents=True)
    (assets / "app.js").write_text("t()\n//# sourceMappingURL=app.js.map\n")
    (assets / "app.js.map").write_text(json.dumps(SOURCE_MAP))


def known(service: Service) -> Mapping[str, str]:
    """What a reader has in his environment since another block."""
    return {
        "ERRATA_CLIENT_URL": service.credentials["base_url"],
        "ERRATA_CLIENT_API_KEY": service.credentials["api_key"],
        "PASSWORD": urlsplit(service.warehouse_url(Role.ANALYST)).password or "",
    }


def here(text: str, service: Service, folder: Path) -> str:
    """The commands with the addresses, keys and folders of this service; those that stay are ended."""
    told = service.credentials
    warehouse = urlsplit(service.warehouse_url(Role.ANALYST))
    for said, meant in (
        (r"https://errata\.example\.(?:org|com)", told["base_url"]),
        (r"http://127\.0\.0\.1:18123", f"http://{warehouse.hostname}:{warehouse.port}"),
        (r"\berrata_(?:token|api)_…", told["api_key"]),
        (r"\berrata_public_\w*…", told["dsn"].partition("://")[2].partition("@")[0]),
        (r"\b3829473222\b", told["dsn"].rpartition("/")[2]),
        (r"(?<=--project )[\w-]+|(?<=/projects/)[\w-]+", told["project"]),
        (r"(?:/var/lib/errata/data|\.demo/data)(?![\w-])", str(service.directory)),
        (r"(?<=[ =])/(?=(?:var/lib|backups|safe)/)", f"{folder}/root/"),
        (r"\S*/bin/errata ", "errata "),
        (r"--wait 60", "--wait 0"),
        (r"errata up ", f"timeout {SECONDS_UP} errata up --port {free_port()} "),
        (r"^timeout .*?(?=  #|$)", r"\g<0> || [ $? = 124 ]"),
    ):
        text = re.sub(said, meant, text, flags=re.MULTILINE)
    for command, code in EXIT_CODES.items():
        text = re.sub(rf"^{command} .*$", rf"code=0; \g<0> || code=$?; [ $code = {code} ]", text, flags=re.M)
    return text
