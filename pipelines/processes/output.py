"""What runs print."""

import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from dagster._core.execution.compute_logs import redirect_to_file
from dagster._core.storage.compute_log_manager import CapturedLogContext, ComputeIOType
from dagster._core.storage.local_compute_log_manager import IO_TYPE_EXTENSION, LocalComputeLogManager
from dagster._serdes import ConfigurableClassData


class QuietLogManager(LocalComputeLogManager):
    """Keeps it in the files of Dagster's own manager, which also copies it to the console at once, by four
    processes a run. Here the console gets it at the end."""

    @classmethod
    def from_config_value(
        cls, inst_data: ConfigurableClassData | None, config_value: Mapping[str, Any]
    ) -> "QuietLogManager":
        return cls(inst_data=inst_data, **config_value)

    @contextmanager
    def capture_logs(self, log_key: Sequence[str]) -> Iterator[CapturedLogContext]:
        printed, warned = (
            Path(self.get_captured_local_path(log_key, IO_TYPE_EXTENSION[kind]))
            for kind in (ComputeIOType.STDOUT, ComputeIOType.STDERR)
        )
        printed.parent.mkdir(parents=True, exist_ok=True)
        with _kept(sys.stdout, printed), _kept(sys.stderr, warned):
            yield CapturedLogContext(log_key)
        Path(self.complete_artifact_path(log_key)).touch()  # type: ignore[no-untyped-call]


@contextmanager
def _kept(stream: TextIO, path: Path) -> Iterator[None]:
    try:
        with redirect_to_file(stream, str(path)):
            yield
    finally:
        with path.open() as file:
            shutil.copyfileobj(file, stream)
        stream.flush()
