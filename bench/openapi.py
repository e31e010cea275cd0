"""Requests made from the OpenAPI document against the whole API: `python -m bench.openapi [--examples 60]`.

Every check of schemathesis is on; the exit code is 0 where none failed. `--paths` is a regular expression.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.openapi_requests import OF_PERSONS, ask_by_schema
from tests.openapi_service import serving_openapi
from tests.processes import start_warehouse


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.openapi", description=__doc__)
    parser.add_argument("--examples", type=int, default=60, help="of each operation, in the fuzzing phase")
    parser.add_argument("--phases", default="examples,coverage,fuzzing,stateful")
    parser.add_argument("--paths", default="", help="only these")
    parser.add_argument("--session", action="store_true", help="signed in; without paths: what needs it")
    parser.add_argument("--hours", type=float, default=2.0, help="at most")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="errata-openapi-") as made:
        folder = Path(made)
        (folder / "warehouse").mkdir()
        warehouse = start_warehouse(folder / "warehouse")
        try:
            admin = warehouse.client(Role.ADMIN)
            migrate(admin)
            admin.close()
            with serving_openapi(warehouse, folder) as service:
                asked = ask_by_schema(
                    service,
                    folder,
                    service.by_session if chosen.session else service.by_key,
                    phases=chosen.phases.split(","),
                    examples=chosen.examples,
                    paths=chosen.paths or (OF_PERSONS if chosen.session else ""),
                    seconds=round(chosen.hours * 3600),
                )
        finally:
            warehouse.stop()
    sys.stdout.write(asked.stdout + asked.stderr)
    sys.exit(asked.returncode)


if __name__ == "__main__":
    main()
