"""The arguments of the `errata` command."""

import argparse
import os
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path

from errata import __version__

# Those of errata.state.users, whose import would take half a second of CPU.
ROLES = ("owner", "member", "viewer")
MOST_WORKERS = 64


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="errata", description="Self-hosted error and performance monitoring."
    )
    parser.add_argument("--version", action="version", version=f"errata {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    _add_up(commands.add_parser("up", help="run the whole service on this machine"))
    _add_up(commands.add_parser("dev", help="as up, and load changed code, templates and SQL files anew"))

    warehouse = commands.add_parser("warehouse", help="run only the embedded warehouse")
    _add_data(warehouse)
    warehouse.add_argument(
        "--port", type=int, default=0, help="HTTP port on 127.0.0.1 (default: any free port)"
    )
    warehouse.add_argument(
        "--memory", type=int, default=2 << 30, help="memory limit in bytes (default: 2 GiB)"
    )

    web = commands.add_parser("web", help="run only the pages and the API")
    web.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    web.add_argument("--port", type=int, default=8000, help="port (default: 8000)")
    web.add_argument(
        "--ingest-only",
        action="store_true",
        help="only accept deliveries: no pages, no background jobs",
    )
    _add_tls(web)
    _add_workers(web)

    migrate = commands.add_parser("migrate", help="migrate the warehouse and state store to this version")
    migrate.add_argument(
        "--first-account", type=Path, metavar="DIR", help="create the first account if there is none"
    )
    migrate.add_argument(
        "--plan",
        action="store_true",
        help="print what would be done and how long it would take; change nothing",
    )
    migrate.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="with --plan: plan for the running service of a data directory",
    )
    migrate.add_argument(
        "--users-file",
        type=Path,
        metavar="FILE",
        help="only write the warehouse's users to a file, for a server that takes none by SQL",
    )

    build = commands.add_parser("build", help="materialize everything due now, alongside a running service")
    _add_data(build)
    build.add_argument("assets", nargs="*", metavar="ASSET", help="assets to build (default: all)")

    explain = commands.add_parser("explain", help="print the SQL statements of a page or of a query file")
    _add_data(explain)
    explain.add_argument("query", nargs="?", default="", metavar="QUERY", help="name of a query file")
    explain.add_argument("--project", default="", help="slug (default: that of the address, or the first)")
    explain.add_argument(
        "--address", default="", metavar="ADDRESS", help="a page, such as /projects/shop/issues?period=24h"
    )

    budgets = commands.add_parser("budgets", help="check performance budgets in continuous integration")
    of_budgets = budgets.add_subparsers(dest="what", metavar="WHAT", required=True)
    check = of_budgets.add_parser("check", help="exit code 0: all kept, 1: at least one breached, 3: unknown")
    _add_data(check)
    check.add_argument("--project", default="", help="slug (default: the one in credentials.json)")
    check.add_argument("--format", choices=("text", "json"), default="text")
    check.add_argument("--ignore-unknown", action="store_true", help="ignore budgets in unknown state")

    verdict = commands.add_parser(
        "verdict", help="exit code 0: a release is not worse than the one before, 1: it is, 3: can't tell yet"
    )
    _add_data(verdict)
    verdict.add_argument("release", metavar="RELEASE", help="as set in the SDK, such as shop@2.1")
    verdict.add_argument("--project", default="", help="slug (default: the one in credentials.json)")
    verdict.add_argument("--environment", default="", help="(default: that of most page loads)")
    verdict.add_argument(
        "--wait", type=float, default=0.0, metavar="MINUTES", help="go on asking until a verdict is reached"
    )
    verdict.add_argument("--format", choices=("text", "json"), default="text")
    verdict.add_argument(
        "--status", choices=("github", "gitlab"), help="set a status on the commit, with the CI job's token"
    )
    verdict.add_argument(
        "--comment",
        action="store_true",
        help="comment on the pull or merge request, once; edit it afterwards",
    )
    verdict.add_argument(
        "--context", default="errata/verdict", metavar="NAME", help="of the status (default: errata/verdict)"
    )
    verdict.add_argument("--commit", default="", metavar="SHA", help="full ID (default: that of the CI job)")
    verdict.add_argument(
        "--status-required",
        action="store_true",
        help="exit code 4 where the release is not worse but the status or comment can't be written",
    )

    sourcemaps = commands.add_parser(
        "sourcemaps", help="upload source maps, or explain why frames stay minified"
    )
    of_sourcemaps = sourcemaps.add_subparsers(dest="what", metavar="WHAT", required=True)
    upload = of_sourcemaps.add_parser("upload", help="upload the scripts and source maps of a build")
    upload.add_argument("directory", type=Path, metavar="DIR", help="folder of the build, such as dist")
    upload.add_argument(
        "--release", default="", help="release, as set in the SDK (not needed with debug IDs)"
    )
    upload.add_argument("--dist", default="", help="dist, if one is set in the SDK")
    upload.add_argument(
        "--url-prefix",
        default="~/",
        metavar="PREFIX",
        help="what stands before the files' paths in URLs; ~ is any host (default: ~/)",
    )
    explain = of_sourcemaps.add_parser(
        "explain", help="exit code 0: all frames of an event are original ones, 1: some are minified"
    )
    explain.add_argument("event_id", metavar="EVENT_ID")
    for command in (upload, explain):
        _add_data(command)
        command.add_argument("--project", default="", help="slug (default: the one in credentials.json)")

    importing = commands.add_parser("import", help="bring events and states of issues over from a Sentry")
    _add_import(importing.add_subparsers(dest="what", metavar="WHAT", required=True))

    analyst = commands.add_parser(
        "analyst", help="print the URL, user and password for reading marts with SQL"
    )
    _add_data(analyst)
    analyst.add_argument("--format", choices=("text", "json", "url", "dbt"), default="text")

    admin = commands.add_parser("admin", help="manage people, keys and limits, without signing in")
    of_admin = admin.add_subparsers(dest="what", metavar="WHAT", required=True)
    of_users = of_admin.add_parser("users", help="list users and their roles")
    add_user = of_admin.add_parser("add-user", help="add a user, and print their password")
    add_user.add_argument("email", metavar="EMAIL")
    add_user.add_argument("--role", choices=ROLES, default="member", help="default: member")
    reset = of_admin.add_parser("reset-password", help="print a new password, and end the user's sessions")
    reset.add_argument("email", metavar="EMAIL")
    invite = of_admin.add_parser("invite", help="print a link by which someone joins")
    invite.add_argument("email", metavar="EMAIL")
    invite.add_argument("--role", choices=ROLES, default="member", help="default: member")
    regenerate = of_admin.add_parser("regenerate-key", help="print a new API key; the old one is refused")
    prepare = of_admin.add_parser(
        "prepare-key", help="print the next API key, which works beside the current one"
    )
    promote = of_admin.add_parser("promote-key", help="make the next API key the current one")
    create = of_admin.add_parser("create-organization", help="create an organization, and print its API key")
    create.add_argument("name", metavar="NAME")
    create.add_argument("--owner", required=True, metavar="EMAIL", help="the first owner")
    _add_data(create)
    turn_off = of_admin.add_parser(
        "turn-off-two-steps",
        help="turn off two-factor authentication for a user who lost their phone and recovery codes",
    )
    turn_off.add_argument("email", metavar="EMAIL")
    unlink = of_admin.add_parser(
        "unlink",
        help="unlink a user from the sign-in provider; their next sign-in links them again by email",
    )
    unlink.add_argument("email", metavar="EMAIL")
    limits = of_admin.add_parser(
        "limits", help="list limits of lines with their use, or change that of a project or service"
    )
    limits.add_argument("project", nargs="?", default="", metavar="PROJECT", help="slug (default: list all)")
    limits.add_argument(
        "--lines-a-minute", default="", metavar="N", help="the new limit; none: no limit of its own"
    )
    limits.add_argument("--service", default="", metavar="NAME", help="only this service of the project")
    of_all = (of_users, add_user, reset, invite, turn_off, unlink, regenerate, prepare, promote, limits)
    for command in of_all:
        _add_data(command)
        command.add_argument("--organization", default="", metavar="NAME", help="if there are several")

    _add_config(commands.add_parser("config", help="export, plan and apply the configuration as a YAML file"))

    backup = commands.add_parser(
        "backup", help="back up the warehouse and state store of a running service; verify or test backups"
    )
    _add_data(backup)
    backup.add_argument(
        "words",
        nargs="*",
        metavar="[verify|drill] DIR",
        help="backup directory or s3://bucket/prefix (default: ERRATA_BACKUP_DIR); later backups copy only "
        "what is new. verify: exit code 1 if a backup in it can't be restored. drill: restore the last "
        "backup beside the running service, compare their results, and remove it; exit code 1 if they differ",
    )
    backup.add_argument(
        "--scratch",
        type=Path,
        default=os.environ.get("ERRATA_BACKUP_SCRATCH") or None,
        metavar="DIR",
        help="where a drill restores to (default: the data directory)",
    )
    backup.add_argument(
        "--without-marts", action="store_true", help="leave out what builds make from raw rows"
    )
    backup.add_argument(
        "--with-secret",
        action="store_true",
        help="include the secret, without which API keys and sign-ins are lost",
    )

    backup.add_argument(
        "--full-every",
        type=_span,
        metavar="SPAN",
        help="make a full copy if the last one is older than this, such as 7d (default with --keep: 7d)",
    )
    backup.add_argument(
        "--keep",
        type=_count,
        default=0,
        metavar="N",
        help="keep the last N full copies and the backups that build on them; delete older ones after the "
        "new backup is verified",
    )

    restore = commands.add_parser("restore", help="restore a backup into an empty data directory or server")
    _add_data(restore)
    restore.add_argument("directory", metavar="DIR", help="backup directory, or s3://bucket/prefix")
    restore.add_argument(
        "--erasures",
        default="",
        metavar="FILE",
        help="list of erasures to repeat (default: that of the last backup in DIR); none: repeat no erasures",
    )
    restore.add_argument(
        "--backup", default="", metavar="NAME", help="one of its folders (default: the last)"
    )

    health = commands.add_parser(
        "healthcheck", help="exit code 0 if the service on a data directory is healthy, for containers"
    )
    _add_data(health)

    doctor = commands.add_parser("doctor", help="find problems and how to fix them")
    _add_data(doctor)
    bundle = commands.add_parser(
        "support-bundle", help="write versions, findings, table sizes and logs to a file, without secrets"
    )
    _add_data(bundle)
    bundle.add_argument("file", type=Path, metavar="FILE", help="such as errata-support.tar.gz")
    return parser


