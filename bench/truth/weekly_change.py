"""Whether the interval of a week's change has the true one."""

from datetime import date, timedelta

import numpy as np

from bench.figures import figure
from bench.truth.trials import arguments
from errata.statistics.weekly_change import weekly_change

MONDAY = date(2026, 11, 9)
SLOWER = 0.05
SPREAD = 0.04


def trials(count: int) -> None:
    """Weeks of independent days, of which the second is 5% slower."""
    held, generator = 0, np.random.default_rng(9)
    for _ in range(count):
        values = 1000 * np.exp(generator.normal(0, SPREAD, 14)) * np.repeat([1.0, 1 + SLOWER], 7)
        days = {MONDAY + timedelta(days=number - 7): value for number, value in enumerate(values.tolist())}
        found = weekly_change(days, MONDAY)
        held += found is not None and found.low <= SLOWER <= found.high
    figure("weekly_interval_holds_truth", held / count, "ratio", trials=count)


def main() -> None:
    trials(arguments(__doc__ or "").trials)


if __name__ == "__main__":
    main()
