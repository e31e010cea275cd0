"""The definitions in the process that uses them, without a server between."""

import sys
from importlib import import_module

from dagster._core.definitions.reconstruct import ReconstructableRepository
from dagster._core.remote_origin import InProcessCodeLocationOrigin
from dagster._core.types.loadable_target_origin import LoadableTargetOrigin
from dagster._grpc.server import LoadedRepositories

from errata.warehouse.python_marts import PYTHON_MARTS

LOCATION = "pipelines.definitions"
# What runs import when they need it: with numpy and scipy two seconds of CPU, of each run.
NEEDED = ("errata.state.heartbeats", *(made.module for made in PYTHON_MARTS))


def origin() -> InProcessCodeLocationOrigin:
    target = LoadableTargetOrigin(module_name=LOCATION, executable_path=sys.executable)
    return InProcessCodeLocationOrigin(target, location_name=LOCATION)


def load_definitions() -> ReconstructableRepository:
    """Loads them, and modules that runs need, for this process and those forked from it."""
    for name in NEEDED:
        import_module(name)
    own = origin()
    loaded = LoadedRepositories(
        own.loadable_target_origin,
        container_image=None,
        entry_point=own.entry_point,
        container_context=None,
    )
    (repository,) = loaded.reconstructables_by_name.values()
    return repository
