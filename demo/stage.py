"""Starts the service, the shop, the shipper and the visitors; stops them in the other order."""

import re
import signal
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from datetime import UTC, datetime

from demo import history
from demo.child import Child
from demo.folder import DemoError, DemoFolder

READY_WITHIN_S = 120.0
# The old release first, so that there is something to compare the new one with.
RELEASES = ("shop@1.0.0", "shop@1.1.0")
DEPLOYED_AFTER_S = 75.0
STOPPED_WITHIN_S = {"visitors": 8.0, "shop": 8.0, "shipper": 10.0, "errata": 40.0}


class Stage:
    def __init__(self, folder: DemoFolder, port: int, shop_port: int, visitors: int, weeks: int = 0) -> None:
        self.folder = folder
        self.port = port
        self.shop_port = shop_port or folder.shop_port()
        self.visitors = visitors
        self.weeks = weeks
        self.children: dict[str, Child] = {}
        self.stopping = threading.Event()

    def run(self) -> int:
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self.stopping.set())
        try:
            self._start()
            if not self.stopping.is_set():
                self._show()
                self._watch()
        finally:
            self._stop()
        return 0

    def _start(self) -> None:
        say("Starting Errata…")
        self._child("errata", "errata", "up", "--data", str(self.folder.data), "--port", str(self.port))
        base_url = self._address()
        if self.stopping.is_set():
            return
        known = self.folder.credentials()
        if is_refused(base_url, known["api_key"]):
            raise DemoError(
                f"the API key in {self.folder.credentials_path} is no longer valid: "
                f"enter the current one there, or delete {self.folder.path}"
            )
        self.folder.write_shipper_config(base_url, known["api_key"], known["app_key"])
        if self.weeks:
            count = history.write(self.folder.logs, known["app_key"], self.weeks, datetime.now(UTC))
            say(f"Imported {self.weeks} weeks of page loads ({count} lines).")
        self._start_shop(RELEASES[0])
        self._child("shipper", "errata_shipper", "--config", str(self.folder.shipper_config), "--record")
        self._start_visitors()

    def _start_shop(self, release: str) -> None:
        key = self.folder.credentials()["app_key"]
        logs, port = str(self.folder.logs), str(self.shop_port)
        shop = self._child(
            "shop", "demo.shop", "--port", port, "--app-key", key, "--logs", logs, "--release", release
        )
        self._wait(shop, lambda: answers(f"{self.shop_url}/"))

    def _start_visitors(self) -> None:
        self._child("visitors", "demo.driver", "--shop", self.shop_url, "--visitors", str(self.visitors))

    @property
    def shop_url(self) -> str:
        return f"http://127.0.0.1:{self.shop_port}"

    def _child(self, name: str, *arguments: str) -> Child:
        child = Child(name, list(arguments), self.folder.output_of(name))
        self.children[name] = child
        return child

    def _address(self) -> str:
        """What `errata up` says when it is ready."""
        found: list[str] = []

        def is_ready() -> bool:
            found[:] = re.findall(r"ready at (\S+)", self.children["errata"].log())
            return bool(found)

        self._wait(self.children["errata"], is_ready)
        return found[0] if found else ""

    def _wait(self, child: Child, is_ready: Callable[[], bool]) -> None:
        deadline = time.monotonic() + READY_WITHIN_S
        while not is_ready():
            if self.stopping.wait(0.1):
                return
            if not child.is_running:
                raise DemoError(f"{child.name} did not start:\n{_end_of(child.log())}")
            if time.monotonic() > deadline:
                raise DemoError(
                    f"{child.name} is not ready after {READY_WITHIN_S:.0f} s; see {child.log_path}"
                )

    def _watch(self) -> None:
        started, deployed = time.monotonic(), False
        while not self.stopping.wait(0.5):
            if not deployed and time.monotonic() - started > DEPLOYED_AFTER_S:
                deployed = True
                self.children["shop"].stop(STOPPED_WITHIN_S["shop"])
                self._start_shop(RELEASES[1])
                say(f"Deployed {RELEASES[1]} of the shop, with a slower checkout.")
            for child in list(self.children.values()):
                if not child.is_running and not self.stopping.is_set():
                    self._mend(child)

    def _mend(self, child: Child) -> None:
        """Visitors come back; without one of the others there is nothing to see."""
        ending = f"{child.name} exited with code {child.process.returncode}"
        if child.name != "visitors":
            raise DemoError(f"{ending}:\n{_end_of(child.log())}")
        say(f"{ending}; restarting them. {_end_of(child.log(), lines=1)}")
        child.stop(0)
        self.stopping.wait(2)
        self._start_visitors()

    def _stop(self) -> None:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if self.children:
            say("Stopping…")
        # The shipper after the shop: it delivers the shop's last lines.
        for name, within_s in STOPPED_WITHIN_S.items():
            if name in self.children:
                self.children[name].stop(within_s)

    def _show(self) -> None:
        known = self.folder.credentials()
        say(
            f"""
  Errata      {known["base_url"]}
  Email       {known["email"]}
  Password    {known["password"]}

  The shop    {self.shop_url}        (simulated visitors are using it; join them)

  Try in Errata
    · Issues: open “PaymentDeclinedError” for its cause, request, user and breadcrumbs
    · Performance: pages and endpoints; in a minute, {RELEASES[1]} is deployed with a slower checkout
  Try in the shop
    · the coupon SUMMER24 in the cart, country MC at the checkout, “Use loyalty points”:
      each causes an error that appears in Errata within seconds

  Press Ctrl-C to stop everything. Logs are in {self.folder.output_of("shop").parent}
"""
        )
        self.stopping.wait(1.5)
        say(_end_of(self.children["visitors"].log(), lines=1))


def answers(url: str) -> bool:
    return _status(url) == 200


def is_refused(base_url: str, api_key: str) -> bool:
    return _status(f"{base_url}/api/auth/verify", {"Authorization": f"Bearer {api_key}"}) == 401


def _status(url: str, headers: Mapping[str, str] | None = None) -> int:
    """0: nobody answers."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(urllib.request.Request(url, headers=dict(headers or {})), timeout=5) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code
    except (urllib.error.URLError, OSError):
        return 0


def _end_of(text: str, lines: int = 15) -> str:
    return "\n".join(text.strip().splitlines()[-lines:])


def say(sentence: str) -> None:
    print(sentence, flush=True)  # noqa: T201
