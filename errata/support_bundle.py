"""`errata support-bundle`: what somebody needs who helps with a service, in one file, without secrets."""

import importlib.metadata
import io
import json
import os
import platform
import re
import sys
import tarfile
from collections.abc import Collection, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import unquote

from errata import __version__
from errata.doctor.examination import findings
from errata.errors import ErrataError
from errata.scrubbing import FILTERED, without_secrets
from errata.up.builds import ServiceNotRunning, build_url
from errata.up.data_directory import DataDirectory
from errata.warehouse import sql
from errata.warehouse.client import QueryFailed, Warehouse, WarehouseUnavailable
from errata.warehouse.roles import known_passwords

PREFIX = "ERRATA_"
# Of each log: enough for the last failures, and the whole file stays small enough for a mail.
LOG_BYTES = 200_000
# Some mail servers take a token as the user.
IS_SECRET = re.compile(r"SECRET|PASSWORD|KEY|TOKEN|MAIL_USER")
# Also of a password whose slashes or at signs should have been encoded.
IN_URL = re.compile(r"\A(?P<scheme>[\w+.-]{1,60}+://)[^:/@]*+:?(?P<password>.*)@")
# Of backups in object storage; not ours to name.
OTHER_SECRETS = ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
# Shorter values are words that stand anywhere.
SHORTEST_SECRET = 6


class BundleExists(ErrataError):
    code = "bundle_exists"

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} exists already: choose another name")


def write_bundle(data: Path, environ: Mapping[str, str], path: Path) -> int:
    """Writes the file, which only its owner can read, and prints what is in it. Raises BundleExists."""
    directory = DataDirectory(data.resolve())
    secrets = _secrets(directory, environ)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise BundleExists(path) from error
    with os.fdopen(descriptor, "wb") as file, tarfile.open(fileobj=file, mode="w:gz") as bundle:
        for name, text in _contents(directory, environ):
            content = _without(text, secrets).encode()
            entry = tarfile.TarInfo(f"errata-support/{name}")
            entry.size = len(content)
            bundle.addfile(entry, io.BytesIO(content))
            print(f"{name}: {len(content):,} bytes")  # noqa: T201
    print(f"Wrote {path}. Read it before you pass it on: logs may name hosts, addresses and people.")  # noqa: T201
    return 0


def _contents(directory: DataDirectory, environ: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield (
        "doctor.txt",
        "".join(
            f"{'WRONG' if each.remedy else 'ok   '} {each.subject}: {each.said}\n"
            for each in findings(directory, environ)
        ),
    )
    yield "versions.txt", _versions()
    yield "settings.txt", _settings(environ)
    yield "tables.json", _tables(directory, environ)
    logs = sorted(directory.run.rglob("*.log")) if directory.run.is_dir() else []
    for log in logs:
        yield f"logs/{'-'.join(log.relative_to(directory.run).parts)}", _end_of(log)


def _versions() -> str:
    installed = sorted(
        {f"{each.name} {each.version}" for each in importlib.metadata.distributions()}, key=str.casefold
    )
    head = [f"errata {__version__}", f"python {sys.version}", f"platform {platform.platform()}"]
    return "\n".join([*head, "", *installed, ""])


def _settings(environ: Mapping[str, str]) -> str:
    return "".join(
        f"{name}={_shown(name, environ[name])}\n" for name in sorted(environ) if name.startswith(PREFIX)
    )


def _shown(name: str, value: str) -> str:
    if IS_SECRET.search(name):
        return FILTERED
    return IN_URL.sub(rf"\g<scheme>{FILTERED}@", value)


def _tables(directory: DataDirectory, environ: Mapping[str, str]) -> str:
    try:
        url = environ.get("ERRATA_WAREHOUSE_BUILD_URL") or build_url(directory.path)
        with closing(Warehouse(url)) as warehouse:
            rows = warehouse.rows(sql.build_statement("stored_tables"))
    except (ServiceNotRunning, WarehouseUnavailable, QueryFailed, ValueError) as error:
        return json.dumps({"error": str(error)})
    return json.dumps(rows, indent=1)


def _end_of(log: Path) -> str:
    with log.open("rb") as file:
        size = file.seek(0, io.SEEK_END)
        file.seek(max(0, size - LOG_BYTES))
        text = file.read().decode(errors="replace")
    # The first line may have lost its begin, by which a secret is recognized.
    return text if size <= LOG_BYTES else text.partition("\n")[2]


def _secrets(directory: DataDirectory, environ: Mapping[str, str]) -> Collection[str]:
    """All that the service's own files and settings keep secret; those that hold others first."""
    found = {value for name, value in environ.items() if name.startswith(PREFIX) and IS_SECRET.search(name)}
    ours = (value for name, value in environ.items() if name.startswith(PREFIX))
    for value in (*ours, directory.state_url):
        if login := IN_URL.search(value):
            found |= {login["password"], unquote(login["password"])}
    found |= {environ.get(name, "") for name in OTHER_SECRETS}
    found |= set(known_passwords(directory.warehouse_passwords_path).values())
    known = directory.credentials()
    found |= {str(known.get(name, "")) for name in ("api_key", "app_key", "password")}
    if (secret := directory.secret_path).exists():
        found.add(secret.read_text().strip())
    return sorted((each for each in found if len(each) >= SHORTEST_SECRET), key=len, reverse=True)


def _without(text: str, secrets: Collection[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, FILTERED)
    return "\n".join(without_secrets(line) for line in text.split("\n"))
