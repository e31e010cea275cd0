"""Install what can be installed, run each SDK, and look for its event in the service."""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

from bench.real_sdks.arrivals import Arrivals
from bench.real_sdks.debian_packages import DebianPackages
from bench.real_sdks.npm_packages import PAGES, NpmPackages
from bench.real_sdks.python_packages import PythonPackages
from bench.real_sdks.recorder import Recorder
from bench.real_sdks.recording import Recording
from bench.real_sdks.sdk import NotInstalled, Sdk
from bench.real_sdks.shops import PAGE, Page, asgi_shop, flask_shop
from demo import chromium
from tests.flow.faults.host import Host
from tests.ports import free_port, wait_for
from tests.service import Service, running

FIELDS = {"flushInterval": "200ms", "logLevel": "info"}
RUNS_WITHIN_SECONDS = 120
PLACEHOLDER = "https://errata@errata.invalid/1"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.real_sdks", description=__doc__)
    parser.add_argument(
        "--record", type=Path, metavar="FOLDER", help="keep what the SDKs send, for the tests"
    )
    parser.add_argument(
        "--direct", action="store_true", help="by the service's own DSN, without intake and shipper"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-sdks-") as made, ExitStack() as stack:
        trial = Trial(Path(made), stack, options.record, is_direct=options.direct)
        trial.try_programs()
        trial.try_pages()
        trial.finish()


class Trial:
    def __init__(self, folder: Path, stack: ExitStack, recordings: Path | None, *, is_direct: bool) -> None:
        self._folder = folder
        self._is_direct = is_direct
        self._recordings = recordings
        self._failed: list[str] = []
        logs = folder / "logs"
        logs.mkdir()
        self._npm = NpmPackages(_made(folder / "npm"))
        self._page = Page()
        service = stack.enter_context(running("--no-pipelines"))
        self._app_key, self._public_dsn = service.credentials["app_key"], service.credentials["dsn"]
        self._shops = {
            "Flask": stack.enter_context(flask_shop(self._page, self._app_key, logs)),
            "Starlette": stack.enter_context(asgi_shop(self._page, self._app_key, logs)),
        }
        port = free_port()
        self._host = Host(folder, logs, _fields(service, port, self._shops["Flask"]))
        stack.callback(self._host.end)
        self._host.start()
        wait_for(port)
        self._recorder = Recorder(port)
        stack.enter_context(self._recorder.running())
        self._arrivals = Arrivals(service, service.directory / "spool" / "1" if is_direct else logs)

    @property
    def _dsn(self) -> str:
        if self._is_direct:
            return self._public_dsn
        return f"http://{self._app_key}@127.0.0.1:{self._recorder.port}/1"

    @property
    def _through(self) -> str:
        return "DSN" if self._is_direct else "intake"

    def try_programs(self) -> None:
        debian = DebianPackages(_made(self._folder / "debian"))
        for found in PythonPackages(_made(self._folder / "python")).sdks():
            if isinstance(found, Sdk):
                self._try_program(found)
            else:
                self._skip(*found)
        for packages in (self._npm, debian):
            try:
                packages.install()
            except NotInstalled as reason:
                for label in packages.names:
                    self._skip(label, reason)
                continue
            for sdk in packages.sdks():
                self._try_program(sdk)

    def try_pages(self) -> None:
        executable = chromium.found()
        if executable is None:
            for label in PAGES:
                self._skip(label, NotInstalled("no Chromium"))
            return
        through_intake = {"dsn": self._dsn}
        intake_tunnel = f"http://127.0.0.1:{self._recorder.port}/api/1/envelope/"
        tunnelled = {"dsn": PLACEHOLDER, "tunnel": "/tunnel"}
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=list(chromium.ARGUMENTS))
            for label in () if self._is_direct else ("@sentry/browser", "@sentry/browser 8"):
                self._try_page(browser, label, "route in Flask", self._shops["Flask"], tunnelled)
                self._try_page(browser, label, "route in Starlette", self._shops["Starlette"], tunnelled)
                settings = {"dsn": PLACEHOLDER, "tunnel": intake_tunnel}
                self._try_page(browser, label, "intake as tunnel", self._shops["Flask"], settings)
            for label in PAGES:
                self._try_page(browser, label, self._through, self._shops["Flask"], through_intake)
            foreign = self._shops["Flask"].replace("127.0.0.1", "localhost")
            if not self._is_direct:
                self._try_foreign_page(browser, foreign, through_intake)
            browser.close()

    def finish(self) -> None:
        exit_code = self._host.stop()
        _say(shipper_exit_code=exit_code, lines_set_aside=self._arrivals.set_aside_count, failed=self._failed)
        sys.exit(1 if self._failed or exit_code or self._arrivals.set_aside_count else 0)

    def _try_program(self, sdk: Sdk) -> None:
        def run() -> str:
            done = subprocess.run(
                [*sdk.command, self._dsn, sdk.label],
                cwd=_folder_of(sdk, self._folder),
                env={"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(self._folder), **sdk.environment},
                stdin=subprocess.DEVNULL,
                check=False,
                capture_output=True,
                text=True,
                timeout=RUNS_WITHIN_SECONDS,
            )
            if done.returncode:
                raise RuntimeError(done.stderr.strip()[-300:])
            return done.stdout.strip().splitlines()[-1].replace("-", "")

        wanted = {"event"} | ({"transaction"} if sdk.sends_spans else set())
        self._try(sdk.label, sdk.language, sdk.version, self._through, run, wanted)

    def _try_page(
        self, browser: Browser, label: str, through: str, address: str, settings: dict[str, str]
    ) -> None:
        package, source = PAGES[label]
        is_raven = label == "raven-js"

        def visit() -> str:
            self._serve(source, {**settings, "label": f"{label} through {through}"})
            page = browser.new_page()
            page.goto(f"{address}/")
            event_id = page.evaluate("() => window.fail()")
            page.close()
            return str(event_id)

        wanted = {"event"} if is_raven else {"event", "transaction", "replay_recording"}
        self._try(label, "browser", self._npm.version(package), through, visit, wanted)

    def _try_foreign_page(self, browser: Browser, address: str, settings: dict[str, str]) -> None:
        """A page of an origin that is not allowed has the same program, and writes nothing."""
        self._serve("page.mjs", {**settings, "label": "foreign"})
        page = browser.new_page()
        page.goto(f"{address}/")
        page.evaluate("() => window.fail()")
        page.close()
        time.sleep(1)
        written = [line["type"] for line in self._arrivals.new_lines()]
        _say(sdk="@sentry/browser", through="intake, from a page that is not allowed", items=written)
        if written:
            self._failed.append("foreign page")

    def _serve(self, source: str, settings: dict[str, str]) -> None:
        script = self._npm.bundled(source).read_text().replace("</script", "<\\/script")
        self._page.html = PAGE.format(settings=json.dumps(settings), script=script)

    def _try(
        self,
        label: str,
        language: str,
        version: str,
        through: str,
        run: Callable[[], str],
        wanted: set[str],
    ) -> None:
        facts: dict[str, Any] = {"sdk": label, "language": language, "version": version, "through": through}
        started = time.monotonic()
        try:
            event_id = run()
            issue = self._arrivals.issue_of(event_id)
        except Exception as error:  # noqa: BLE001 (the others are still to be tried)
            self._failed.append(f"{label} through {through}")
            _say(**facts, failed=f"{type(error).__name__}: {error}")
            return
        lines = self._arrivals.new_lines()
        streams = self._recorder.take()
        types = [line["type"] for line in lines]
        # JavaScript's SDKs stream spans from version 11 on, and send transactions before.
        missing = wanted - {"transaction" if name == "span" else name for name in types}
        seconds = round(time.monotonic() - started, 1)
        _say(**facts, event_id=event_id, issue=issue["title"], items=types, seconds=seconds)
        if missing:
            self._failed.append(f"{label} through {through}: no {', '.join(sorted(missing))}")
        if self._recordings is not None and streams:
            name = label if through == "intake" else f"{label} tunnel"
            Recording(name, version, self._app_key, event_id, streams, lines).write(self._recordings)

    def _skip(self, label: str, reason: NotInstalled) -> None:
        _say(sdk=label, skipped=str(reason))


def _fields(service: Service, port: int, allowed_page: str) -> dict[str, Any]:
    return {
        "apiKey": service.credentials["api_key"],
        "appKey": service.credentials["app_key"],
        "baseUrl": service.credentials["base_url"],
        "intake": {"listen": f"127.0.0.1:{port}", "origins": [allowed_page]},
        **FIELDS,
    }


def _folder_of(sdk: Sdk, folder: Path) -> Path:
    return folder / {"Python": "python", "Ruby": "debian", "Go": "debian"}.get(sdk.language, "npm")


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def _say(**facts: object) -> None:
    sys.stdout.write(json.dumps(facts) + "\n")
    sys.stdout.flush()
