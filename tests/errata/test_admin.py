"""`errata admin` on a data directory and by settings, as a person types it."""

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pyotp
import pytest

from errata.command_line import ROLES, command_line
from errata.state import Store
from errata.state.identities import ProviderIdentity
from errata.state.ingest_limits import LimitKind, per_minute, subject
from errata.state.users import Role
from errata.up.data_directory import DataDirectory

PASSWORD = re.compile(r"assword of (\S+): (\S+)")


@pytest.fixture
def directory(tmp_path: Path) -> DataDirectory:
    found = DataDirectory(tmp_path / "data")
    found.create()
    found.begin()
    store = opened(found)
    store.migrate()
    account = store.accounts.create_first("Acme", "Shop", "owner@example.org")
    keys = {"api_key": account.api_key, "app_key": account.app_key, "project": account.project}
    found.credentials_path.write_text(json.dumps({**keys, "email": account.email}))
    store.close()
    return found


def opened(directory: DataDirectory) -> Store:
    return Store.open(directory.state_url, directory.secret().encode())


def admin(*arguments: str, settings: Mapping[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "errata", "admin", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin", **(settings or {})},
    )


def test_the_roles_offered_are_those_that_there_are() -> None:
    assert set(ROLES) == {role.value for role in Role}


@pytest.mark.slow
def test_a_lost_password_is_reset_and_the_log_says_by_whom(directory: DataDirectory) -> None:
    done = admin("reset-password", "Owner@Example.org", "--data", str(directory.path))
    found = PASSWORD.search(done.stdout)
    assert done.returncode == 0 and found is not None, done.stderr
    store = opened(directory)
    assert store.sessions.sign_in("owner@example.org", found[2]) is not None
    entries = store.activity.entries(store.accounts.organizations()[0].id)
    [changed] = [entry for entry in entries if entry.action.value == "user.password_changed"]
    assert changed.actor.startswith("errata admin: ") and changed.subject == "owner@example.org"
    store.close()


@pytest.mark.slow
def test_two_step_sign_in_is_turned_off_for_a_lost_phone(directory: DataDirectory) -> None:
    data = ("--data", str(directory.path))
    found = PASSWORD.search(admin("reset-password", "owner@example.org", *data).stdout)
    assert found is not None
    store = opened(directory)
    session = store.sessions.sign_in("owner@example.org", found[2])
    assert session is not None
    store.two_steps.turn_on(session, pyotp.TOTP(store.two_steps.begin(session)).now())
    done = admin("turn-off-two-steps", "Owner@example.org", *data)
    assert done.returncode == 0 and "is off" in done.stdout, done.stderr
    assert store.sessions.sign_in("owner@example.org", found[2]) is not None
    entry = next(each for each in store.activity.entries(1) if each.action.value.endswith("turned_off"))
    assert entry.actor.startswith("errata admin: ") and entry.subject == "owner@example.org"
    store.close()
    again = admin("turn-off-two-steps", "owner@example.org", *data)
    assert again.returncode == 1 and "is off" in again.stderr and "Traceback" not in again.stderr
    assert admin("turn-off-two-steps", "nobody@example.org", *data).returncode == 1


@pytest.mark.slow
def test_someone_is_unlinked_from_the_sign_in_provider(directory: DataDirectory) -> None:
    data = ("--data", str(directory.path))
    store = opened(directory)
    ada = ProviderIdentity("https://id.example.org", "1", "ada@example.org")
    store.identities.admit(1, ada, Role.MEMBER, keeps_role=False)
    assert "no longer linked" in admin("unlink", "Ada@example.org", *data).stdout
    assert "isn't linked" in admin("unlink", "ada@example.org", *data).stdout
    assert store.activity.entries(1)[0].action.value == "user.identity_unlinked"
    # The address has a new account at the provider.
    store.identities.admit(1, replace(ada, subject="2"), Role.MEMBER, keeps_role=False)
    store.close()


@pytest.mark.slow
def test_a_user_is_added_once_and_listed(directory: DataDirectory) -> None:
    data = ("--data", str(directory.path))
    done = admin("add-user", "ada@example.org", "--role", "member", *data)
    found = PASSWORD.search(done.stdout)
    assert done.returncode == 0 and found is not None, done.stderr
    assert admin("users", *data).stdout.split() == [
        "ada@example.org",
        "member",
        "owner@example.org",
        "owner",
    ]
    again = admin("add-user", "ada@example.org", *data)
    assert (
        again.returncode == 1
        and "already in the organization" in again.stderr
        and "Traceback" not in again.stderr
    )
    store = opened(directory)
    assert store.sessions.sign_in("ada@example.org", found[2]) is not None
    store.close()


def test_a_key_is_regenerated_also_in_the_file_of_credentials(directory: DataDirectory) -> None:
    old = directory.credentials()["api_key"]
    done = admin("regenerate-key", "--data", str(directory.path))
    new = directory.credentials()["api_key"]
    assert done.returncode == 0 and f"New API key: {new}" in done.stdout and new != old
    store = opened(directory)
    assert store.keys.api.owner(old) is None and store.keys.api.owner(new) is not None
    store.close()


def test_a_key_is_rotated_with_a_next_one(directory: DataDirectory) -> None:
    data = ("--data", str(directory.path))
    old = directory.credentials()["api_key"]
    prepared = admin("prepare-key", *data)
    [following] = re.findall(r"errata_api_\w{40}", prepared.stdout)
    assert directory.credentials()["api_key"] == old
    assert admin("promote-key", *data).returncode == 0
    assert directory.credentials()["api_key"] == following
    store = opened(directory)
    assert store.keys.api.owner(old) is None and store.keys.api.owner(following) is not None
    store.close()


@pytest.mark.slow
def test_an_organization_is_created_and_somebody_invited_to_it(directory: DataDirectory) -> None:
    data = ("--data", str(directory.path))
    created = admin("create-organization", "Beta", "--owner", "owner@example.org", *data)
    assert created.returncode == 0 and "with their existing password" in created.stdout, created.stderr
    again = admin("create-organization", "Beta", "--owner", "owner@example.org", *data)
    assert again.returncode == 1 and "no other organization" in again.stderr
    settings = {"ERRATA_BASE_URL": "https://errata.example.org"}
    invited = admin("invite", "bob@example.org", "--organization", "Beta", *data, settings=settings)
    [token] = re.findall(r"https://errata\.example\.org/link/(\w+)", invited.stdout)
    store = opened(directory)
    session = store.one_time_links.use(token, "correct horse battery")
    assert (session.organization, session.role) == ("Beta", Role.MEMBER)
    owned = store.members.organizations_of(1)
    assert [(each.organization, each.role) for each in owned] == [("Acme", Role.OWNER), ("Beta", Role.OWNER)]
    assert store.keys.api.owner(re.findall(r"errata_api_\w{40}", created.stdout)[0]) is not None
    store.close()


@pytest.mark.slow
def test_settings_of_a_service_without_a_directory_are_followed(directory: DataDirectory) -> None:
    settings = {
        "ERRATA_STATE_URL": directory.state_url,
        "ERRATA_SECRET": directory.secret(),
        "ERRATA_WAREHOUSE_URL": "http://errata:x@127.0.0.1:9",
    }
    listed = admin("users", "--organization", "Acme", settings=settings)
    assert listed.returncode == 0 and "owner@example.org" in listed.stdout, listed.stderr
    unknown = admin("users", "--organization", "Other", settings=settings)
    assert unknown.returncode == 1 and "one of: Acme" in unknown.stderr


@pytest.mark.slow
def test_limits_of_lines_are_listed_with_their_use_and_changed(directory: DataDirectory) -> None:
    data = ("--data", str(directory.path))
    store = opened(directory)
    store.keys.app.create(1, "shop", "worker", actor="x")
    assert admin("limits", "shop", "--lines-per-minute", "6000", *data).returncode == 0
    done = admin("limits", "shop", "--service", "worker", "--lines-per-minute", "600", *data)
    assert done.stdout == "Service worker of shop can deliver 600 lines per minute.\n", done.stderr
    entry = store.activity.entries(1)[0]
    assert entry.action.value == "line_limit.changed" and entry.actor.startswith("errata admin: ")
    assert entry.subject == "shop, service worker: 600 lines per minute"

    [project] = store.projects.of_organization(1)
    bucket = per_minute(LimitKind.LINES, 600, "worker")
    store.token_buckets.take(bucket, subject(project.id, "worker"), 300)
    settings = {"ERRATA_API_LINES_PER_MINUTE": "90000"}
    rows = [line.split() for line in admin("limits", *data, settings=settings).stdout.splitlines()[1:]]
    assert rows[:2] == [["(all)", "lines", "90,000", "0", "(0%)"], ["shop", "lines", "6,000", "0", "(0%)"]]
    project_name, service, kind, lines, used, _ = rows[2]
    assert (project_name, service, kind, lines) == ("shop", "worker", "lines", "600")
    # The bucket is refilled while the command starts.
    assert 0 < int(used) <= 300
    assert ("no longer has its own limit") in admin(
        "limits", "shop", "--lines-per-minute", "none", *data
    ).stdout
    assert ["shop", "no", "limit"] in [line.split() for line in admin("limits", *data).stdout.splitlines()]
    store.close()


@pytest.mark.parametrize("option", ["--lines-per-minute", "--lines-a-minute"])
def test_the_former_name_of_the_option_still_works(option: str) -> None:
    parser = command_line()
    chosen = parser.parse_args(["admin", "limits", "shop", option, "600"])
    assert chosen.lines_per_minute == "600"
    assert parser.parse_args(["admin", "limits", "shop"]).lines_per_minute == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["shop"], "--lines-per-minute"),
        (["shop", "--lines-per-minute", "many"], "a number, or none"),
        (["shop", "--lines-per-minute", "0"], "1 to 1,000,000,000"),
        (["shop", "--service", "other", "--lines-per-minute", "5"], "application keys"),
        (["other", "--lines-per-minute", "5"], "Project not found"),
        (["--lines-per-minute", "5"], "a project slug is required"),
    ],
    ids=["nothing", "words", "zero", "service", "project", "all"],
)
def test_a_limit_that_cannot_be_set_is_refused(
    directory: DataDirectory, arguments: list[str], said: str
) -> None:
    done = admin("limits", *arguments, "--data", str(directory.path))
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", [["users"], ["reset-password", "x@example.org"], ["regenerate-key"]])
def test_nothing_is_made_where_there_is_no_account_store(tmp_path: Path, command: list[str]) -> None:
    done = admin(*command, "--data", str(tmp_path / "nothing"))
    assert done.returncode == 1 and "has no account store" in done.stderr
    assert not (tmp_path / "nothing").exists()


@pytest.mark.slow
def test_an_unknown_user_is_said_to_be_unknown(directory: DataDirectory) -> None:
    done = admin("reset-password", "nobody@example.org", "--data", str(directory.path))
    assert done.returncode == 1 and "no user of Acme" in done.stderr and "Traceback" not in done.stderr
