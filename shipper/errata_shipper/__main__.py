import logging
import os
import select
import shutil
import sys
import sysconfig
import threading
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path

from errata_shipper.agent import Agent
from errata_shipper.client import ServerClient
from errata_shipper.clock import SystemClock
from errata_shipper.command_line import options_of
from errata_shipper.connection_test import ConnectionTest
from errata_shipper.errors import ShipperError, StoragePathUnusable
from errata_shipper.exit_code import ExitCode
from errata_shipper.key_ring import KeyRing
from errata_shipper.lock import DirectoryLock
from errata_shipper.log_file import storage_path_refused
from errata_shipper.logs import log_to_stderr
from errata_shipper.name_claim import claimed_name
from errata_shipper.rejected import FOLDER_NAME
from errata_shipper.retry import Retry, summary_of
from errata_shipper.settings import Settings, load_settings
from errata_shipper.settings_warnings import warnings_about
from errata_shipper.setup import write_configuration
from errata_shipper.source import host_name
from errata_shipper.status import status_of
from errata_shipper.status_text import json_of, text_of
from errata_shipper.storage_path import check_storage_path

log = logging.getLogger("errata_shipper")


def main(arguments: Sequence[str] | None = None) -> int:
    options = options_of(arguments)
    log_to_stderr("info", options.verbose)
    try:
        if options.action == "init":
            write_configuration(options, os.environ)
            _answer(f"{options.config} written, readable by its owner only")
        settings = load_settings(options.config, is_for_status=options.action == "status")
        log_to_stderr(settings.log_level, options.verbose or settings.verbose)
        if options.action == "status":
            return status(settings, options.json)
        for warning in warnings_about(options.config, settings):
            log.warning("%s", warning)
        match options.action:
            case "init":
                return first_test(options.config, settings)
            case "validate":
                _answer(f"{options.config} is valid")
                return ExitCode.OK
            case "test":
                return test(settings)
            case "retry-rejected":
                return retry(settings)
            case _:
                return record(options.config, settings)
    except StoragePathUnusable as error:
        log.error("%s", error.message)
        log.error("%s: %s", error.path, error.remedy)
        return error.exit_code
    except ShipperError as error:
        for line in str(error).splitlines():
            log.error("%s", line)
        return error.exit_code


def status(settings: Settings, is_json: bool) -> ExitCode:
    now = datetime.now(UTC)
    try:
        found = status_of(settings, now)
    except OSError as error:
        raise storage_path_refused(settings.storage_path, error) from error
    _answer(json_of(found) if is_json else text_of(found, now))
    return ExitCode.OK


def test(settings: Settings) -> ExitCode:
    client = _client(settings)
    exit_code = ExitCode.OK
    for finding in ConnectionTest(settings, client).findings():
        verdict = "ok" if finding.exit_code is ExitCode.OK else "failed"
        _answer(f"{verdict:<7} {finding.name:<16} {finding.detail}")
        exit_code = exit_code or finding.exit_code
    client.close()
    return exit_code


def first_test(config: Path, settings: Settings) -> ExitCode:
    """The connection test of a new configuration, and what to do next."""
    exit_code = test(settings)
    if exit_code is not ExitCode.OK:
        _answer(f"\nFix what failed, then run: {_command()} --config {config} --test")
        return exit_code
    _answer(f"\nTo deliver events, run: {_command()} --config {config} --record")
    unit = Path(sysconfig.get_path("data"), "share/errata-shipper/errata-shipper.service")
    if unit.exists():
        _answer(f"To run it as a service, copy {unit} to /etc/systemd/system and follow its first lines")
    return exit_code


def _command() -> str:
    """What starts the shipper again: its path, unless the shell finds it by its name."""
    name, path = "errata-shipper", sys.argv[0]
    return path if path.endswith(f"/{name}") and shutil.which(name) != path else name


def retry(settings: Settings) -> ExitCode:
    clock = SystemClock()
    clock.stop_on_signals()
    client = _client(settings)
    try:
        check_storage_path(settings.storage_path)
        tally = Retry(settings, client, clock).run()
    except OSError as error:
        raise storage_path_refused(settings.storage_path, error) from error
    finally:
        client.close()
    _answer(summary_of(tally, settings.storage_path / FOLDER_NAME))
    return tally.exit_code


def record(config: Path, settings: Settings) -> ExitCode:
    client = _client(settings)
    keys = KeyRing(config, settings, client)
    keys.read_on_hangup()
    check_storage_path(settings.storage_path)
    clock = SystemClock()
    clock.stop_on_signals()
    threading.Thread(target=_end_late_stop, args=(clock, settings.timeout_seconds + 1), daemon=True).start()
    try:
        with (
            DirectoryLock(settings.storage_path) as lock,
            claimed_name(host_name(settings.instance), settings.base_url),
            _intake(settings, clock, keys),
        ):
            Agent(settings, client, clock, keys=keys, lock=lock).run()
    except OSError as error:
        raise storage_path_refused(settings.storage_path, error) from error
    finally:
        client.close()
    return ExitCode.OK


def _intake(settings: Settings, clock: SystemClock, keys: KeyRing) -> AbstractContextManager[None]:
    if settings.intake is None:
        return nullcontext()
    # Here, because whoever has no intake need not wait for asyncio.
    from errata_shipper.intake.intake import Intake

    intake = Intake(settings.intake, settings.storage_path, settings.app_key, clock)
    keys.on_change = lambda changed: setattr(intake, "app_key", changed.app_key)
    return intake.running()


def _client(settings: Settings) -> ServerClient:
    return ServerClient(
        settings.base_url,
        settings.api_key,
        settings.app_key,
        settings.timeout_seconds,
        settings.ca_file,
        settings.proxy,
    )


def _end_late_stop(clock: SystemClock, seconds: float) -> None:
    """End the process if a request or a name look-up outlasts the stop; the lines are in their files."""
    select.select([clock.stop_descriptor], [], [])
    time.sleep(seconds)
    os._exit(ExitCode.OK)


def _answer(text: str) -> None:
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads has seen enough; Python would complain when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
