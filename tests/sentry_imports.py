"""The command that imports from a Sentry, run as a process of its own, and what it stored."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2

from errata.warehouse.roles import Role
from tests.sentry_server import ORGANIZATION, TOKEN
from tests.service import ROOT, Service

LONGEST_SECONDS = 600
STORED = """
select lower(replaceAll(toString(item_id), '-', '')) as event_id, count() as copy_count
from errata_raw.error_events
group by item_id
"""


@dataclass(frozen=True)
class SentryImport:
    """The same arguments at each start."""

    service: Service
    sentry_url: str
    progress: Path
    options: Sequence[str] = ()

    def start(self) -> "subprocess.Popen[str]":
        arguments = ["-m", "errata", "import", "sentry", "--url", self.sentry_url, "--org", ORGANIZATION]
        places = ["--data", str(self.service.directory), "--progress", str(self.progress), "--create"]
        return subprocess.Popen(
            [sys.executable, *arguments, *places, *self.options],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            cwd=ROOT,
            env={**os.environ, "SENTRY_AUTH_TOKEN": TOKEN, "PYTHONPATH": os.pathsep.join(sys.path)},
        )

    def complete(self) -> str:
        """What it said until it ended well."""
        process = self.start()
        said, _ = process.communicate(timeout=LONGEST_SECONDS)
        assert process.returncode == 0, said
        return said

    def killed(self, count: int, moments: random.Random, longest_seconds: float) -> int:
        """Starts it again and again, and kills it at random moments; how many of them met it at work."""
        met = 0
        for _ in range(count):
            process = self.start()
            time.sleep(moments.uniform(0.3, longest_seconds))
            met += process.poll() is None
            process.kill()
            process.communicate()
        return met


def missing(service: Service, wanted: Iterable[str]) -> set[str]:
    """Events that are not stored."""
    with closing(service.warehouse(Role.ADMIN)) as warehouse:
        return set(wanted) - {str(row["event_id"]) for row in warehouse.rows(STORED)}


def stored_again(service: Service) -> int:
    """Rows of events beyond the first: a batch that was sent again, since its sender was killed."""
    with closing(service.warehouse(Role.ADMIN)) as warehouse:
        return sum(int(row["copy_count"]) - 1 for row in warehouse.rows(STORED))


def issues_of(service: Service, slug: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = asked(service, f"/api/projects/{slug}/issues?period=104w&limit=200")[
        "issues"
    ]
    return found


def asked(service: Service, path: str) -> dict[str, Any]:
    answer = httpx2.get(
        f"{service.credentials['base_url']}{path}",
        headers={"Authorization": f"Bearer {service.credentials['api_key']}"},
        timeout=60,
    )
    answer.raise_for_status()
    told: dict[str, Any] = answer.json()
    return told
