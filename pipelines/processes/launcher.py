"""How Dagster has runs started, and ended by whoever watches them on its pages."""

from pathlib import Path
from typing import TYPE_CHECKING

import dagster as dg
from dagster._core.launcher.base import LaunchRunContext
from dagster._core.remote_representation.code_location import InProcessCodeLocation
from dagster._core.storage.tags import GRPC_INFO_TAG
from dagster._grpc.types import ExecuteExternalJobArgs
from dagster._serdes import serialize_value

from pipelines.processes.requests import Act, Request, asked

if TYPE_CHECKING:
    from dagster._core.remote_origin import RemoteJobOrigin


class ForkingRunLauncher(dg.DefaultRunLauncher):
    """Runs of a daemon that has loaded the definitions itself are forked. Those of others, such as
    `dagster dev`, start as Dagster's own launcher has it."""

    def launch_run(self, context: LaunchRunContext) -> None:
        origin = context.dagster_run.remote_job_origin
        if origin is None or not _is_of_this_process(context, origin):
            super().launch_run(context)
            return
        run_id = context.dagster_run.run_id
        arguments = ExecuteExternalJobArgs(
            job_origin=origin, run_id=run_id, instance_ref=self._instance.get_ref()
        )
        asked(self._home, Request(Act.START_RUN, run_id, serialize_value(arguments)))

    def terminate(self, run_id: str) -> bool:
        run = self._instance.get_run_by_id(run_id) if self.has_instance else None
        if run is None or run.is_finished or GRPC_INFO_TAG in run.tags:
            return bool(super().terminate(run_id))  # type: ignore[no-untyped-call]
        self._instance.report_run_canceling(run)
        try:
            return asked(self._home, Request(Act.END_RUN, run_id))
        except OSError as error:
            message = f"No running pipelines on this host can stop it: {error}"
            self._instance.report_engine_event(message, run, cls=self.__class__)
            return False

    @property
    def _home(self) -> Path:
        return Path(self._instance.root_directory)


def _is_of_this_process(context: LaunchRunContext, origin: "RemoteJobOrigin") -> bool:
    name = origin.repository_origin.code_location_origin.location_name
    return context.workspace is not None and isinstance(
        context.workspace.get_code_location(name), InProcessCodeLocation
    )
