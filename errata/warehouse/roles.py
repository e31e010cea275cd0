"""The warehouse's users: each program connects as the one with the fewest rights for its job."""

import json
import secrets
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from errata.private_file import write_private


class Role(StrEnum):
    ADMIN = "errata_admin"
    INGEST = "errata_ingest"
    BUILD = "errata_build"
    READ = "errata_read"
    ANALYST = "errata_analyst"


# Explicit grants only: a user without any could read local files through file().
GRANTS: Mapping[Role, tuple[str, ...]] = {
    Role.ADMIN: (
        "grant all on errata_raw.* with grant option",
        "grant all on errata_mart.* with grant option",
        "grant all on errata_ops.* with grant option",
        "grant all on errata_read.* with grant option",
        "grant all on errata_analysis.* with grant option",
        "grant table engine on MergeTree, table engine on ReplacingMergeTree",
        "grant table engine on ReplicatedMergeTree, table engine on ReplicatedReplacingMergeTree",
        "grant table engine on KeeperMap",
        # Of backups: a disk that leads to no other file.
        "grant read on DISK, write on DISK",
        "grant read on S3, write on S3",
        "grant kill query on *.*",
        "grant system flush logs, system merges, system drop cache, system jemalloc on *.*",
        "grant select on system.*",
    ),
    Role.INGEST: (
        "grant select, insert, alter delete on errata_raw.*",
        "grant select on errata_read.disk_space",
        "grant select on errata_read.readiness",
        "grant select on errata_read.assignments_by_log",
        "grant select on errata_read.states_by_log",
        "grant select on system.clusters",
    ),
    Role.BUILD: (
        "grant select on errata_raw.*",
        "grant select, insert, alter table, optimize on errata_mart.*",
        "grant select, insert on errata_ops.*",
        "grant alter update on errata_ops.build_server",
        "grant select on errata_read.*",
        "grant kill query on *.*",
        "grant select on system.*",
    ),
    # And the tables whose rows policies restrict to the projects of a statement.
    Role.READ: (
        "grant select on errata_read.*",
        "grant select on errata_ops.builds",
        "grant select on system.clusters",
    ),
    Role.ANALYST: ("grant select on errata_analysis.*", "grant select on errata_read.readiness"),
}


DEFAULT_DATABASES: Mapping[Role, str] = {Role.ANALYST: "errata_analysis"}


def load_or_create_passwords(path: Path) -> dict[Role, str]:
    """The generated passwords, one a role, kept in a file only its owner can read."""
    stored = known_passwords(path)
    # A version with more roles adds their passwords; existing ones stay.
    passwords = {role: stored.get(role) or secrets.token_urlsafe(32) for role in Role}
    if set(stored) != set(Role):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_private(
            path, json.dumps({role.value: password for role, password in passwords.items()}, indent=2)
        )
    return passwords


def known_passwords(path: Path) -> dict[Role, str]:
    """Those of the file, of roles of this version; none without a file."""
    stored: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
    return {role: stored[role.value] for role in Role if role.value in stored}
