"""The file a person reads after the first start."""

import json

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
            directory,
            {
                "base_url": base_url,
                "api_key": account.api_key,
                "app_key": account.app_key,
                "project": account.project,
                "email": account.email,
                "password": account.password,
            },
        )

    if not store.has_account():
        store.create_first_account(ORGANIZATION, PROJECT, EMAIL, keep=keep)
    known = directory.credentials()
    if known and known["base_url"] != base_url:
        _write(directory, {**known, "base_url": base_url})


def _write(directory: DataDirectory, credentials: dict[str, str]) -> None:
    write_private(directory.credentials_path, json.dumps(credentials, indent=2) + "\n")
