"""What came of one run, as a line of the results file."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any


@dataclass
class Result:
    fault: str
    seed: int
    seconds: float
    kills: dict[str, int]
    written: int
    stored: int
    # Lines that stand in `rejected/` on the host and nowhere else.
    set_aside: int
    # Rows of the warehouse beyond the first of each event: deliveries repeated.
    copies: int
    counted: int
    # None until a build has moved the counts from the live edge into the marts.
    counted_after_build: int | None = None
    # What the delivery ledger shows as gone for ever, which nothing ever was here.
    missing_bytes: int = 0
    lost: int = 0
    # Events that are stored, but that no one ever wrote.
    invented: int = 0
    problems: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    folder: str = ""

    @property
    def counts(self) -> list[int]:
        built = self.counted_after_build
        return [self.counted] if built is None else [self.counted, built]

    @property
    def uncounted(self) -> int:
        return max(0, self.stored - min(self.counts))

    @property
    def counted_twice(self) -> int:
        return max(0, max(self.counts) - self.stored)

    @property
    def is_good(self) -> bool:
        wrong = (self.lost, self.invented, self.uncounted, self.counted_twice, self.missing_bytes)
        return not any(wrong) and not self.problems


def append_result(path: Path, result: Result) -> None:
    with path.open("a") as file:
        file.write(json.dumps(asdict(result)) + "\n")


def read_results(path: Path) -> list[Result]:
    """The last one of each fault and seed."""
    if not path.exists():
        return []
    found = {}
    for line in path.read_text().splitlines():
        result = Result(**json.loads(line))
        found[result.fault, result.seed] = result
    return list(found.values())
