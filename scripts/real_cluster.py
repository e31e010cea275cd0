"""The verdict on a cluster of official ClickHouse servers: the checks that tests run on embedded ones, and
those of replicas, which need such servers."""

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from sqlalchemy import create_engine, inspect

from bench.answers import differences
from bench.cluster import build, rest_answers
from errata.errors import ErrataError
from errata.settings import CoreSettings, load
from errata.state.database import parsed_url
from errata.warehouse.addresses import addresses_of, place_of
from errata.warehouse.client import Warehouse
from errata.warehouse.server import require_version
from tests.cluster import URLS, Nodes, Project
from tests.cluster_checks import (
    deliver_thrice,
    deliveries_of,
    each_event_counts_once,
    errors,
    leaves_nothing_once_confirmed,
    moves_under_load,
    no_id_is_on_two_shards,
    one_project_a_shard,
    project_on,
)
from tests.replica_checks import Act, Replicas
from tests.web_process import WebNode, web_node

PASSED, FAILED, NOT_ALL_RUN, REFUSED = 0, 1, 3, 2
NEEDED = (*URLS, "ERRATA_WAREHOUSE_CLUSTER", "ERRATA_STATE_URL", "ERRATA_SECRET")
OURS = "select name from system.databases where name like 'errata\\_%' order by name"
MOST_OF_A_REASON = 600
ASKED_WITHIN_SECONDS = 240

DESCRIPTION = """\
Check a cluster of official ClickHouse servers, which must be empty: migrate it, deliver events through two
web nodes that this program starts, kill a node, move a project, and stop a replica. Prints a line for each
check: passed, failed, or not run, and why.
"""
ENVIRONMENT = f"""\
environment: {", ".join(NEEDED)}

Commands are run by the shell, with {{host}}, {{port}} and {{shard}} of the server. With compose.cluster.yaml:

  --stop  'docker compose --file compose.cluster.yaml kill {{host}}'
  --start 'docker compose --file compose.cluster.yaml start {{host}}'
  --cut   'docker network disconnect errata-cluster_keepers errata-cluster-{{host}}-1'
  --mend  'docker network connect errata-cluster_keepers errata-cluster-{{host}}-1'

exit code: 0 all passed, 1 a check failed, 2 not begun, 3 none failed, but not all were run
"""

Value = TypeVar("Value")


@dataclass(frozen=True)
class Official(Nodes):
    """Nodes over the servers that the environment names."""

    environ: Mapping[str, str]

    @property
    def settings(self) -> dict[str, str]:
        return {name: value for name, value in self.environ.items() if name.startswith("ERRATA_")}

    def node(self, name: str = "web") -> AbstractContextManager[WebNode]:
        spool = {"ERRATA_API_SPOOL_PATH": str(self.directory / f"spool-{name}")}
        return web_node({**self.settings, **spool}, log=self.directory / f"{name}.log")


class NotBegun(Exception):
    """Nothing was done to the cluster."""


class Verdict:
    """Prints each outcome at once."""

    def __init__(self, *, ends_at_failure: bool = False) -> None:
        self._ends_at_failure = ends_at_failure
        self._counts = {"passed": 0, "failed": 0, "not run": 0}

    def of(self, name: str, check: Callable[[], Value]) -> Value | None:
        """What the check returns; None after it has failed."""
        try:
            found = check()
        except Exception as error:
            self._say("failed", name, _reason(error))
            if self._ends_at_failure:
                raise Ended from error
            return None
        self._say("passed", name, found if isinstance(found, str) else "")
        return found

    def not_run(self, name: str, why: str) -> None:
        self._say("not run", name, why)

    @property
    def code(self) -> int:
        if self._counts["failed"]:
            return FAILED
        return NOT_ALL_RUN if self._counts["not run"] else PASSED

    def close(self) -> None:
        said = ", ".join(f"{count} {outcome}" for outcome, count in self._counts.items())
        sys.stdout.write(f"{said}\n")

    def _say(self, outcome: str, name: str, more: str) -> None:
        self._counts[outcome] += 1
        sys.stdout.write(f"{outcome:<8} {name}{': ' if more else ''}{more}\n")
        sys.stdout.flush()


class Ended(Exception):
    """After the first failure."""


