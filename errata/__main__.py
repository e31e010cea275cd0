"""The `errata` command. A subcommand imports what it needs only when chosen: `errata up` stays small."""

import argparse
import os
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from errata import __version__
from errata.errors import ErrataError

# Those of errata.state.users, whose import would take half a second of CPU.
ROLES = ("owner", "member", "viewer")


def main(arguments: list[str] | None = None) -> int:
    parser = command_line()
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help()
        return 2
    try:
        code: int = COMMANDS[chosen.command](chosen)
    except ErrataError as error:
        print(f"errata: {error}", file=sys.stderr)  # noqa: T201
        return 1
    return code


def command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="errata", description="Self-hosted error and performance monitoring."
    )
    parser.add_argument("--version", action="version", version=f"errata {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    up = commands.add_parser("up", help="run the whole service on this machine")
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
    up.add_argument(
        "--memory", type=int, default=2 << 30, help="memory limit of the warehouse in bytes (default: 2 GiB)"
    )

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

    budgets = commands.add_parser("budgets", help="check performance budgets in continuous integration")
    of_budgets = budgets.add_subparsers(dest="what", metavar="WHAT", required=True)
    check = of_budgets.add_parser("check", help="exit code 0: all kept, 1: at least one breached, 2: unknown")
    _add_data(check)
    check.add_argument("--project", default="", help="slug (default: the one in credentials.json)")
    check.add_argument("--format", choices=("text", "json"), default="text")
    check.add_argument("--ignore-unknown", action="store_true", help="ignore budgets in unknown state")

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

    analyst = commands.add_parser(
        "analyst", help="print the URL, user and password for reading marts with SQL"
    )
    _add_data(analyst)
    analyst.add_argument("--format", choices=("text", "json", "url"), default="text")

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
        help="turn off two-step sign-in for a user who lost their phone and recovery codes",
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
        type=Path,
        metavar="FILE",
        help="list of erasures to repeat (default: erasures.jsonl.gz in DIR)",
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


def _add_tls(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tls-cert", type=Path, help="certificate chain, PEM")
    parser.add_argument("--tls-key", type=Path, help="private key, PEM")


def _is_half_of_tls(chosen: argparse.Namespace) -> bool:
    if (chosen.tls_cert is None) == (chosen.tls_key is None):
        return False
    print("errata: --tls-cert and --tls-key must be used together", file=sys.stderr)  # noqa: T201
    return True


def _up(chosen: argparse.Namespace) -> int:
    from errata.up.supervisor import Options, run

    if _is_half_of_tls(chosen):
        return 2
    return run(
        Options(
            data=chosen.data,
            port=chosen.port,
            host=chosen.host,
            warehouse_port=chosen.warehouse_port,
            with_pipelines=not chosen.no_pipelines,
            with_dagster=chosen.dagster,
            tls_cert=chosen.tls_cert and chosen.tls_cert.resolve(),
            tls_key=chosen.tls_key and chosen.tls_key.resolve(),
            memory_bytes=chosen.memory,
            sends_nothing=chosen.send_nothing,
        )
    )


def _warehouse(chosen: argparse.Namespace) -> int:
    from errata.up.ports import free_port
    from errata.warehouse import listener

    port = chosen.port or free_port()
    print(f"Warehouse listening at http://127.0.0.1:{port}", flush=True)  # noqa: T201
    return listener.main(["--data", str(chosen.data), "--port", str(port), "--memory", str(chosen.memory)])


def _web(chosen: argparse.Namespace) -> int:
    from errata.up.web import INGEST, WEB, web_arguments

    if _is_half_of_tls(chosen):
        return 2
    app = INGEST if chosen.ingest_only else WEB
    arguments = web_arguments(chosen.host, chosen.port, chosen.tls_cert, chosen.tls_key, app)
    os.execv(sys.executable, [sys.executable, *arguments])


def _migrate(chosen: argparse.Namespace) -> int:
    from errata.migrate import Options, migrate_all

    if chosen.data is not None and not chosen.plan:
        print("errata: --data needs --plan; `errata up` migrates a data directory", file=sys.stderr)  # noqa: T201
        return 2
    return migrate_all(os.environ, Options(chosen.first_account, chosen.users_file, chosen.plan, chosen.data))


def _build(chosen: argparse.Namespace) -> int:
    from errata.up.builds import run_builds

    return run_builds(chosen.data, chosen.assets)


def _analyst(chosen: argparse.Namespace) -> int:
    from errata.up.analyst import print_access

    return print_access(chosen.data, chosen.format)


def _healthcheck(chosen: argparse.Namespace) -> int:
    from errata.up.healthcheck import healthcheck

    return healthcheck(chosen.data)


def _doctor(chosen: argparse.Namespace) -> int:
    from errata.doctor.examination import examine

    return examine(chosen.data, os.environ)


def _admin(chosen: argparse.Namespace) -> int:
    from errata.admin import administer

    return administer(os.environ, chosen.data, chosen)


def _support_bundle(chosen: argparse.Namespace) -> int:
    from errata.support_bundle import write_bundle

    return write_bundle(chosen.data, os.environ, chosen.file)


def _backup(chosen: argparse.Namespace) -> int:
    from errata.backup.chains import Retention
    from errata.backup.take import Options, back_up, verify

    is_verb = chosen.words[:1] in (["verify"], ["drill"])
    verb, *others = chosen.words if is_verb else ["", *chosen.words]
    directory = others[0] if others else os.environ.get("ERRATA_BACKUP_DIR", "")
    if len(others) > 1 or not directory:
        print(  # noqa: T201
            "errata: use `errata backup DIR`, `errata backup verify DIR` or `errata backup drill DIR`, "
            "or set ERRATA_BACKUP_DIR",
            file=sys.stderr,
        )
        return 2
    if verb == "verify":
        return verify(os.environ, chosen.data, directory)
    if verb == "drill":
        from errata.backup.drill import Place, drill

        return drill(directory, Place(chosen.data, chosen.scratch))
    options = Options(
        with_marts=not chosen.without_marts,
        with_secret=chosen.with_secret,
        retention=Retention.of(chosen.keep, chosen.full_every),
    )
    return back_up(os.environ, chosen.data, directory, options)


def _restore(chosen: argparse.Namespace) -> int:
    from errata.backup.restore import restore

    return restore(os.environ, chosen.directory, chosen.backup, chosen.data, chosen.erasures)


def _budgets(chosen: argparse.Namespace) -> int:
    from errata.budgets.check import check

    return check(
        os.environ, chosen.data, chosen.project, chosen.format, ignores_unknown=chosen.ignore_unknown
    )


def _sourcemaps(chosen: argparse.Namespace) -> int:
    from errata.source_maps import commands

    if chosen.what == "explain":
        return commands.explain(os.environ, chosen.data, chosen.project, chosen.event_id)
    build = commands.Build(chosen.directory, chosen.release, chosen.dist, chosen.url_prefix)
    return commands.upload(os.environ, chosen.data, chosen.project, build)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "up": _up,
    "warehouse": _warehouse,
    "web": _web,
    "migrate": _migrate,
    "build": _build,
    "budgets": _budgets,
    "sourcemaps": _sourcemaps,
    "analyst": _analyst,
    "admin": _admin,
    "backup": _backup,
    "restore": _restore,
    "doctor": _doctor,
    "healthcheck": _healthcheck,
    "support-bundle": _support_bundle,
}

if __name__ == "__main__":
    sys.exit(main())
