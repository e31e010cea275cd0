"""What each asset of Dagster costs: the CPU of its run and of the warehouse, over the demonstration's weeks.

`python -m bench.assets` delivers the demonstration's history to a fresh service and materializes every asset
once, in the order in which they depend on each other.
"""

import argparse
import importlib
import pkgutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import dagster as dg
from aiosmtpd.controller import Controller

import pipelines.marts
from bench.figures import figure
from demo.folder import DemoFolder
from demo.mail import Kept
from demo.service import Service as Demonstrated
from demo.set_up import SetUp
from errata.stop_signal import StopSignal
from errata.up.data_directory import DataDirectory
from errata.warehouse.roles import Role
from pipelines.builder.build import build
from pipelines.definitions import comparisons, judgments
from pipelines.marts.registry import MARTS
from pipelines.resources import StateResource, WarehouseResource
from tests.processes import free_port
from tests.service import Service, running


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--weeks", type=int, default=8)
    weeks = parser.parse_args().weeks
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        folder = DemoFolder(Path(made))
        sink = Controller(Kept(folder.mail), hostname="127.0.0.1", port=free_port())
        sink.start()
        settings = {
            "ERRATA_MAIL_HOST": "127.0.0.1",
            "ERRATA_MAIL_PORT": str(sink.port),
            "ERRATA_MAIL_SECURITY": "none",
        }
        service_of_it = running("--no-pipelines", directory=folder.data, settings=settings)
        with service_of_it as service, _shipping(folder):
            known = folder.credentials()
            set_up = SetUp(folder, Demonstrated(known), weeks, lambda sentence: None, StopSignal())
            set_up.run()
            time.sleep(set_up.seconds_until_settled())
            _materialize(service, weeks)
        sink.stop()


@contextmanager
def _shipping(folder: DemoFolder) -> Iterator[None]:
    known = folder.credentials()
    folder.write_shipper_config(known["base_url"], known["api_key"], known["app_key"])
    record = ("-m", "errata_shipper", "--config", str(folder.shipper_config), "--record")
    shipper = subprocess.Popen([sys.executable, *record], stderr=subprocess.DEVNULL)
    try:
        yield
    finally:
        shipper.terminate()
        shipper.wait(20)


def _materialize(service: Service, weeks: int) -> None:
    resources = {
        "warehouse": WarehouseResource(url=service.warehouse_url(Role.BUILD)),
        "state": StateResource(url=DataDirectory(service.directory).state_url),
    }
    # Assets import what they compute with when they run.
    for module in pkgutil.iter_modules(pipelines.marts.__path__):
        importlib.import_module(f"pipelines.marts.{module.name}")
    builder = service.warehouse(Role.BUILD, 600)
    for mart in MARTS:
        _measured(service, mart.name, weeks, partial(build, builder, mart))
    for made in (*comparisons, *judgments):
        run = partial(dg.materialize, [made], resources=resources)
        _measured(service, made.node_def.name, weeks, run)
    builder.close()


def _measured(service: Service, asset: str, weeks: int, work: Callable[[], object]) -> None:
    before, engine_before = time.process_time(), service.cpu_seconds()["warehouse"]
    work()
    spent, engine = time.process_time() - before, service.cpu_seconds()["warehouse"] - engine_before
    figure("asset_cpu", spent + engine, "CPU seconds", asset=asset, weeks=weeks, engine=round(engine, 3))


if __name__ == "__main__":
    main()
