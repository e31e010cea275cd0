"""The command and the environment of each process that `errata up` starts."""

import os
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from errata.up.child import Child
from errata.up.data_directory import DataDirectory
from errata.up.ports import free_port
from errata.up.questions import WarehouseQuestion, pipelines_answer, web_answers
from errata.up.silence import Silence
from errata.up.web import web_arguments
from errata.warehouse.roles import Role, load_or_create_passwords

if TYPE_CHECKING:
    from errata.up.supervisor import Options


class Environment:
    def __init__(self, directory: DataDirectory, options: "Options", port: int, warehouse_port: int) -> None:
        self._directory = directory
        self._options = options
        self._port = port
        self._warehouse_port = warehouse_port
        self._dagster_port = free_port() if options.with_dagster else 0
        self._passwords = load_or_create_passwords(directory.warehouse_passwords_path)
        self._secret = directory.secret()
        self._questions: dict[str, Callable[[], bool]] = {
            "warehouse": WarehouseQuestion(self.warehouse_url(Role.READ)),
            "web": lambda: web_answers(self.base_url),
        }

    @property
    def base_url(self) -> str:
        scheme = "https" if self._options.tls_cert else "http"
        return f"{scheme}://127.0.0.1:{self._port}"

    @property
    def warehouse_address(self) -> str:
        return f"http://127.0.0.1:{self._warehouse_port}"

    @property
    def dagster_url(self) -> str:
        """Empty without --dagster."""
        return f"http://127.0.0.1:{self._dagster_port}" if self._dagster_port else ""

    @property
    def sends_nothing(self) -> bool:
        return self._options.sends_nothing

    def warehouse_url(self, role: Role) -> str:
        return f"http://{role.value}:{self._passwords[role]}@127.0.0.1:{self._warehouse_port}"

    def child(self, name: str) -> Child:
        arguments, environment = {
            "warehouse": self._warehouse,
            "migration": self._migrate,
            "web": self._web,
        }[name]()
        return Child(
            name,
            [sys.executable, *arguments],
            environment,
            self._directory.run / f"{name}.log",
            logs=self._options.logs,
            silence=Silence(self._questions[name]) if name in self._questions else None,
        )

    def pipelines(self) -> Iterator[Child]:
        if not self._options.with_pipelines:
            return
        environment = {
            "ERRATA_WAREHOUSE_BUILD_URL": self.warehouse_url(Role.BUILD),
            "ERRATA_PIPELINES_ALIVE_PATH": str(self._directory.pipelines_alive_path),
            "ERRATA_STATE_URL": self._directory.state_url,
            "ERRATA_DATA": str(self._directory.path),
            "DAGSTER_HOME": str(self._directory.dagster_home),
        }
        if self._dagster_port:
            environment["ERRATA_PIPELINES_DAGSTER_PORT"] = str(self._dagster_port)
        yield Child(
            "pipelines",
            [sys.executable, "-m", "pipelines"],
            environment,
            self._directory.run / "pipelines.log",
            niceness=10,
            logs=self._options.logs,
            silence=Silence(lambda: pipelines_answer(self._directory.pipelines_alive_path)),
        )

    def _warehouse(self) -> tuple[list[str], dict[str, str]]:
        arguments = ["-m", "errata.warehouse.listener", "--data", str(self._directory.path)]
        return [
            *arguments,
            "--port",
            str(self._warehouse_port),
            "--memory",
            str(self._options.memory_bytes),
        ], {}

    def _migrate(self) -> tuple[list[str], dict[str, str]]:
        return ["-m", "errata", "migrate", "--first-account", str(self._directory.path)], {
            "ERRATA_WAREHOUSE_URL": self.warehouse_url(Role.INGEST),
            "ERRATA_WAREHOUSE_ADMIN_URL": self.warehouse_url(Role.ADMIN),
            "ERRATA_WAREHOUSE_BUILD_URL": self.warehouse_url(Role.BUILD),
            "ERRATA_WAREHOUSE_READ_URL": self.warehouse_url(Role.READ),
            "ERRATA_WAREHOUSE_ANALYST_URL": self.warehouse_url(Role.ANALYST),
            "ERRATA_STATE_URL": self._directory.state_url,
            "ERRATA_SECRET": self._secret,
            "ERRATA_BASE_URL": self.base_url,
        }

    def _web(self) -> tuple[list[str], dict[str, str]]:
        options = self._options
        arguments = web_arguments(
            options.host,
            self._port,
            options.tls_cert,
            options.tls_key,
            workers=options.workers,
            reloads=options.reloads,
            logs=options.logs,
        )
        environment = {
            "ERRATA_WAREHOUSE_URL": self.warehouse_url(Role.INGEST),
            "ERRATA_WAREHOUSE_READ_URL": self.warehouse_url(Role.READ),
            "ERRATA_WAREHOUSE_ANALYST_URL": self.warehouse_url(Role.ANALYST),
            "ERRATA_STATE_URL": self._directory.state_url,
            "ERRATA_SECRET": self._secret,
            "ERRATA_BASE_URL": os.environ.get("ERRATA_BASE_URL") or self.base_url,
            "ERRATA_CREDENTIALS_PATH": str(self._directory.credentials_path),
            "ERRATA_API_SPOOL_PATH": str(self._directory.spool_path),
            "ERRATA_RESTARTS_PATH": str(self._directory.restarts_path),
        }
        if options.workers > 1:
            environment["PROMETHEUS_MULTIPROC_DIR"] = str(self._directory.emptied_metrics_path())
        if not options.with_pipelines:
            environment["ERRATA_BUILDS"] = "false"
        if self.sends_nothing:
            environment["ERRATA_SENDS"] = "false"
        return arguments, environment
