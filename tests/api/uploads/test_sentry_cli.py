"""An unmodified sentry-cli against a running service: uploads, releases, commits, deploys."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import urllib3

from errata.state.capability import Capability
from tests.browser_builds import extract_builds
from tests.processes import WarehouseProcess
from tests.uploading import Uploading, serving

CLI = Path(sys.executable).parent / "sentry-cli"


class Cli:
    """As a build calls it."""

    def __init__(self, api: Uploading, address: str, directory: Path) -> None:
        self.api = api
        self._address = address
        self.directory = directory

    def run(self, *arguments: str | Path, token: str = "") -> "subprocess.CompletedProcess[str]":
        environ = {
            "SENTRY_URL": self._address,
            "SENTRY_AUTH_TOKEN": token or self.api.token(),
            "SENTRY_ORG": "anything",
            "SENTRY_PROJECT": self.api.project.slug,
            "SENTRY_DISABLE_UPDATE_CHECK": "1",
            "HOME": str(self.directory),
            "PATH": "/usr/bin:/bin",
        }
        return subprocess.run(
            [CLI, *map(str, arguments)],
            env=environ,
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def succeed(self, *arguments: str | Path) -> str:
        done = self.run(*arguments)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def cli(warehouse: WarehouseProcess, tmp_path: Path) -> Iterator[Cli]:
    with serving(warehouse, tmp_path) as (api, address):
        home = tmp_path / "home"
        home.mkdir()
        yield Cli(api, address, home)


@pytest.fixture(scope="module")
def builds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return extract_builds(tmp_path_factory.mktemp("builds"))


def test_a_build_is_uploaded_once_and_found_by_release_and_debug_id(cli: Cli, builds: Path) -> None:
    upload = ("sourcemaps", "upload", "--release", "shop-web@1.1.0", "--url-prefix", "~/assets/1.1.0")
    cli.succeed(*upload, builds / "1.1.0" / "assets")
    cli.succeed(*upload, builds / "1.1.0" / "assets")
    (shown,) = cli.api.get(f"{cli.api.path}/sourcemaps")["uploads"]
    assert (shown["release"], shown["script_count"], shown["map_count"]) == ("shop-web@1.1.0", 6, 6)
    assert shown["debug_id_count"] == 6
    assert shown["uploaded_by"].startswith("access token errata_token_")


def test_a_release_has_its_commits_with_changed_files_and_deploys(cli: Cli) -> None:
    repository = cli.directory
    git = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@shop.example")
    for name in ("first", "second"):
        (repository / f"{name}.js").write_text(name)
        for command in (("add", f"{name}.js"), ("commit", "-qm", f"Add the {name}")):
            subprocess.run(("git", "init", "-q"), cwd=repository, check=True)
            subprocess.run((*git, *command), cwd=repository, check=True, capture_output=True)
    assert "Created release" in cli.succeed("releases", "new", "shop-web@1.1.0")
    cli.succeed("releases", "set-commits", "--local", "shop-web@1.1.0")
    cli.succeed("releases", "finalize", "shop-web@1.1.0")
    cli.succeed("deploys", "new", "--release", "shop-web@1.1.0", "--env", "production")
    rows = cli.api.admin.rows(
        "select position, author_name, message, paths from errata_raw.release_commits order by position"
    )
    assert [(row["message"], list(row["paths"])) for row in rows] == [
        ("Add the second", ["second.js"]),
        ("Add the first", ["first.js"]),
    ]
    assert {row["author_name"] for row in rows} == {"Ada"}
    (deploy,) = cli.api.admin.rows("select release, environment from errata_raw.deploys")
    assert deploy == {"release": "shop-web@1.1.0", "environment": "production"}
    # A second release has the commits since.
    (repository / "third.js").write_text("third")
    for command in (("add", "third.js"), ("commit", "-qm", "Add the third")):
        subprocess.run((*git, *command), cwd=repository, check=True, capture_output=True)
    cli.succeed("releases", "set-commits", "--local", "shop-web@1.2.0")
    rows = cli.api.admin.rows(
        "select message from errata_raw.release_commits where release = 'shop-web@1.2.0'"
    )
    assert [row["message"] for row in rows] == ["Add the third"]


@pytest.mark.parametrize("capability", [each for each in Capability if each is not Capability.UPLOAD])
def test_a_token_for_something_else_is_refused_with_a_word(
    cli: Cli, builds: Path, capability: Capability
) -> None:
    done = cli.run(
        "sourcemaps", "upload", "--release", "r", builds / "1.1.0", token=cli.api.token(capability)
    )
    assert done.returncode != 0
    assert "403" in done.stderr


def test_another_project_is_refused_with_a_word(cli: Cli, builds: Path) -> None:
    done = cli.run("sourcemaps", "upload", "--project", "another", "--release", "r", builds / "1.1.0")
    assert done.returncode != 0
    assert f"uploads to {cli.api.project.slug} only" in done.stdout + done.stderr


def test_a_tool_uploads_to_the_address_it_was_given(
    warehouse: WarehouseProcess, tmp_path: Path, builds: Path
) -> None:
    """A build may reach the service by another one than people do."""
    with serving(warehouse, tmp_path) as (api, address):
        object.__setattr__(api.context, "base_url", "http://errata.invalid")
        Cli(api, address, tmp_path).succeed(
            "sourcemaps", "upload", "--release", "shop-web@1.1.0", builds / "1.1.0" / "assets"
        )
        assert len(api.get(f"{api.path}/sourcemaps")["uploads"]) == 1
        told = urllib3.request(
            "GET",
            f"{address}/api/0/organizations/any/chunk-upload/",
            headers={"Authorization": f"Bearer {api.token()}"},
        )
        # Plugins for Vite and webpack send no token to a relative address, nor to another host.
        assert told.json()["url"] == f"{address}/api/0/organizations/any/chunk-upload/"
