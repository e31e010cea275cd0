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

    _add_up(_command(commands, "up", "run the whole service on this machine"))
    _add_up(_command(commands, "dev", "like up, but reload code, templates and SQL files when they change"))

    warehouse = _command(commands, "warehouse", "run only the embedded warehouse")
    _add_data(warehouse)
    warehouse.add_argument(
        "--port", type=int, default=0, help="HTTP port on 127.0.0.1 (default: any free port)"
    )
    warehouse.add_argument(
        "--memory", type=int, default=2 << 30, help="memory limit in bytes (default: 2 GiB)"
    )

    web = _command(commands, "web", "run only the pages and the API")
    web.add_argument("--host", default="127.0.0.1", help="address to listen on (default: 127.0.0.1)")
    web.add_argument("--port", type=int, default=8000, help="port to listen on (default: 8000)")
    web.add_argument(
        "--ingest-only",
        action="store_true",
        help="only accept deliveries: no pages, no background jobs",
    )
    _add_tls(web)
    _add_workers(web)

    migrate = _command(commands, "migrate", "migrate the warehouse and state store to this version")
    migrate.add_argument(
        "--first-account",
        type=Path,
        metavar="DIR",
        help="create the first account if there is none, and write its credentials to DIR",
    )
    migrate.add_argument(
        "--plan",
        action="store_true",
        help="print the planned steps and how long they would take, without applying them",
    )
    migrate.add_argument(
        "--check",
        action="store_true",
        help="print what each server and the state store lack of this version, and exit with 1 if anything",
    )
    migrate.add_argument(
        "--data",
        type=Path,
        metavar="DIR",
        help="with --plan: data directory of the running service to plan for",
    )
    migrate.add_argument(
        "--users-file",
        type=Path,
        metavar="FILE",
        help="only write the warehouse users to a file, for a server where SQL can't create users",
    )

    _add_cluster(_command(commands, "cluster", "list the shards of a cluster, or move a project"))

    build = _command(commands, "build", "build all marts that are due, while the service is running")
    _add_data(build)
    build.add_argument("assets", nargs="*", metavar="ASSET", help="assets to build (default: all)")

    explain = _command(commands, "explain", "print the SQL behind a page, or the SQL of a query file")
    _add_data(explain)
    explain.add_argument("query", nargs="?", default="", metavar="QUERY", help="name of a query file")
    explain.add_argument(
        "--project", default="", help="project slug (default: the one in the address, else the first project)"
    )
    explain.add_argument(
        "--address",
        default="",
        metavar="ADDRESS",
        help="path of a page, such as /projects/shop/issues?period=24h",
    )

    budgets = _command(commands, "budgets", "check performance budgets in CI")
    of_budgets = budgets.add_subparsers(dest="what", metavar="WHAT", required=True)
    check = _command(
        of_budgets,
        "check",
        "check all budgets; exit code 0 if all are kept, 1 if any is breached, 3 if unknown",
    )
    _add_data(check)
    check.add_argument("--project", default="", help="project slug (default: the one in credentials.json)")
    check.add_argument("--format", choices=("text", "json"), default="text")
    check.add_argument("--ignore-unknown", action="store_true", help="ignore budgets whose state is unknown")

    verdict = _command(
        commands,
        "verdict",
        "compare a release with the one before; exit code 0: better or unchanged, 1: worse, 3: undecided",
    )
    _add_data(verdict)
    verdict.add_argument("release", metavar="RELEASE", help="release as set in the SDK, such as shop@2.1")
    verdict.add_argument("--project", default="", help="project slug (default: the one in credentials.json)")
    verdict.add_argument(
        "--environment", default="", help="environment (default: the one with the most page loads)"
    )
    verdict.add_argument(
        "--wait",
        type=float,
        default=0.0,
        metavar="MINUTES",
        help="wait up to this many minutes for a verdict",
    )
    verdict.add_argument("--format", choices=("text", "json"), default="text")
    verdict.add_argument(
        "--status", choices=("github", "gitlab"), help="set a commit status, using the CI job's token"
    )
    verdict.add_argument(
        "--comment",
        action="store_true",
        help="comment on the pull or merge request; later runs edit the comment",
    )
    verdict.add_argument(
        "--context",
        default="errata/verdict",
        metavar="NAME",
        help="name of the status (default: errata/verdict)",
    )
    verdict.add_argument("--commit", default="", metavar="SHA", help="full commit ID (default: the CI job's)")
    verdict.add_argument(
        "--status-required",
        action="store_true",
        help="exit with code 4 if the release isn't worse but the status or comment can't be written",
    )

    sourcemaps = _command(
        commands, "sourcemaps", "upload source maps, or explain why frames are still minified"
    )
    of_sourcemaps = sourcemaps.add_subparsers(dest="what", metavar="WHAT", required=True)
    upload = _command(of_sourcemaps, "upload", "upload the scripts and source maps of a build")
    upload.add_argument("directory", type=Path, metavar="DIR", help="directory of the build, such as dist")
    upload.add_argument(
        "--release", default="", help="release, as set in the SDK (not needed with debug IDs)"
    )
    upload.add_argument("--dist", default="", help="dist, if set in the SDK")
    upload.add_argument(
        "--url-prefix",
        default="~/",
        metavar="PREFIX",
        help="URL prefix of the files; ~ matches any host (default: ~/)",
    )
    explain = _command(
        of_sourcemaps,
        "explain",
        "explain why frames of an event are minified; exit code 0 if none are, 1 if some are",
    )
    explain.add_argument("event_id", metavar="EVENT_ID", help="ID of the event")
    for command in (upload, explain):
        _add_data(command)
        command.add_argument(
            "--project", default="", help="project slug (default: the one in credentials.json)"
        )

    importing = _command(commands, "import", "import events and issue states from Sentry")
    _add_import(importing.add_subparsers(dest="what", metavar="WHAT", required=True))

    analyst = _command(commands, "analyst", "print the URL, user and password for querying marts with SQL")
    _add_data(analyst)
    analyst.add_argument("--format", choices=("text", "json", "url", "dbt"), default="text")

    admin = _command(commands, "admin", "manage people, keys and limits, without signing in")
    of_admin = admin.add_subparsers(dest="what", metavar="WHAT", required=True)
    of_users = _command(of_admin, "users", "list users and their roles")
    add_user = _command(of_admin, "add-user", "add a user and print their password")
    add_user.add_argument("email", metavar="EMAIL", help="email address")
    add_user.add_argument("--role", choices=ROLES, default="member", help="role (default: member)")
    reset = _command(of_admin, "reset-password", "set and print a new password, and end the user's sessions")
    reset.add_argument("email", metavar="EMAIL", help="email address")
    invite = _command(of_admin, "invite", "print an invitation link")
    invite.add_argument("email", metavar="EMAIL", help="email address")
    invite.add_argument("--role", choices=ROLES, default="member", help="role (default: member)")
    regenerate = _command(
        of_admin, "regenerate-key", "print a new API key; the old one stops working immediately"
    )
    prepare = _command(
        of_admin, "prepare-key", "print the next API key, which works alongside the current one"
    )
    promote = _command(of_admin, "promote-key", "make the next API key the current one")
    create = _command(
        of_admin,
        "create-organization",
        "create an organization; print its API key and a new owner's password",
    )
    create.add_argument("name", metavar="NAME", help="name of the organization")
    create.add_argument("--owner", required=True, metavar="EMAIL", help="email address of the first owner")
    _add_data(create)
    turn_off = _command(
        of_admin,
        "turn-off-two-steps",
        "turn off two-factor authentication for a user who lost their phone and recovery codes",
    )
    turn_off.add_argument("email", metavar="EMAIL", help="email address")
    unlink = _command(
        of_admin,
        "unlink",
        "unlink a user from the sign-in provider; their next sign-in links them again by email",
    )
    unlink.add_argument("email", metavar="EMAIL", help="email address")
    limits = _command(
        of_admin, "limits", "list rate limits and their usage, or set the limit of a project or service"
    )
    limits.add_argument(
        "project", nargs="?", default="", metavar="PROJECT", help="project slug (default: list all)"
    )
    limits.add_argument(
        "--lines-per-minute", default="", metavar="N", help="new limit; none: remove the limit"
    )
    # The name before version 0.6.
    limits.add_argument("--lines-a-minute", dest="lines_per_minute", default="", help=argparse.SUPPRESS)
    limits.add_argument(
        "--service", default="", metavar="NAME", help="limit only this service of the project"
    )
    of_all = (of_users, add_user, reset, invite, turn_off, unlink, regenerate, prepare, promote, limits)
    for command in of_all:
        _add_data(command)
        command.add_argument(
            "--organization", default="", metavar="NAME", help="organization, if there are several"
        )

    _add_config(_command(commands, "config", "export, plan and apply the configuration as a YAML file"))

    backup = _command(
        commands,
        "backup",
        "back up the warehouse and state store of a running service; verify or test backups",
    )
    _add_data(backup)
    backup.add_argument(
        "words",
        nargs="*",
        metavar="[verify|drill] DIR",
        help="backup directory or s3://bucket/prefix (default: ERRATA_BACKUP_DIR); later backups are "
        "incremental. verify: exit code 1 if a backup in it can't be restored. drill: restore the last "
        "backup alongside the running service, compare their results, and remove it; exit code 1 if they "
        "differ",
    )
    backup.add_argument(
        "--scratch",
        type=Path,
        default=os.environ.get("ERRATA_BACKUP_SCRATCH") or None,
        metavar="DIR",
        help="where a drill restores to (default: the data directory)",
    )
    backup.add_argument(
        "--without-marts", action="store_true", help="leave out marts, which can be rebuilt from raw rows"
    )
    backup.add_argument(
        "--with-secret",
        action="store_true",
        help="include the secret; without it, API keys and sign-ins can't be restored",
    )

    backup.add_argument(
        "--full-every",
        type=_span,
        metavar="DURATION",
        help="make a full backup if the last one is older than this, such as 7d (default with --keep: 7d)",
    )
    backup.add_argument(
        "--keep",
        type=_count,
        default=0,
        metavar="N",
        help="keep the last N full backups and the incremental ones based on them; delete older ones after "
        "the new backup is verified",
    )

    restore = _command(commands, "restore", "restore a backup into an empty data directory or server")
    _add_data(restore)
    restore.add_argument("directory", metavar="DIR", help="backup directory, or s3://bucket/prefix")
    restore.add_argument(
        "--erasures",
        default="",
        metavar="FILE",
        help="list of erasures to reapply (default: the one of the last backup in DIR); none: reapply none",
    )
    restore.add_argument(
        "--backup", default="", metavar="NAME", help="name of the backup in DIR (default: the latest)"
    )

    health = _command(
        commands, "healthcheck", "exit with code 0 if the service is healthy; for container health checks"
    )
    _add_data(health)

    doctor = _command(
        commands, "doctor", "check this machine, the configured databases and remote pipelines; suggest fixes"
    )
    _add_data(doctor)
    bundle = _command(
        commands,
        "support-bundle",
        "write versions, findings, table sizes and logs to a file, without secrets",
    )
    _add_data(bundle)
    bundle.add_argument("file", type=Path, metavar="FILE", help="output file, such as errata-support.tar.gz")
    return parser


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, text: str
) -> argparse.ArgumentParser:
    """A command whose own help starts with its text in the list of commands."""
    return commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")


