"""`errata import sentry`: brings events and decisions about issues over from a Sentry."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from errata.importing.destination import Destination
from errata.importing.errors import ImportRefused
from errata.importing.progress import DONE, Progress, opened
from errata.importing.project_import import ProjectImport
from errata.importing.report import ProjectReport, Report
from errata.importing.sentry import Sentry, SentryProject, Window, sentry_exchange
from errata.private_file import write_private
from errata.service_client import connection_of

TOKEN = "SENTRY_AUTH_TOKEN"
INTERRUPTED = 130
# Sentry keeps events no longer, unless its administrator changed that; nor does this service.
DEFAULT_SPAN = timedelta(days=90)


@dataclass(frozen=True)
class Options:
    """`projects`: slugs, each alone or as `THERE=HERE`; none: all. `report`: None: only the text."""

    url: str
    organization: str
    projects: Sequence[str]
    since: datetime | None
    token_file: Path | None
    creates: bool
    with_attachments: bool
    progress: Path
    report: Path | None


def import_sentry(environ: Mapping[str, str], data: Path, options: Options) -> int:
    """0: everything is imported. Raises SentryUnusable, ServiceNotAsked or ImportRefused: the same command
    goes on from there, as it does after Ctrl-C."""
    try:
        return _import(environ, data, options)
    except OSError as error:
        raise ImportRefused(f"{error.filename or options.progress}: {error.strerror or error}") from error
    except KeyboardInterrupt:
        _say("stopped; run the same command again to resume")
        return INTERRUPTED


def _import(environ: Mapping[str, str], data: Path, options: Options) -> int:
    exchange = sentry_exchange(options.url, _token(environ, options.token_file))
    if exchange.url.startswith("http://"):
        _say("warning: --url is not https://, so the token can be read in transit")
    sentry = Sentry(exchange, options.organization)
    destination = Destination(connection_of(environ, data, ""))
    with opened(options.progress, _identity(options, destination)) as progress:
        targets = _targets(sentry, destination, options)
        report = Report(progress.identity, _imported(sentry, destination, progress, targets, options))
        print("\n".join(report.lines()))  # noqa: T201
        if options.report is not None:
            write_private(options.report, json.dumps(report.document(), indent=2) + "\n")
    return 0


def _identity(options: Options, destination: Destination) -> dict[str, str]:
    """What an import that goes on must have in common with its first start. `until` is that of the start."""
    return {
        "url": options.url.rstrip("/"),
        "organization": options.organization,
        "service": destination.url,
        "since": options.since.isoformat() if options.since else "",
        "until": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _imported(
    sentry: Sentry,
    destination: Destination,
    progress: Progress,
    targets: Sequence["Target"],
    options: Options,
) -> list[ProjectReport]:
    window, reports = _window(progress.identity), list[ProjectReport]()
    for target in targets:
        slug = target.source.slug
        project = destination.project(target.slug)
        progress.begin(slug, target.slug)
        if progress.projects[slug].target != target.slug:
            raise ImportRefused(f"{slug} went to {progress.projects[slug].target} when this import began")
        one = ProjectImport(sentry, destination, progress, window, target.source, project, _say)
        reports.append(one.run(options.with_attachments))
        progress.projects[slug].stage = DONE
        progress.save()
    return reports


def _window(identity: Mapping[str, str]) -> Window:
    until = datetime.fromisoformat(identity["until"])
    since = identity["since"]
    return Window(datetime.fromisoformat(since) if since else until - DEFAULT_SPAN, until)


@dataclass(frozen=True)
class Target:
    source: SentryProject
    slug: str


def _targets(sentry: Sentry, destination: Destination, options: Options) -> list[Target]:
    """Checked before the first event is read. Raises ImportRefused."""
    known = {project.slug: project for project in sentry.projects()}
    wanted = dict(_pair(each) for each in options.projects) or {slug: slug for slug in known}
    if missing := sorted(wanted.keys() - known.keys()):
        raise ImportRefused(f"Sentry has no project {missing[0]}")
    here = destination.slugs()
    for slug, target in wanted.items():
        if target in here:
            continue
        if not options.creates:
            raise ImportRefused(f"no project {target} here; add --create, or --project {slug}=SLUG")
        destination.create(target, known[slug].name, known[slug].platform)
    return [Target(known[slug], target) for slug, target in wanted.items()]


def _pair(text: str) -> tuple[str, str]:
    there, _, here = text.partition("=")
    return there, here or there


def _token(environ: Mapping[str, str], file: Path | None) -> str:
    if file is None:
        return environ.get(TOKEN, "").strip()
    try:
        return file.read_text().strip()
    except (OSError, ValueError) as error:
        raise ImportRefused(f"{file} can't be read") from error


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)  # noqa: T201
