"""Starts the service, its mail server, the shop and its visitors; stops them in the other order."""

import re
import signal
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from functools import cached_property

from demo import story
from demo.child import Child
from demo.folder import DemoError, DemoFolder
from demo.service import Service
from demo.set_up import SetUp
from demo.telling import banner, verdict
from demo.tour import as_list, tour
from errata.stop_signal import StopSignal

READY_WITHIN_S = 300.0
DEPLOYED_AFTER_S = 75.0
STOPPED_WITHIN_S = {
    "visitors": 8.0,
    "shop": 8.0,
    "shipper": 10.0,
    "figures": 5.0,
    "errata": 40.0,
    "mail": 5.0,
}


class Stage:
    def __init__(self, folder: DemoFolder, port: int, shop_port: int, visitors: int, weeks: int) -> None:
        self.folder = folder
        self.port = port
        self.shop_port = shop_port or folder.port("shop")
        self.visitors = visitors
        self.weeks = weeks
        # A folder of a demonstration that told no story goes on without one.
        self.tells_story = folder.set_up_path.exists() or (weeks > 0 and not folder.credentials_path.exists())
        self.mail_port = folder.port("mail")
        self.children: dict[str, Child] = {}
        self.stopping = StopSignal()

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
        self._start_errata()
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
        self._child("shipper", "errata_shipper", "--config", str(self.folder.shipper_config), "--record")
        if self.tells_story:
            self.set_up.run()
        if not self.stopping.is_set():
            progress("Opening the shop…")
            self._start_shop(
                story.DEPLOYED_LIVE if self.folder.deployed_path.exists() else story.NEWEST.version
            )
            self._start_visitors()

    def _start_errata(self) -> None:
        smtp_port, tour_path = str(self.folder.port("smtp")), str(self.folder.tour_path)
        places = ("--folder", str(self.folder.mail), "--tour", tour_path)
        self._child("mail", "demo.mail", *places, "--smtp-port", smtp_port, "--port", str(self.mail_port))
        settings = {
            "ERRATA_MAIL_HOST": "127.0.0.1",
            "ERRATA_MAIL_PORT": smtp_port,
            "ERRATA_MAIL_SECURITY": "none",
            "ERRATA_MAIL_FROM": "errata@shop.example",
        }
        data, port = str(self.folder.data), str(self.port)
        self._child("errata", "errata", "up", "--data", data, "--port", port, settings=settings)

    @cached_property
    def service(self) -> Service:
        return Service(self.folder.credentials())

    @cached_property
    def set_up(self) -> SetUp:
        return SetUp(self.folder, self.service, self.weeks, progress, self.stopping)

    def _start_shop(self, release: str) -> None:
        key = self.folder.credentials()["app_key"]
        logs, port = str(self.folder.logs), str(self.shop_port)
        shop = self._child(
            "shop", "demo.shop", "--port", port, "--app-key", key, "--logs", logs, "--release", release
        )
        self._wait(shop, lambda: answers(f"{self.shop_url}/"))

    def _start_visitors(self) -> None:
        # Where weeks were before, more than their rate would be a cliff in every chart.
        visitors = "0" if self.tells_story else str(self.visitors)
        self._child("visitors", "demo.driver", "--shop", self.shop_url, "--visitors", visitors)

    @property
    def shop_url(self) -> str:
        return f"http://127.0.0.1:{self.shop_port}"

    @property
    def mail_url(self) -> str:
        return f"http://127.0.0.1:{self.mail_port}"

    def _child(self, name: str, *arguments: str, settings: Mapping[str, str] | None = None) -> Child:
        child = Child(name, list(arguments), self.folder.output_of(name), settings)
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
        started, has_figures = time.monotonic(), not self.tells_story
        is_deployed = self.folder.deployed_path.exists()
        while not self.stopping.wait(0.5):
            if not has_figures:
                has_figures = self._build_figures()
            if not is_deployed and time.monotonic() - started > DEPLOYED_AFTER_S:
                is_deployed = True
                self._deploy()
            for child in list(self.children.values()):
                if not child.is_running and not self.stopping.is_set() and child.name != "figures":
                    self._mend(child)

    def _build_figures(self) -> bool:
        """Whether they are built: the service does so within minutes by itself, `errata build` now."""
        if "figures" not in self.children:
            if self.set_up.seconds_until_settled() == 0:
                self._child("figures", "errata", "build", "--data", str(self.folder.data))
            return False
        building = self.children["figures"]
        if building.is_running:
            return False
        if building.process.returncode == 0:
            say(verdict(self.service))
        else:
            say(f"The figures are not built yet: {_end_of(building.log(), lines=1)}")
        return True

    def _deploy(self) -> None:
        self.children["shop"].stop(STOPPED_WITHIN_S["shop"])
        self._start_shop(story.DEPLOYED_LIVE)
        self.folder.deployed_path.touch()
        say(f"Deployed {story.DEPLOYED_LIVE} of the shop: the checkout opens half a second later.")

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
        kept = self.set_up.progress.kept if self.tells_story else {}
        steps = tour(self.service, kept) if kept else []
        self.folder.tour_path.write_text(as_list(steps), "utf-8")
        logs, output = self.folder.data / "run", self.folder.output_of("shop").parent
        known = self.folder.credentials()
        say(banner(known, steps, kept.get("share_link", ""), self.shop_url, self.mail_url, logs, output))
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


def progress(sentence: str) -> None:
    """A line that the next one replaces where a person watches; a line each in a file."""
    if sys.stdout.isatty():
        print(f"\r\033[K{sentence}", end="", flush=True)  # noqa: T201
    else:
        say(sentence)
