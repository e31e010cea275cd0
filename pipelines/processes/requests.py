"""What is asked of the process that forks runs: a line over a socket that only its user can reach."""

import json
import socket
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

ANSWERED_WITHIN_SECONDS = 60.0
# Beside Dagster's storage, where every process of it finds the path of the socket.
ADDRESS_FILE = "forks"


class Act(StrEnum):
    START_RUN = "start_run"
    END_RUN = "end_run"
    LOAD_ANEW = "load_anew"


@dataclass(frozen=True)
class Request:
    """`arguments`: what a run is started with, as Dagster writes it."""

    act: Act
    run_id: str = ""
    arguments: str = ""

    def line(self) -> bytes:
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def of(cls, line: bytes) -> "Request":
        told = json.loads(line)
        return cls(Act(told["act"]), told["run_id"], told["arguments"])


def asked(home: Path, request: Request) -> bool:
    """Whether it was done. Raises OSError if nobody forks runs for this DAGSTER_HOME."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(ANSWERED_WITHIN_SECONDS)
        connection.connect((home / ADDRESS_FILE).read_text())
        connection.sendall(request.line())
        with connection.makefile("rb") as answer:
            return answer.readline() == b"done\n"
