"""The file a person reads after the first start."""

import json
from collections.abc import Collection
from pathlib import Path

from errata.dsn import dsn_of, moved_dsn
from errata.private_file import write_private
from errata.state import Store
from errata.state.accounts import FirstAccount
from errata.up.data_directory import DataDirectory

ORGANIZATION = "My organization"
PROJECT = "My project"
EMAIL = "owner@localhost"


def ensure_first_account(directory: DataDirectory, store: Store, base_url: str) -> None:
    """Creates organization, project, keys and owner once; `credentials.json` names them and the address."""

    def keep(account: FirstAccount) -> None:
        _write(
            directory.credentials_path,
            {
                "base_url": base_url,
                "dsn": dsn_of(base_url, account.public_key, account.project_id),
                "api_key": account.api_key,
                "app_key": account.app_key,
                "project": account.project,
                "email": account.email,
                "password": account.password,
            },
        )

    if not store.accounts.exist():
        store.accounts.create_first(ORGANIZATION, PROJECT, EMAIL, keep=keep)
    known = directory.credentials()
    if known and known["base_url"] != base_url:
        # A service of an earlier version has none in its file.
        moved = {"dsn": moved_dsn(known["dsn"], base_url)} if "dsn" in known else {}
        _write(directory.credentials_path, {**known, **moved, "base_url": base_url})


def replace_key(path: Path, projects: Collection[str], name: str, key: str) -> None:
    """Puts in `key` for the former one (`api_key` or `app_key`), if the file is of one of these projects.

    A file or an entry that somebody deleted stays away.
    """
    if not path.exists():
        return
    known = json.loads(path.read_text())
    if isinstance(known, dict) and name in known and known.get("project") in projects:
        _write(path, {**known, name: key})


def _write(path: Path, credentials: dict[str, str]) -> None:
    write_private(path, json.dumps(credentials, indent=2) + "\n")
