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
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

import pipelines.marts
from bench.figures import figure
from demo.folder import DemoFolder
from demo.service import Service as Demonstrated
from demo.set_up import SetUp
from errata.up.data_directory import DataDirectory
from errata.warehouse.roles import Role
from pipelines.definitions import defs
from pipelines.resources import StateResource, WarehouseResource
from tests.service import Service, running


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--weeks", type=int, default=8)
    weeks = parser.parse_args().weeks
    with tempfile.TemporaryDirectory(prefix="errata-bench-") as made:
        folder = DemoFolder(Path(made))
        with running("--no-pipelines", directory=folder.data) as service, _shipping(folder):
            known = folder.credentials()
            set_up = SetUp(folder, Demonstrated(known), weeks, lambda sentence: None, threading.Event())
            set_up.run()
            time.sleep(set_up.seconds_until_settled())
            _materialize(service, weeks)


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
    graph = defs.get_repository_def().asset_graph
    made = {
        key: definition
        for definition in defs.assets or ()
        if isinstance(definition, dg.AssetsDefinition)
        for key in definition.keys
    }
    done: set[int] = set()
    for key in graph.toposorted_asset_keys:
        definition = made.get(key)
        if definition is None or id(definition) in done:
            continue
        done.add(id(definition))
        before, warehouse_before = time.process_time(), service.cpu_seconds()["warehouse"]
        result = dg.materialize([definition], resources=resources, raise_on_error=True)
        spent = time.process_time() - before
        engine = service.cpu_seconds()["warehouse"] - warehouse_before
        assert result.success
        facts = {"asset": definition.node_def.name, "weeks": weeks}
        figure("asset_cpu", spent + engine, "CPU seconds", engine=round(engine, 3), **facts)


if __name__ == "__main__":
    main()