def _add_cluster(cluster: argparse.ArgumentParser) -> None:
    actions = cluster.add_subparsers(dest="action", metavar="ACTION", required=True)
    _command(actions, "shards", "list each shard with its servers and projects")
    move = _command(actions, "move", "move a project to another shard, while it is written and read")
    move.add_argument("project", metavar="PROJECT", help="slug or id of the project")
    move.add_argument("--to", type=_count, required=True, metavar="SHARD", help="number of the shard")
    confirm = _command(actions, "confirm", "delete what a moved project has left on its former shard")
    confirm.add_argument("project", metavar="PROJECT", help="slug or id of the project")


def _add_import(of_import: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    sentry = _command(
        of_import,
        "sentry",
        "import through Sentry's REST API; run it again with the same arguments to resume",
    )
    sentry.add_argument(
        "--url", required=True, metavar="URL", help="URL of Sentry, such as https://sentry.io"
    )
    sentry.add_argument("--org", required=True, metavar="SLUG", help="organization slug in Sentry")
    sentry.add_argument(
        "--token-file",
        type=Path,
        metavar="FILE",
        help="file with Sentry's auth token (default: SENTRY_AUTH_TOKEN)",
    )
    sentry.add_argument(
        "--project",
        action="append",
        default=[],
        metavar="SLUG[=HERE]",
        help="only this Sentry project, and optionally its slug here; can be repeated (default: all)",
    )
    sentry.add_argument("--create", action="store_true", help="create projects that don't exist here")
    sentry.add_argument(
        "--attachments",
        action="store_true",
        help="also import event attachments; takes a request per issue and file",
    )
    sentry.add_argument(
        "--since", type=_date, metavar="DATE", help="only events since this UTC date (default: 90 days ago)"
    )
    sentry.add_argument(
        "--progress",
        type=Path,
        metavar="DIR",
        help="directory for the import's progress (default: import-SLUG)",
    )
    sentry.add_argument("--report", type=Path, metavar="FILE", help="also write the report as JSON")
    _add_data(sentry)


def _date(text: str) -> datetime:
    try:
        return datetime.combine(date.fromisoformat(text), time(), UTC)
    except ValueError as error:
        raise argparse.ArgumentTypeError("must be a date such as 2026-11-01") from error


def _add_config(config: argparse.ArgumentParser) -> None:
    of_config = config.add_subparsers(dest="what", metavar="WHAT", required=True)
    export = _command(of_config, "export", "write the stored configuration to a file")
    plan = _command(of_config, "plan", "print what applying a file would change, without changing anything")
    apply = _command(of_config, "apply", "apply a file, one transaction per project")
    schema = _command(of_config, "schema", "print the JSON Schema of the file")
    export.add_argument(
        "file", type=Path, nargs="?", default=Path("-"), metavar="FILE", help="output file (default: print)"
    )
    for command in (plan, apply):
        command.add_argument(
            "file", type=Path, metavar="FILE", help="configuration file, such as configuration.yaml"
        )
        command.add_argument(
            "--prune",
            action="store_true",
            help="delete entries that the file's lists don't name; never deletes projects",
        )
    plan.add_argument("--check", action="store_true", help="exit code 3 if anything would change")
    apply.add_argument(
        "--secrets-file",
        type=Path,
        metavar="FILE",
        help="write new keys and passwords to a file readable only by its owner (default: print them)",
    )
    for command in (export, plan, apply, schema):
        _add_data(command)
    for command in (export, plan, apply):
        command.add_argument(
            "--organization", default="", metavar="NAME", help="organization, if there are several"
        )


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
        help="port of the warehouse on 127.0.0.1, for analysts (default: the last one used, if free)",
    )
    up.add_argument("--no-pipelines", action="store_true", help="don't run scheduled builds")
    up.add_argument(
        "--send-nothing",
        action="store_true",
        help="send no alerts, mails or webhooks and run no background jobs, for example on a restored backup",
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
        help="number of web processes, at most one per core (default: 1)",
    )


def _workers(text: str) -> int:
    if not text.isdigit() or not 1 <= int(text) <= MOST_WORKERS:
        raise argparse.ArgumentTypeError(f"must be 1 to {MOST_WORKERS}")
    return int(text)


def _add_tls(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tls-cert", type=Path, help="PEM file with the certificate chain")
    parser.add_argument("--tls-key", type=Path, help="PEM file with the private key")
