"""One JSON line a figure."""

import json
import sys


def figure(name: str, value: float, unit: str, **facts: object) -> None:
    sys.stdout.write(json.dumps({"figure": name, "value": round(value, 4), "unit": unit, **facts}) + "\n")
    sys.stdout.flush()