def _add_import(of_import: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    sentry = of_import.add_parser(
        "sentry", help="by Sentry's REST API; started again with the same arguments, it goes on"
    )
    sentry.add_argument("--url", required=True, metavar="URL", help="such as https://sentry.io")
    sentry.add_argument("--org", required=True, metavar="SLUG", help="Sentry's organization")
    sentry.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="holds Sentry's token (default: that in SENTRY_AUTH_TOKEN)",
    )
    sentry.add_argument(
        "--project",
        action="append",
        default=[],
        metavar="SLUG[=HERE]",
        help="only this project of Sentry, and its slug here; can be repeated (default: all, by their slugs)",
    )
    sentry.add_argument("--create", action="store_true", help="create projects that don't exist here")
    sentry.add_argument(
        "--attachments", action="store_true", help="also files of events: a request for each issue and file"
    )
    sentry.add_argument(
        "--since", type=_date, metavar="DATE", help="only events from this UTC day on (default: 90 days ago)"
    )
    sentry.add_argument(
        "--progress", type=Path, metavar="DIR", help="folder that says how far it is (default: import-SLUG)"
    )
    sentry.add_argument("--report", type=Path, metavar="FILE", help="also write the report as JSON")
    _add_data(sentry)


def _date(text: str) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError as error:
        raise argparse.ArgumentTypeError("a day such as 2026-11-01") from error


