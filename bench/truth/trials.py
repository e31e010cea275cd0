"""What the modules of the laboratory share: arguments, trials on several processes, rates with intervals."""

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from math import inf
from typing import TypeVar

import numpy as np
from scipy.stats import chi2

from errata.statistics.proportion import wilson

Outcome = TypeVar("Outcome")
HOURS_OF_90_DAYS = 90 * 24
Promise = tuple[float, float]
"""The least and the greatest of what is promised."""
NOTHING_PROMISED: Promise = (-inf, inf)
WRONG: Promise = (0.0, 0.05)
INTERVALS: Promise = (0.93, 0.97)
INTERVALS_AT_LEAST: Promise = (0.93, 1.0)
FOUND: Promise = (0.9, 1.0)
ALARMS_IN_90_DAYS: Promise = (0.0, 1.0)


def arguments(description: str) -> argparse.Namespace:
    """`trials`, `processes` and `worlds` (empty: all)."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--trials", type=int, default=400)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--worlds", default="", help="names, separated by semicolons; all by default")
    parsed = parser.parse_args()
    parsed.worlds = [name for name in parsed.worlds.split(";") if name]
    return parsed


def run(trial: Callable[[int], Outcome], count: int, processes: int) -> list[Outcome]:
    """The outcomes of trials 0 to `count` - 1, which are seeded by their number."""
    if processes == 1:
        return [trial(number) for number in range(count)]
    with ProcessPoolExecutor(processes) as pool:
        return list(pool.map(partial(trial), range(count), chunksize=max(1, count // (8 * processes))))


def rate(held: Sequence[bool], promised: Promise = NOTHING_PROMISED) -> str:
    """A share in percent with its 95% interval, bold if it is outside what is promised."""
    return rate_of(sum(held), len(held), promised)


def rate_of(part: int, whole: int, promised: Promise = NOTHING_PROMISED) -> str:
    share = wilson(part, whole)
    if share.value is None:
        return "–"
    value = marked(f"{100 * share.value:.1f}%", share.value, promised)
    return f"{value} ({100 * share.low:.1f}–{100 * share.high:.1f})"


def marked(text: str, value: float, promised: Promise) -> str:
    low, high = promised
    return text if low <= value <= high else f"**{text}**"


def in_90_days(alarms: list[int], hours: int) -> tuple[float, float, float]:
    """Alarms of an issue or a budget in 90 days, with a 95% interval: the wider, the more of them come from
    few."""
    scale = hours / HOURS_OF_90_DAYS * len(alarms)
    total, mean = sum(alarms), np.mean(alarms)
    alike = max(1.0, float(np.var(alarms) / mean)) if total else 1.0
    low = chi2.ppf(0.025, 2 * total / alike) / 2 * alike if total else 0.0
    high = chi2.ppf(0.975, 2 * total / alike + 2) / 2 * alike
    return total / scale, low / scale, high / scale


def table(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> None:
    """Markdown, on standard output after the figures."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    lines += ["| " + " | ".join(row.get(name, "–") for name in columns) + " |" for row in rows]
    sys.stdout.write("\n".join(lines) + "\n")
