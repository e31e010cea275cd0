"""All that the doctor looks at: this machine, what the environment's settings lead to, the data directory."""

import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from errata.doctor import backups, data, machine, service, warehouses
from errata.doctor.finding import Finding
from errata.doctor.state_store import StateStore
from errata.former_names import ignored_variables
from errata.settings import CoreSettings, unknown_variables
from errata.up.data_directory import DataDirectory

STATE, BUILDS, PROXIES = "ERRATA_STATE_URL", "ERRATA_BUILDS", "ERRATA_TRUSTED_PROXIES"
SPOOL = "ERRATA_API_SPOOL_PATH"
# Pipelines start last, and note that they are alive half a minute later.
STARTING_SECONDS = 120


def examine(data: Path, environ: Mapping[str, str]) -> int:
    """Prints a line a finding; 0 when nothing is wrong, else 1."""
    is_well = True
    for finding in findings(DataDirectory(data.resolve()), environ):
        mark = "WRONG" if finding.remedy else "ok   "
        print(f"{mark} {finding.subject}: {finding.said}")  # noqa: T201
        if finding.remedy:
            print(f"      → {finding.remedy}", flush=True)  # noqa: T201
            is_well = False
    return 0 if is_well else 1


def findings(directory: DataDirectory, environ: Mapping[str, str]) -> Iterator[Finding]:
    yield from machine.versions()
    yield from machine.ports()
    yield from _typos(environ)
    yield from _uvicorns(environ)
    yield from warehouses.findings(environ)
    if warehouses.are_set(environ):
        yield _spool(environ)
    if environ.get(STATE):
        yield from StateStore(
            STATE, environ[STATE], warehouses.MIGRATE, _builds(environ), backups=backups.expected_of(environ)
        ).findings()
    # A host of the web or the pipelines alone has no data directory.
    if data.is_there(directory) or not (warehouses.are_set(environ) or environ.get(STATE)):
        yield from _installation(directory, environ)


def _installation(directory: DataDirectory, environ: Mapping[str, str]) -> Iterator[Finding]:
    yield from data.findings(directory)
    holder = directory.holder() if data.is_usable(directory) else ""
    health = service.health_of(holder) if holder else {}
    if holder:
        yield from service.findings(directory, holder, health)
        yield from _proxy(service.address_of(holder), environ)
    else:
        yield Finding("service", "not running")
        yield machine.engine_starts()
    # Without its file, a service that runs has lost it.
    has_store = bool(holder) or directory.has_state
    if data.is_usable(directory) and has_store and not environ.get(STATE):
        is_running = bool(holder) and not directory.was_held_within(STARTING_SECONDS)
        checked = health.get("checks", {}).get("pipelines", "failing")
        yield from StateStore(
            "state store",
            directory.state_url,
            migrate="",
            has_pipelines=checked in ("ok", "failing"),
            idle_host="" if is_running else socket.gethostname(),
            backups=backups.expected_of(environ),
        ).findings()


def _spool(environ: Mapping[str, str]) -> Finding:
    if path := environ.get(SPOOL):
        return Finding(SPOOL, path)
    return Finding(SPOOL, "not set: a web node on this host responds 503 to events that SDKs send by DSN")


def _typos(environ: Mapping[str, str]) -> Iterator[Finding]:
    for variable in unknown_variables(CoreSettings, environ):
        yield Finding(variable, "unknown setting", "Correct the name, or unset it; see docs/settings.md")
    for variable, remedy in ignored_variables(environ):
        yield Finding(variable, "is ignored", remedy)


def _uvicorns(environ: Mapping[str, str]) -> Iterator[Finding]:
    if environ.get("FORWARDED_ALLOW_IPS"):
        yield Finding("FORWARDED_ALLOW_IPS", "has no effect", f"List the proxies in {PROXIES}")


def _proxy(address: str, environ: Mapping[str, str]) -> Iterator[Finding]:
    """TLS that the service doesn't end itself is ended by a proxy."""
    if not address.startswith("http://") or not environ.get("ERRATA_BASE_URL", "").startswith("https://"):
        return
    if environ.get(PROXIES):
        yield Finding("proxy", f"trusted at {environ[PROXIES]}")
    else:
        said = (
            "ERRATA_BASE_URL is HTTPS, but no proxy is trusted: all requests appear to come from one address"
        )
        yield Finding("proxy", said, f"List the proxy in {PROXIES}; see docs/security.md")


def _builds(environ: Mapping[str, str]) -> bool:
    try:
        return TypeAdapter(bool).validate_python(environ.get(BUILDS, "true"))
    except ValidationError:
        return True