def _add_config(config: argparse.ArgumentParser) -> None:
    of_config = config.add_subparsers(dest="what", metavar="WHAT", required=True)
    export = of_config.add_parser("export", help="write the stored configuration to a file")
    plan = of_config.add_parser("plan", help="print what applying a file would change; change nothing")
    apply = of_config.add_parser("apply", help="change what differs from a file, each project at once")
    schema = of_config.add_parser("schema", help="print the JSON Schema of the file")
    export.add_argument(
        "file", type=Path, nargs="?", default=Path("-"), metavar="FILE", help="(default: print)"
    )
    for command in (plan, apply):
        command.add_argument("file", type=Path, metavar="FILE", help="such as configuration.yaml")
        command.add_argument(
            "--prune",
            action="store_true",
            help="delete what the file's lists don't name; never projects, which have data",
        )
    plan.add_argument("--check", action="store_true", help="exit code 3 if anything would change")
    apply.add_argument(
        "--secrets-file",
        type=Path,
        metavar="FILE",
        help="write new keys and passwords to a file that only its owner can read (default: print)",
    )
    for command in (export, plan, apply, schema):
        _add_data(command)
    for command in (export, plan, apply):
        command.add_argument("--organization", default="", metavar="NAME", help="if there are several")


def _span(text: str) -> timedelta:
    from errata.backup.chains import span

    return span(text)


def _count(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError("must be a whole number of at least 1")
    return int(text)


def _add_data(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--data",
        type=Path,
        default=Path(os.environ.get("ERRATA_DATA", ".errata")),
        help="data directory (default: .errata)",
    )


def _add_up(up: argparse.ArgumentParser) -> None:
    _add_data(up)
    up.add_argument(
        "--port", type=int, default=0, help="port of the pages and the API (default: any free port)"
    )
    up.add_argument(
        "--host", default="127.0.0.1", help="address of the pages and the API (default: 127.0.0.1)"
    )
    up.add_argument(
        "--warehouse-port",
        type=int,
        default=0,
        help="port of the warehouse on 127.0.0.1, for analysts (default: the last one if free)",
    )
    up.add_argument("--no-pipelines", action="store_true", help="don't run scheduled builds")
    up.add_argument(
        "--send-nothing",
        action="store_true",
        help="send no alerts, mails or webhooks and run no background jobs, as for a restored backup",
    )
    up.add_argument("--dagster", action="store_true", help="also run Dagster's web interface")
    _add_tls(up)
    _add_workers(up)
    up.add_argument(
        "--memory", type=int, default=2 << 30, help="memory limit of the warehouse in bytes (default: 2 GiB)"
    )


def _add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers",
        type=_workers,
        default=1,
        metavar="N",
        help="web processes, as many as cores at most (default: 1)",
    )


def _workers(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"1 to {MOST_WORKERS}")
    return int(text)


def _add_tls(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tls-cert", type=Path, help="certificate chain, PEM")
    parser.add_argument("--tls-key", type=Path, help="private key, PEM")
