"""Keys that change while the shipper runs."""

import logging
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from errata_shipper.agent import Agent
from errata_shipper.client import ServerClient
from errata_shipper.key_ring import KeyRing
from errata_shipper.settings import Settings, load_settings

from tests.shipper.configuration import written
from tests.shipper.hosts import TODAY, HandClock
from tests.shipper.ingest_server import API_KEY, APP_KEY, Failure, IngestServer

NEW_KEY = "errata_api_fedcba9876543210"
NEW_APP_KEY = "errata_app_fedcba9876543210"


class ConfiguredHost:
    """A shipper with its errata.yaml, which hears SIGHUP."""

    def __init__(self, folder: Path, server: IngestServer) -> None:
        self.folder = folder
        self.server = server
        self.configure(apiKey=API_KEY)
        self.clock = HandClock()
        self.changes: list[Settings] = []
        settings = load_settings(self.config)
        self.client = ServerClient(
            settings.base_url, settings.api_key, settings.app_key, settings.timeout_seconds
        )
        self.keys = KeyRing(self.config, settings, self.client, self.changes.append)
        self.keys.read_on_hangup()
        self.agent = Agent(settings, self.client, self.clock, host="web-1", keys=self.keys)
        self.agent.load()

    @property
    def config(self) -> Path:
        return self.folder / "errata.yaml"

    def configure(self, **fields: str) -> None:
        base = {"appKey": APP_KEY, "storagePath": str(self.folder), "baseUrl": self.server.base_url}
        written(self.folder, **{**base, **fields})

    def hang_up(self) -> None:
        os.kill(os.getpid(), signal.SIGHUP)

    def deliver(self, line: bytes) -> None:
        with (self.folder / TODAY).open("ab") as file:
            file.write(line + b"\n")
        self.agent.step()
        self.clock.pass_time(11)
        self.agent.step()


@pytest.fixture
def host(tmp_path: Path, server: IngestServer) -> Iterator[ConfiguredHost]:
    before = signal.getsignal(signal.SIGHUP)
    made = ConfiguredHost(tmp_path, server)
    yield made
    made.agent.close()
    made.client.close()
    signal.signal(signal.SIGHUP, before)