def main(arguments: Sequence[str], environ: Mapping[str, str]) -> int:
    chosen = parser().parse_args(arguments)
    verdict = Verdict(ends_at_failure=chosen.first_failure)
    with ExitStack() as ending:
        folder = chosen.directory or Path(
            ending.enter_context(tempfile.TemporaryDirectory(prefix="errata-real-cluster-"))
        )
        folder.mkdir(parents=True, exist_ok=True)
        nodes = Official(folder.resolve(), environ)
        try:
            require_empty(nodes)
            Run(nodes, verdict, ending, Acts.of(chosen)).all()
        except NotBegun as error:
            sys.stderr.write(f"not begun: {error}\n")
            return REFUSED
        except Ended:
            pass
    verdict.close()
    return verdict.code


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="scripts/real-cluster",
        description=DESCRIPTION,
        epilog=ENVIRONMENT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "--stop", metavar="COMMAND", default="", help="stop a server, such as docker stop {host}"
    )
    made.add_argument("--start", metavar="COMMAND", default="", help="start it again")
    made.add_argument(
        "--cut", metavar="COMMAND", default="", help="take a server's connection to Keeper away"
    )
    made.add_argument("--mend", metavar="COMMAND", default="", help="give it back")
    made.add_argument(
        "--pause",
        action="store_true",
        help="where there is no command, ask for it to be done, and wait for Enter",
    )
    made.add_argument(
        "--directory",
        metavar="DIR",
        type=Path,
        help="keep the logs of the web nodes and the credentials there (default: they are deleted)",
    )
    made.add_argument("--first-failure", action="store_true", help="end at the first check that fails")
    return made


def require_empty(nodes: Official) -> None:
    """Raises NotBegun unless all settings are there, every server responds, and neither they nor the account
    store have anything of ours."""
    if missing := [name for name in NEEDED if not nodes.settings.get(name)]:
        raise NotBegun(f"set {', '.join(missing)}")
    try:
        load(CoreSettings, nodes.settings)
        for address in addresses_of(nodes.settings["ERRATA_WAREHOUSE_ADMIN_URL"]):
            server = Warehouse(address)
            if found := [row["name"] for row in server.rows(OURS)]:
                raise NotBegun(f"{place_of(address)} isn't empty: it has {', '.join(found)}")
            server.close()
        if tables(nodes.settings["ERRATA_STATE_URL"]):
            raise NotBegun("the account store isn't empty: ERRATA_STATE_URL must name a new database")
    except ErrataError as error:
        raise NotBegun(str(error)) from error


