"""A backup with all that builds upon it: deleted as a whole, or not at all."""

import re
from argparse import ArgumentTypeError
from dataclasses import dataclass
from datetime import datetime, timedelta

from errata.backup.manifest import ManifestUnreadable
from errata.backup.place import BackupPlace
from errata.backup.verify import chain, require_sound

SPAN = re.compile(r"([1-9][0-9]{0,3})([hd])", re.ASCII)
UNITS = {"h": timedelta(hours=1), "d": timedelta(days=1)}
WEEK = timedelta(days=7)


@dataclass(frozen=True)
class Retention:
    """`keep`: chains that stay, with the newest; 0: nothing is deleted. `full_every`: the age from which a
    chain is not continued; None: it never ends."""

    keep: int = 0
    full_every: timedelta | None = None

    @classmethod
    def of(cls, keep: int, full_every: timedelta | None) -> "Retention":
        """A week, where old chains are deleted and nothing else was said: one chain would never be old."""
        return cls(keep, full_every or (WEEK if keep else None))


NOTHING_DELETED = Retention()


def span(text: str) -> timedelta:
    """Of `7d` or `12h`. Raises ArgumentTypeError."""
    match = SPAN.fullmatch(text)
    if match is None:
        raise ArgumentTypeError("a number followed by h or d, such as 7d")
    return int(match[1]) * UNITS[match[2]]


def chains(directory: BackupPlace) -> list[list[str]]:
    """The names in each chain, oldest first, and the oldest chain first."""
    found: dict[str, list[str]] = {}
    for name in directory.complete():
        found.setdefault(chain(directory, name)[-1], []).append(name)
    return list(found.values())


def begins_anew(directory: BackupPlace, retention: Retention, now: datetime) -> bool:
    """Whether the next backup copies everything: it would otherwise continue a chain that is old enough."""
    known = chains(directory)
    if not known or retention.full_every is None:
        return False
    try:
        first, _ = directory.manifest(known[-1][0])
    except (ManifestUnreadable, OSError):
        return False
    return now - datetime.fromisoformat(first.began_at) >= retention.full_every


def remove_old_chains(directory: BackupPlace, keep: int) -> list[str]:
    """Deletes the oldest chains until so many are left, after the newest backup was found sound; returns the
    names deleted. Raises BackupDamaged, and deletes nothing."""
    known = chains(directory)
    old = known[:-keep] if keep else []
    if not old:
        return []
    require_sound(directory, known[-1][-1])
    removed = [name for names in old for name in names]
    for names in old:
        # The newest first, and each without its manifest first: whenever this ends, no backup lacks its base.
        for name in reversed(names):
            directory.remove(name)
    return removed
