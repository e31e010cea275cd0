"""The sensor that loads the definitions anew when partitions would begin on earlier days."""

from collections.abc import Mapping
from datetime import date
from pathlib import Path

import dagster as dg
from dagster._core.remote_origin import InProcessCodeLocationOrigin

from errata.warehouse.client import QueryFailed, WarehouseUnavailable
from pipelines.first_days import first_days
from pipelines.processes.requests import Act, Request, asked
from pipelines.resources import WarehouseResource

# It may wait for a tick of the sensor of new rows, which goes on for half a minute.
LOOK_EVERY_SECONDS = 30
# Definitions load in seconds; on a busy machine in more.
RELOADED_WITHIN_SECONDS = 300


def first_days_sensor(name: str, loaded: Mapping[str, date]) -> dg.SensorDefinition:
    """Has the server of this code load it again once there are earlier rows than when it was loaded.
    `loaded`: the first days then."""

    @dg.sensor(
        name=name,
        minimum_interval_seconds=LOOK_EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description=(
            "Reloads the definitions when older rows arrive, so that their days become partitions too."
        ),
    )
    def followed(context: dg.SensorEvaluationContext, warehouse: WarehouseResource) -> dg.SkipReason:
        try:
            found = first_days([shard.client for shard in warehouse.each()])
        except (dg.Failure, WarehouseUnavailable, QueryFailed) as error:
            return dg.SkipReason(f"{error}")
        earlier = sorted(mart for mart, day in found.items() if day < loaded.get(mart, date.max))
        if not earlier:
            return dg.SkipReason("partitions begin with the first rows")
        origin = context.code_location_origin
        if isinstance(origin, InProcessCodeLocationOrigin):
            asked(Path(context.instance.root_directory), Request(Act.LOAD_ANEW))
        # A server that only the daemon or a command started loads the code anew by itself.
        elif connect := getattr(origin, "create_client", None):
            connect().reload_code(RELOADED_WITHIN_SECONDS)
        return dg.SkipReason(f"reloaded: earlier rows in {len(earlier)} marts, from {min(found.values())}")

    return followed
