"""The `errata` command. A subcommand imports what it needs only when chosen: `errata up` stays small."""

import argparse
import os
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from errata.command_line import command_line
from errata.endings import reported
from errata.errors import ErrataError


def main(arguments: list[str] | None = None) -> int:
    parser = command_line()
    chosen = parser.parse_args(arguments)
    if chosen.command is None:
        parser.print_help()
        return 2
    try:
        code: int = COMMANDS[chosen.command](chosen)
    except ErrataError as error:
        return reported(error)
    return code


def _is_half_of_tls(chosen: argparse.Namespace) -> bool:
    if (chosen.tls_cert is None) == (chosen.tls_key is None):
        return False
    print("errata: --tls-cert and --tls-key must be used together", file=sys.stderr)  # noqa: T201
    return True


def _up(chosen: argparse.Namespace) -> int:
    from errata.process_log.log_format import log_format
    from errata.up.supervisor import Options, run

    if _is_half_of_tls(chosen):
        return 2
    if chosen.command == "dev" and chosen.workers > 1:
        print("errata: dev runs a single web process; omit --workers", file=sys.stderr)  # noqa: T201
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
            workers=chosen.workers,
            reloads=chosen.command == "dev",
            logs=log_format(os.environ),
        )
    )


def _warehouse(chosen: argparse.Namespace) -> int:
    from errata.up.ports import free_port, require_free
    from errata.warehouse import listener

    port = chosen.port or free_port()
    require_free(port)
    print(f"Warehouse listening at http://127.0.0.1:{port}", flush=True)  # noqa: T201
    return listener.main(["--data", str(chosen.data), "--port", str(port), "--memory", str(chosen.memory)])


def _web(chosen: argparse.Namespace) -> int:
    from errata.process_log.log_format import log_format
    from errata.up.ports import require_free
    from errata.up.web import INGEST, WEB, require_certificate, web_arguments

    if _is_half_of_tls(chosen):
        return 2
    require_free(chosen.port, chosen.host)
    require_certificate(chosen.tls_cert, chosen.tls_key)
    app = INGEST if chosen.ingest_only else WEB
    tls = chosen.tls_cert, chosen.tls_key
    logs = log_format(os.environ)
    arguments = web_arguments(chosen.host, chosen.port, *tls, app, chosen.workers, logs=logs)
    os.execv(sys.executable, [sys.executable, *arguments])


def _cluster(chosen: argparse.Namespace) -> int:
    from errata.cluster.command import Chosen, cluster

    named = {name: getattr(chosen, name) for name in ("project", "to") if name in chosen}
    return cluster(os.environ, Chosen(chosen.action, **named))


def _migrate(chosen: argparse.Namespace) -> int:
    from errata.migrate import Options, migrate_all

    if chosen.data is not None and not chosen.plan:
        print(("errata: --data needs --plan; `errata up` migrates a data directory"), file=sys.stderr)  # noqa: T201
        return 2
    options = Options(chosen.first_account, chosen.users_file, chosen.plan, chosen.check, chosen.data)
    return migrate_all(os.environ, options)


def _build(chosen: argparse.Namespace) -> int:
    from errata.up.builds import run_builds

    return run_builds(chosen.data, chosen.assets)


def _explain(chosen: argparse.Namespace) -> int:
    from errata.up.explain import explain

    if not chosen.query and not chosen.address:
        print(("errata: use `errata explain QUERY` or `errata explain --address ADDRESS`"), file=sys.stderr)  # noqa: T201
        return 2
    return explain(chosen.data, chosen.query, chosen.project, chosen.address)


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


def _config(chosen: argparse.Namespace) -> int:
    from errata.configuration.command import configure

    return configure(os.environ, chosen.data, chosen)


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


def _verdict(chosen: argparse.Namespace) -> int:
    from errata.release_gate.publish import Publication, is_context
    from errata.release_verdict import Question, verdict

    if chosen.comment and not chosen.status:
        print("errata: --comment needs --status", file=sys.stderr)  # noqa: T201
        return 2
    if not is_context(chosen.context):
        print(("errata: --context takes letters, digits, spaces, ., _, / and single -"), file=sys.stderr)  # noqa: T201
        return 2
    question = Question(chosen.project, chosen.release, chosen.environment, 60 * chosen.wait)
    publication = None
    if chosen.status:
        publication = Publication(
            chosen.status, chosen.context, chosen.commit, chosen.comment, chosen.status_required
        )
    return verdict(os.environ, chosen.data, question, chosen.format, publication)


def _sourcemaps(chosen: argparse.Namespace) -> int:
    from errata.source_maps import commands

    if chosen.what == "explain":
        return commands.explain(os.environ, chosen.data, chosen.project, chosen.event_id)
    build = commands.Build(chosen.directory, chosen.release, chosen.dist, chosen.url_prefix)
    return commands.upload(os.environ, chosen.data, chosen.project, build)


def _import(chosen: argparse.Namespace) -> int:
    from errata.importing.command import Options, import_sentry

    options = Options(
        url=chosen.url,
        organization=chosen.org,
        projects=chosen.project,
        since=chosen.since,
        token_file=chosen.token_file,
        creates=chosen.create,
        with_attachments=chosen.attachments,
        progress=chosen.progress or Path(f"import-{quote(chosen.org, safe='')}"),
        report=chosen.report,
    )
    return import_sentry(os.environ, chosen.data, options)


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "up": _up,
    "dev": _up,
    "warehouse": _warehouse,
    "web": _web,
    "migrate": _migrate,
    "cluster": _cluster,
    "build": _build,
    "explain": _explain,
    "budgets": _budgets,
    "verdict": _verdict,
    "sourcemaps": _sourcemaps,
    "import": _import,
    "analyst": _analyst,
    "admin": _admin,
    "config": _config,
    "backup": _backup,
    "restore": _restore,
    "doctor": _doctor,
    "healthcheck": _healthcheck,
    "support-bundle": _support_bundle,
}

if __name__ == "__main__":
    sys.exit(main())
