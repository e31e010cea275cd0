"""scripts/real-cluster on embedded shards, which have no replicas; and the checks of replicas on stand-ins:
two addresses of one server, which is as if it replicated at once, and two servers that don't replicate."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from errata.warehouse.roles import Role
from scripts.real_cluster import Acts, Official, Run, Verdict
from tests import replica_checks
from tests.builders import an_error_event
from tests.cluster import Cluster
from tests.keeper import is_installed
from tests.relay_of_server import RelayOfServer
from tests.replica_checks import Replicas
from tests.replicas import replicated_cluster
from tests.service import ROOT
from tests.shards import ShardedProcess, start_shards, two_shards

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]

ITEM = "select project_id, item_id from errata_raw.error_events limit 1"


@pytest.fixture
def shards(tmp_path: Path) -> Iterator[ShardedProcess]:
    started = two_shards(tmp_path / "shards")
    yield started
    started.stop()


def judged(cluster: Cluster, *options: str) -> "subprocess.CompletedProcess[str]":
    cluster.directory.mkdir(exist_ok=True)
    return subprocess.run(
        [sys.executable, ROOT / "scripts" / "real-cluster", *options],
        env={**os.environ, **cluster.settings},
        capture_output=True,
        text=True,
    )


def test_all_checks_that_need_no_replicas_pass(tmp_path: Path, shards: ShardedProcess) -> None:
    cluster = Cluster(tmp_path / "nodes", shards)
    done = judged(cluster)
    *lines, last = done.stdout.splitlines()
    assert last == "13 passed, 0 failed, 8 not run", done.stdout + done.stderr
    assert {line.rpartition(": ")[2] for line in lines if line.startswith("not run")} == {
        "shard 1 has one server",
        "shard 2 has one server",
    }
    # Not all were run, so it isn't well.
    assert done.returncode == 3
    again = judged(cluster)
    assert (again.returncode, again.stdout) == (2, "")
    assert "isn't empty: it has errata_analysis, errata_mart" in again.stderr


@pytest.mark.skipif(not is_installed(), reason="no ZooKeeper was found")
def test_all_checks_pass_with_replicas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with replicated_cluster(tmp_path / "shards", 2, 2) as shards, ExitStack() as ending:

        def stop(place: str) -> None:
            shard, number = shards.at(place)
            shard.kill(number)

        def start(place: str) -> None:
            shard, number = shards.at(place)
            shard.start_again(number)

        def relay(place: str) -> RelayOfServer:
            shard, number = shards.at(place)
            return shard.relays_to_keeper[number]

        acts = Acts(
            lambda _: stop,
            lambda _: start,
            lambda _: lambda at: relay(at).stop(),
            lambda _: lambda at: relay(at).start(),
        )
        cluster = Cluster(tmp_path / "nodes", shards)
        cluster.directory.mkdir()
        verdict = Verdict()
        Run(Official(cluster.directory, {**os.environ, **cluster.settings}), verdict, ending, acts).all()
    said = capsys.readouterr().out
    assert (verdict.code, said.count("\npassed ") + said.startswith("passed ")) == (0, 21), said


def test_a_row_on_two_shards_turns_the_verdict_red(tmp_path: Path, shards: ShardedProcess) -> None:
    def sabotage() -> None:
        first, second = shards.members
        admin, until = first.client(Role.ADMIN), time.monotonic() + 120
        while time.monotonic() < until:
            if admin.rows("exists table errata_raw.error_events")[0]["result"] and (rows := admin.rows(ITEM)):
                second.client(Role.INGEST).insert_rows("errata_raw.error_events", [an_error_event(**rows[0])])
                return
            time.sleep(0.1)

    thread = threading.Thread(target=sabotage)
    thread.start()
    done = judged(Cluster(tmp_path / "nodes", shards), "--first-failure")
    thread.join()
    assert done.returncode == 1, done.stdout + done.stderr
    *passed, failed, last = done.stdout.splitlines()
    assert all(line.startswith("passed ") for line in passed) and len(passed) == 8
    assert failed.startswith("failed   no id is on two shards") and failed.endswith(
        "is on the shards 1 and 2"
    )
    assert last == "8 passed, 1 failed, 0 not run"


def test_nothing_is_begun_without_its_settings(tmp_path: Path) -> None:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("ERRATA_")}
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "real-cluster"], env=environ, capture_output=True, text=True
    )
    assert done.returncode == 2 and "set ERRATA_WAREHOUSE_URL, ERRATA_WAREHOUSE_ADMIN_URL" in done.stderr


@dataclass(frozen=True)
class AtTwoAddresses(Cluster):
    """Of the one shard that it has, each URL lists both."""

    other: str = ""

    @property
    def settings(self) -> dict[str, str]:
        place = f"127.0.0.1:{self.shards.port}"
        return {
            name: value.replace(place, f"{self.other},{place}") for name, value in super().settings.items()
        }


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("REPLICATED_WITHIN_SECONDS", "STOPPED_WITHIN_SECONDS"):
        monkeypatch.setattr(replica_checks, name, 3)


def test_servers_that_do_not_replicate_fail(tmp_path: Path, shards: ShardedProcess, short: None) -> None:
    cluster = Cluster(tmp_path / "nodes", shards)
    cluster.migrate()
    first, second = (f"127.0.0.1:{member.port}" for member in shards.members)
    pair = Replicas(cluster, first, second)
    for check in (pair.rows_reach_the_other, pair.a_repeated_insert_counts_once):
        with pytest.raises(AssertionError, match=f"{second} hasn't a row that {first} has stored after 3 s"):
            check()


def test_two_addresses_of_one_server_pass_until_one_is_not_stopped(tmp_path: Path, short: None) -> None:
    with ExitStack() as ending:
        shard = start_shards([tmp_path / "shard"])
        ending.callback(shard.stop)
        Cluster(tmp_path / "nodes", shard).migrate()
        relay = RelayOfServer(shard.port)
        relay.start()
        ending.callback(relay.stop)
        first, second = f"127.0.0.1:{relay.port}", f"127.0.0.1:{shard.port}"
        cluster = AtTwoAddresses(tmp_path / "nodes", shard, first)
        assert cluster.places() == {1: (first, second)}
        pair = Replicas(cluster, first, second)
        pair.rows_reach_the_other()
        pair.a_repeated_insert_counts_once()
        address = ending.enter_context(cluster.web())
        stopped: list[str] = []

        def stop(place: str) -> None:
            stopped.append(place)
            relay.stop()

        missed = pair.outlive_a_stop(address, cluster.first, stop, lambda _: relay.start())
        assert stopped == [first] and missed >= replica_checks.MEANWHILE
        with pytest.raises(AssertionError, match=f"{urlsplit(f'//{first}').netloc} still responds after 3 s"):
            pair.outlive_a_stop(address, cluster.first, lambda _: None, lambda _: None)
        with pytest.raises(AssertionError, match="is it without Keeper"):
            pair.outlive_a_lost_keeper(address, cluster.first, lambda _: None, lambda _: None)
