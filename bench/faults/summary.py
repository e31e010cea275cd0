"""The results as a table, a row a fault."""

from collections import defaultdict
from collections.abc import Iterable, Iterator

from tests.flow.faults.block import PARTS
from tests.flow.faults.result import Result

COLUMNS = (
    "fault",
    "runs",
    "kills",
    "written",
    "stored",
    "set aside",
    "sent again",
    "counted",
    "lost",
    "twice",
    "false gaps",
    "other",
)


def summary_of(results: Iterable[Result]) -> str:
    """In Markdown. `kills` are those of shipper / web / warehouse; `false gaps`: runs whose ledger
    shows bytes as gone; `other`: runs with another problem."""
    by_fault: dict[str, list[Result]] = defaultdict(list)
    for result in results:
        by_fault[result.fault].append(result)
    rows = [_row(fault, runs) for fault, runs in sorted(by_fault.items())]
    rows.append(_row("**all**", [result for runs in by_fault.values() for result in runs]))
    return "\n".join(_lines(rows))


def _row(name: str, runs: list[Result]) -> list[str]:
    def total(attribute: str) -> int:
        return sum(getattr(run, attribute) for run in runs)

    kills = [sum(run.kills[part] for run in runs) for part in ("shipper", *PARTS)]
    counted = sum(run.counts[-1] for run in runs)
    figures = [
        total("written"),
        total("stored"),
        total("set_aside"),
        total("copies"),
        counted,
        total("lost") + total("uncounted"),
        total("counted_twice"),
        sum(bool(run.missing_bytes) for run in runs),
        sum(bool(run.problems or run.invented) for run in runs),
    ]
    return [name, f"{len(runs):,}", " / ".join(f"{count:,}" for count in kills), *map("{:,}".format, figures)]


def _lines(rows: list[list[str]]) -> Iterator[str]:
    yield f"| {' | '.join(COLUMNS)} |"
    yield f"|{'---|' * 2}{'---:|' * (len(COLUMNS) - 2)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
