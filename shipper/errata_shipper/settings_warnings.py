"""What works but should be mended: readable keys, keys under version control, keys that look incomplete."""

import stat
from collections.abc import Iterator
from pathlib import Path

from errata_shipper.intake.settings import IntakeSettings
from errata_shipper.settings import API_KEY_PREFIX, APP_KEY_PREFIX, Settings
from errata_shipper.version_control import Tracking, tracking_of

# A group may read: a file of root that the shipper's group reads is the safest of all.
_OPEN_BITS = stat.S_IROTH | stat.S_IWOTH | stat.S_IWGRP


def warnings_about(path: Path, settings: Settings) -> list[str]:
    return [
        *_open_files(path, settings),
        *_tracked_files(settings),
        *_odd_keys(settings),
        *_open_intake(settings.intake),
    ]


def _open_files(path: Path, settings: Settings) -> Iterator[str]:
    for file in dict.fromkeys((path, *settings.secret_files)):
        mode = file.stat().st_mode & _OPEN_BITS
        # Without a secret in it the configuration may be read by all, but not changed.
        if mode & ~stat.S_IROTH or (mode and file in settings.secret_files):
            yield f"{file} can be {_verbs(mode)} other users of this host; run: chmod 600 {file}"


def _verbs(mode: int) -> str:
    return {stat.S_IROTH: "read by"}.get(
        mode, "read and modified by" if mode & stat.S_IROTH else "modified by"
    )


def _tracked_files(settings: Settings) -> Iterator[str]:
    for file in settings.secret_files:
        match tracking_of(file):
            case Tracking.TRACKED:
                yield (
                    f"{file} is under version control, including its key; "
                    f"run: git rm --cached {file.name}, add it to .gitignore, and regenerate the key"
                )
            case Tracking.ADDABLE:
                yield f"{file} is in a git repository that doesn't ignore it; add it to .gitignore"
            case Tracking.NONE:
                pass


def _odd_keys(settings: Settings) -> Iterator[str]:
    for field, key in (("apiKey", settings.api_key), ("appKey", settings.app_key)):
        if key.endswith("..."):
            yield f"errata.{field} still contains the example text; enter your own key"
    if not settings.api_key.startswith(API_KEY_PREFIX):
        yield f"errata.apiKey doesn't start with {API_KEY_PREFIX}; copy it again from Settings, API keys"
    if not settings.app_key.startswith(APP_KEY_PREFIX):
        yield f"errata.appKey doesn't start with {APP_KEY_PREFIX}; copy it again from the project settings"


def _open_intake(intake: IntakeSettings | None) -> Iterator[str]:
    if intake is None:
        return
    if not intake.is_loopback:
        yield (
            f"errata.intake.listen: {intake.host} is reachable from other hosts; "
            "anyone who can connect can write events: allow only your own machines in a firewall"
        )
    if "*" in intake.origins:
        yield "errata.intake.origins contains *: any page open in a browser on this host can write events"
