"""Dagster's daemon with the definitions in its own process: a tick asks no server."""

import time
from contextlib import ExitStack, suppress

import dagster as dg
from dagster._core.instance.ref import InstanceRef
from dagster._core.workspace.context import WorkspaceProcessContext
from dagster._core.workspace.load_target import InProcessWorkspaceLoadTarget
from dagster._daemon.controller import DagsterDaemonController, create_daemons_from_instance
from dagster._utils.interrupts import capture_interrupts, raise_interrupts_as

from pipelines.processes.code import origin

CHECK_EVERY_SECONDS = 5


def run_daemon(reference: InstanceRef) -> None:
    """Until SIGTERM. Raises when one of its threads has ended."""
    with capture_interrupts(), suppress(KeyboardInterrupt), ExitStack() as stack:
        instance = stack.enter_context(dg.DagsterInstance.from_ref(reference))
        daemons = [stack.enter_context(daemon) for daemon in create_daemons_from_instance(instance)]
        target = InProcessWorkspaceLoadTarget(origin())
        workspace = stack.enter_context(WorkspaceProcessContext(instance, target))
        controller = stack.enter_context(DagsterDaemonController(workspace, daemons))
        while True:
            with raise_interrupts_as(KeyboardInterrupt):
                time.sleep(CHECK_EVERY_SECONDS)
            controller.check_daemon_threads()
