"""How many of the values real SDKs sent are filtered that hold no secret, of those captured in tests/data."""

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.figures import figure
from errata.scrubbing import in_our_words, scrubbed

DATA = Path(__file__).parents[1] / "tests" / "data"


def main() -> None:
    counts: Counter[str] = Counter()
    places: Counter[str] = Counter()
    for directory in [DATA, *map(Path, sys.argv[1:])]:
        for file in sorted(directory.glob("*.jsonl.gz")):
            with gzip.open(file) as lines:
                for line in lines:
                    _count(line, counts, places)
    figure(
        "harmless_values_filtered",
        counts["filtered"] / counts["values"],
        "of all values",
        values=counts["values"],
        filtered=counts["filtered"],
        places=dict(places),
    )


def _count(line: bytes, counts: Counter[str], places: Counter[str]) -> None:
    sent = in_our_words(line.strip())
    before, after = json.loads(sent), json.loads(sent)
    scrubbed(after, sent)
    for path, value, stored in values(before, after):
        counts["values"] += 1
        if value != stored:
            counts["filtered"] += 1
            places[path] += 1


def values(before: Any, after: Any, path: str = "") -> Iterator[tuple[str, Any, Any]]:
    """Each value of a payload with its place, and what is stored of it."""
    if isinstance(before, dict):
        for name, value in before.items():
            stored = after.get(name, None) if isinstance(after, dict) else after
            yield from values(value, stored, f"{path}.{name}")
    elif isinstance(before, list):
        for number, value in enumerate(before):
            stored = after[number] if isinstance(after, list) and number < len(after) else after
            yield from values(value, stored, path)
    else:
        yield path, before, after


if __name__ == "__main__":
    main()
