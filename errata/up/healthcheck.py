"""`errata healthcheck`: whether the service on a data directory answers that it is well."""

import sys
from pathlib import Path

from errata.up.answers import answers
from errata.up.data_directory import DataDirectory


def healthcheck(data: Path) -> int:
    """0 where `/api/health` answers with 200 on this machine, else 1."""
    address = DataDirectory(data.resolve()).holder().rpartition(" at ")[2]
    is_well = address.startswith("http") and answers(f"{address}/api/health")
    sys.stdout.write("healthy\n" if is_well else "not healthy\n")
    return 0 if is_well else 1
