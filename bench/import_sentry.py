"""An import of a Sentry that is killed at random moments: nothing lost, nothing doubled.

    python -m bench.import_sentry --events 10000 --kills 50

The events are recorded ones, again and again, each with an id of its own; the Sentry answers as its
documentation says, refuses every third request for its rate, and fails every fifth.
"""

import argparse
import json
import random
import tempfile
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

from bench.figures import figure
from tests.sentry_imports import SentryImport, issues_of, missing, stored_again
from tests.sentry_server import SentryServer, often_interrupted, recorded_occurrences, running_sentry
from tests.service import running

SOURCES = {"shop": ["python_errors"], "web": ["javascript_errors", "browser_error_events"]}
SPAN = timedelta(days=60)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--events", type=int, default=10_000)
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--longest-seconds", type=float, default=6.0, help="between a start and its kill")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    until = datetime.now(UTC)
    count = chosen.events // len(SOURCES)
    occurrences = {slug: recorded_occurrences(names, count, until, SPAN) for slug, names in SOURCES.items()}
    server = SentryServer(occurrences, interruption=often_interrupted)
    with (
        tempfile.TemporaryDirectory(prefix="errata-import-") as made,
        running("--no-pipelines") as service,
        running_sentry(server) as http,
    ):
        file = Path(made) / "report.json"
        command = SentryImport(service, http.url, Path(made) / "progress", ["--report", str(file)])
        began = time.monotonic()
        met = command.killed(chosen.kills, random.Random(chosen.seed), chosen.longest_seconds)
        command.complete()
        seconds = time.monotonic() - began
        told = json.loads(file.read_text())["projects"]
        wanted = [each.payload["event_id"] for found in occurrences.values() for each in found]
        lost, again = len(missing(service, wanted)), stored_again(service)
        counted = sum(issue["event_count"] for slug in SOURCES for issue in issues_of(service, slug))
    doubled = counted - (len(wanted) - lost)
    kills = {"kills": chosen.kills, "met_at_work": met, "seconds": round(seconds, 1)}
    figure("import_sentry_lost", lost, "events", events=len(wanted), **kills)
    figure("import_sentry_doubled", doubled, "events", sent_again=again, requests=server.request_count)
    for project in told:
        differing = {name: len(project[name]) for name in ("split", "merged")}
        kept = {name: project[name] for name in ("project", "found_count", "missing_count", "same_count")}
        figure("import_sentry_accepted", project["accepted_count"], "events", **kept, **differing)


if __name__ == "__main__":
    main()