def test_a_key_is_changed_without_a_gap(
    host: ConfiguredHost, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    server.other_api_keys = {NEW_KEY}
    host.deliver(b"1")
    host.configure(apiKey=NEW_KEY)
    host.hang_up()
    host.deliver(b"2")
    server.api_key, server.other_api_keys = NEW_KEY, set()
    host.deliver(b"3")
    assert server.stored == [b"1", b"2", b"3"]
    assert f"{host.config} was reloaded; using the new errata.apiKey from now on" in caplog.messages
    assert caplog.messages.count("Connected to errata") == 2
    assert "Authentication failed" not in caplog.messages
    assert NEW_KEY not in caplog.text


def in_place(host: ConfiguredHost) -> None:
    host.configure(apiKey=NEW_KEY)


def renamed(host: ConfiguredHost) -> None:
    """As `replace_durably`, editors and configuration management write a file."""
    before = host.config.read_text()
    made = host.folder / "errata.yaml.new"
    made.touch(mode=0o600)
    made.write_text(before.replace(API_KEY, NEW_KEY))
    made.replace(host.config)


def removed_and_made_again(host: ConfiguredHost) -> None:
    host.config.unlink()
    host.agent.step()
    host.configure(apiKey=NEW_KEY)


def half_written(host: ConfiguredHost) -> None:
    """By a program that the shipper overtakes."""
    text = host.config.read_text().replace(API_KEY, NEW_KEY)
    for end in (0, text.index(NEW_KEY) + 5, len(text)):
        host.config.write_text(text[:end])
        host.agent.step()


def another_link(host: ConfiguredHost) -> None:
    """As Kubernetes updates what it mounts: the folder that a link leads to is another one."""
    for name, key in (("..one", API_KEY), ("..two", NEW_KEY)):
        folder = host.folder / name
        folder.mkdir()
        written(
            folder, apiKey=key, appKey=APP_KEY, storagePath=str(host.folder), baseUrl=host.server.base_url
        )
    host.config.unlink()
    (host.folder / "..data").symlink_to("..one")
    host.config.symlink_to("..data/errata.yaml")
    host.agent.step()
    (host.folder / "..new").symlink_to("..two")
    (host.folder / "..new").replace(host.folder / "..data")


@pytest.mark.parametrize("change", [in_place, renamed, removed_and_made_again, half_written, another_link])
def test_a_changed_configuration_is_read_without_a_signal(
    host: ConfiguredHost,
    server: IngestServer,
    caplog: pytest.LogCaptureFixture,
    change: Callable[[ConfiguredHost], None],
) -> None:
    """While the former key still works."""
    caplog.set_level(logging.INFO)
    server.other_api_keys = {NEW_KEY}
    host.deliver(b"1")
    change(host)
    host.agent.step()
    server.api_key, server.other_api_keys = NEW_KEY, set()
    host.deliver(b"2")
    assert server.stored == [b"1", b"2"]
    assert caplog.text.count("using the new errata.apiKey from now on") == 1
    assert "Authentication failed;" not in caplog.text and NEW_KEY not in caplog.text
    said = len(caplog.messages)
    for _ in range(3):
        host.agent.step()
    assert caplog.messages[said:] == []


def test_a_changed_key_file_is_read_without_a_signal(host: ConfiguredHost, server: IngestServer) -> None:
    server.other_api_keys = {NEW_KEY}
    key_file = host.folder / "api-key"
    key_file.touch(mode=0o600)
    key_file.write_text(API_KEY)
    host.configure(apiKey="ABSENT", apiKeyFile="api-key")
    host.deliver(b"1")
    key_file.write_text(NEW_KEY)
    host.agent.step()
    server.api_key, server.other_api_keys = NEW_KEY, set()
    host.deliver(b"2")
    assert server.stored == [b"1", b"2"]


def test_a_configuration_that_breaks_is_named_once_and_read_when_it_is_mended(
    host: ConfiguredHost, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    server.other_api_keys = {NEW_KEY}
    host.config.write_text("errata: [")
    for number in range(3):
        host.deliver(b"%d" % number)
    assert caplog.messages.count(f"{host.config} was not applied; keeping the current keys") == 1
    host.configure(apiKey=NEW_KEY)
    host.agent.step()
    server.api_key = NEW_KEY
    host.deliver(b"3")
    assert server.stored == [b"0", b"1", b"2", b"3"]


def test_an_application_key_is_changed_too(host: ConfiguredHost, server: IngestServer) -> None:
    server.app_key = NEW_APP_KEY
    host.configure(apiKey=API_KEY, appKey=NEW_APP_KEY)
    host.hang_up()
    host.deliver(b"1")
    assert server.stored == [b"1"]
    assert [settings.app_key for settings in host.changes] == [NEW_APP_KEY]


def test_a_refused_key_that_was_replaced_on_disk_needs_no_signal(
    host: ConfiguredHost, server: IngestServer
) -> None:
    server.api_key = NEW_KEY
    host.deliver(b"1")
    assert server.stored == []
    host.configure(apiKey=NEW_KEY)
    host.agent.step()
    assert server.stored == [b"1"]


def test_a_key_file_is_read_again_when_its_key_is_refused(host: ConfiguredHost, server: IngestServer) -> None:
    key_file = host.folder / "api-key"
    key_file.touch(mode=0o600)
    key_file.write_text(f"{API_KEY}\n")
    host.configure(apiKey="ABSENT", apiKeyFile="api-key")
    host.hang_up()
    host.deliver(b"1")
    server.api_key = NEW_KEY
    host.deliver(b"2")
    assert server.stored == [b"1"]
    replacement = host.folder / "api-key.new"
    replacement.touch(mode=0o600)
    replacement.write_text(f"{NEW_KEY}\n")
    replacement.replace(key_file)
    host.agent.step()
    assert server.stored == [b"1", b"2"]


def test_a_broken_configuration_is_named_and_the_keys_stay(
    host: ConfiguredHost, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.configure(apiKey="'a key'")
    host.hang_up()
    host.deliver(b"1")
    assert server.stored == [b"1"]
    assert f"{host.config}: errata.apiKey: contains whitespace" in caplog.text
    assert f"{host.config} was not applied; keeping the current keys" in caplog.messages


def test_a_new_key_that_is_refused_does_not_replace_one_that_works(
    host: ConfiguredHost, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.configure(apiKey=NEW_KEY)
    host.hang_up()
    host.deliver(b"1")
    assert server.stored == [b"1"]
    (said,) = [message for message in caplog.messages if "keeping the current keys" in message]
    assert said == (
        "Authentication failed: the server rejected the new errata.apiKey; keeping the current keys"
    )


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_proxy_in_the_way_says_nothing_of_a_new_key(
    host: ConfiguredHost, server: IngestServer, status: int, caplog: pytest.LogCaptureFixture
) -> None:
    host.configure(apiKey=NEW_KEY)
    server.failures = [Failure(status, body=b"<html>Denied</html>")]
    server.api_key = NEW_KEY
    host.hang_up()
    host.deliver(b"1")
    assert server.stored == [b"1"]
    assert "keeping the current keys" not in caplog.text


def test_a_new_key_may_be_there_before_the_server_knows_it(
    host: ConfiguredHost, server: IngestServer
) -> None:
    host.configure(apiKey=NEW_KEY)
    host.hang_up()
    host.deliver(b"1")
    server.api_key = NEW_KEY
    host.deliver(b"2")
    host.agent.step()
    assert server.stored == [b"1", b"2"]


def test_what_needs_a_restart_is_named(
    host: ConfiguredHost, server: IngestServer, caplog: pytest.LogCaptureFixture
) -> None:
    host.configure(apiKey=API_KEY, batchSize="7", flushInterval="1s")
    host.hang_up()
    host.deliver(b"1")
    assert [message for message in caplog.messages if "restart" in message] == [
        "errata.batchSize changed; restart the shipper to apply it",
        "errata.flushInterval changed; restart the shipper to apply it",
    ]


def test_a_hang_up_ends_the_wait_after_a_refusal(host: ConfiguredHost, server: IngestServer) -> None:
    server.api_key = NEW_KEY
    host.deliver(b"1")
    server.api_key = API_KEY
    host.agent.step()
    assert server.stored == []
    host.hang_up()
    host.agent.step()
    assert server.stored == [b"1"]


def test_a_hang_up_does_not_end_the_wait_that_a_rate_limit_asks_for(
    host: ConfiguredHost, server: IngestServer
) -> None:
    server.other_api_keys = {NEW_KEY}
    server.failures = [Failure(429, {"Retry-After": "60"})]
    host.deliver(b"1")
    host.configure(apiKey=NEW_KEY)
    host.hang_up()
    host.agent.step()
    assert server.stored == []