def tables(state_url: str) -> list[str]:
    """Of the database of the account store."""
    url = parsed_url(state_url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").exists():
        return []
    engine = create_engine(url)
    try:
        return inspect(engine).get_table_names()
    finally:
        engine.dispose()


@dataclass(frozen=True)
class Acts:
    """What is done to servers, by commands or by the person who runs this; None: nobody does it."""

    stop: "Callable[[int], Act] | None"
    start: "Callable[[int], Act] | None"
    cut: "Callable[[int], Act] | None"
    mend: "Callable[[int], Act] | None"

    @classmethod
    def of(cls, chosen: argparse.Namespace) -> "Acts":
        def act(command: str, words: str) -> "Callable[[int], Act] | None":
            if command:
                return lambda shard: lambda place: _run(command, place, shard)
            return (lambda _shard: lambda place: _ask(words.format(place))) if chosen.pause else None

        return cls(
            act(chosen.stop, "Stop the server {}"),
            act(chosen.start, "Start the server {} again"),
            act(chosen.cut, "Take the connection to Keeper away from {}"),
            act(chosen.mend, "Give {} its connection to Keeper back"),
        )


def _run(command: str, place: str, shard: int) -> None:
    host, _, port = place.rpartition(":")
    subprocess.run(command.format(host=host, port=port, shard=shard), shell=True, check=True)


def _ask(words: str) -> None:
    sys.stdout.write(f"{words}, then press Enter: ")
    sys.stdout.flush()
    if not sys.stdin.readline():
        raise AssertionError("nobody is there to ask: give commands instead of --pause")


@dataclass
class Run:
    """All checks, one after the other. `ending` stops the nodes that they start."""

    nodes: Official
    verdict: Verdict
    ending: ExitStack
    acts: Acts

    def all(self) -> None:
        places = self.verdict.of("every server belongs to the cluster", self._places)
        migrated = places and self.verdict.of("errata migrate", self._migrated)
        web = migrated and self.verdict.of("two web nodes start", self._web)
        if not (places and web):
            self.verdict.not_run("all others", "they need what failed")
            return
        first, second = web
        chance = random.Random(0)
        shards, clients = list(places), self.nodes.clients()
        projects = self.verdict.of(
            "each shard has a project", lambda: one_project_a_shard(self.nodes, first.address, shards)
        )
        if projects is None:
            self.verdict.not_run("all others", "they need projects")
            return
        sent = deliveries_of(projects)
        both = [first.address, second.address]
        self.verdict.of(
            "deliveries, three times through two web nodes",
            lambda: deliver_thrice(self.nodes, both, projects, sent, chance),
        )
        self.verdict.of(
            "each event counts once, before the first build",
            lambda: each_event_counts_once(self.nodes, both, projects, sent),
        )
        self.verdict.of("the marts of all shards are built", lambda: build(self.nodes))
        self.verdict.of(
            "each event counts once, after it",
            lambda: each_event_counts_once(self.nodes, both, projects, sent),
        )
        self._between_shards(
            shards,
            "no id is on two shards, and each event is on that of its project",
            lambda: no_id_is_on_two_shards(self.nodes, clients, projects, sent),
        )
        known = list(projects.values())
        self.verdict.of(
            "REST answers the same after a web node is killed",
            lambda: self._same_answers(first, second, known),
        )
        self.verdict.of(
            "deliveries go on after a web node is killed", lambda: self._delivers(second.address, known)
        )
        self._move(shards, clients, projects, second.address)
        for number in shards:
            self._replicas(
                number,
                places[number],
                second.address,
                lambda shard: self._project_on(shard, second.address, known),
            )

    def _project_on(self, shard: int, address: str, known: list[Project]) -> Project:
        found = project_on(self.nodes, address, known, shard)
        known.append(found)
        return found

    def _places(self) -> Mapping[int, tuple[str, ...]]:
        found = self.nodes.places()
        for of_shard in found.values():
            for place in of_shard:
                require_version(self.nodes.client(place))
        return found

    def _migrated(self) -> bool:
        said = self.nodes.migrate()
        for number in self.nodes.places():
            assert f"added shard {number}," in said, f"it added no shard {number}: {said[-MOST_OF_A_REASON:]}"
        return True

    def _web(self) -> tuple[WebNode, WebNode]:
        first, second = (self.ending.enter_context(self.nodes.node(name)) for name in ("first", "second"))
        for node in (first, second):
            checks = self.nodes.ask(node.address, "health")["checks"]
            assert checks["shards"] == "ok", f"/api/health says that shards are {checks['shards']}"
        return first, second

    def _between_shards(self, shards: Sequence[int], name: str, check: Callable[[], object]) -> bool:
        if len(shards) < 2:
            self.verdict.not_run(name, "the cluster has one shard")
            return False
        return self.verdict.of(name, lambda: check() or True) is not None

    def _same_answers(self, first: WebNode, second: WebNode, projects: Sequence[Project]) -> str:
        _wait_for_room_in_the_hour()
        before = rest_answers(self.nodes, first.address, projects)
        first.kill()
        after = rest_answers(self.nodes, second.address, projects)
        wrong = {
            path: found[0]
            for path in before.keys() | after.keys()
            if (found := list(differences(before.get(path), after.get(path), "")))
        }
        assert not wrong, f"{len(wrong)} of {len(before)} differ: {dict(list(wrong.items())[:3])}"
        assert before, "REST was asked nothing"
        return f"{len(before)} answers"

    def _delivers(self, address: str, projects: Sequence[Project]) -> None:
        for project in projects:
            status = self.nodes.deliver(address, project.app_key, errors("AfterwardsError"))
            assert status == 200, f"a delivery to {project.slug} was refused with {status}"

    def _move(
        self,
        shards: Sequence[int],
        clients: Mapping[int, Warehouse],
        projects: Mapping[int, Project],
        address: str,
    ) -> None:
        project, source, to = projects[shards[0]], shards[0], shards[-1]
        has_moved = self._between_shards(
            shards,
            "a project moves under load",
            lambda: moves_under_load(self.nodes, clients, address, project, to),
        )
        confirmed = "what the project left is deleted once confirmed"
        if has_moved:
            self.verdict.of(
                confirmed, lambda: leaves_nothing_once_confirmed(self.nodes, clients, project, source, to)
            )
        else:
            self.verdict.not_run(confirmed, "no project has moved")

    def _replicas(
        self, shard: int, places: Sequence[str], address: str, project_on: Callable[[int], Project]
    ) -> None:
        reach = f"shard {shard}: rows inserted on one replica appear on the other"
        once = f"shard {shard}: a repeated insert on the other replica counts once"
        stopped = f"shard {shard}: deliveries and pages outlive a stopped replica, which catches up"
        keeper = f"shard {shard}: a replica without Keeper is passed over, and catches up"
        if len(places) < 2:
            for name in (reach, once, stopped, keeper):
                self.verdict.not_run(name, f"shard {shard} has one server")
            return
        pair = Replicas(self.nodes, *places[:2])
        self.verdict.of(reach, pair.rows_reach_the_other)
        self.verdict.of(once, pair.a_repeated_insert_counts_once)
        stop, start, cut, mend = self.acts.stop, self.acts.start, self.acts.cut, self.acts.mend
        if stop and start:
            self.verdict.of(
                stopped,
                lambda: pair.outlive_a_stop(address, project_on(shard), stop(shard), start(shard)),
            )
        else:
            self.verdict.not_run(stopped, "give --stop and --start, or --pause")
        if cut and mend:
            self.verdict.of(
                keeper,
                lambda: pair.outlive_a_lost_keeper(address, project_on(shard), cut(shard), mend(shard)),
            )
        else:
            self.verdict.not_run(keeper, "give --cut and --mend, or --pause")


def _wait_for_room_in_the_hour() -> None:
    """Charts begin another hour later once an hour is over."""
    left = 3600 - time.time() % 3600
    if left < ASKED_WITHIN_SECONDS:
        time.sleep(left + 1)


def _reason(error: Exception) -> str:
    """With what the program has said that failed."""
    said = (
        f"{error.output}" if isinstance(error, subprocess.CalledProcessError) and error.output else f"{error}"
    )
    return " ".join((said or type(error).__name__).split())[-MOST_OF_A_REASON:]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
