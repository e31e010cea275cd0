"""How much slower each hour of the week is than the others."""

import numpy as np

from errata.statistics.stratified import Floats, Integers

# So many median absolute deviations from its cell's median, a value counts as no further away.
FURTHEST = 4.0


def hour_effects(values: Floats, hours: Integers, cells: Integers, counts: Floats) -> Floats:
    """For each value, by how much values of its hour are above those of all hours.

    Values are compared within cells (a page, device and release), so that neither can pass for an hour. An
    hour's mean is drawn towards 0 by as much as chance may be in it: the random effects of DerSimonian &
    Laird, Controlled Clinical Trials 7 (1986). Values are counted by `counts`: one user's many visits in an
    hour make no season.
    """
    away = values - _medians(values, cells)
    limit = FURTHEST * float(np.median(np.abs(away)))
    away = np.clip(away, -limit, limit)
    held = np.bincount(hours, counts)
    known = held > 0
    held = np.where(known, held, 1.0)
    means = np.where(known, np.bincount(hours, counts * away) / held, 0.0)
    means = np.where(known, means - float(held[known] @ means[known]) / float(held[known].sum()), 0.0)
    spread = float(counts @ (away - means[hours]) ** 2) / float(counts.sum())
    noise = np.where(known, spread * np.bincount(hours, counts**2) / held**2, 0.0)
    weights = np.where(known, held, 0.0)
    left = float(weights.sum() - weights @ weights / weights.sum())
    # What hours differ by beyond chance.
    between = max(0.0, float(weights @ (means**2 - noise)) / left) if left > 0 else 0.0
    if not between:
        return np.zeros(len(values))
    effects: Floats = means * between / (between + noise)
    return effects[hours]


def _medians(values: Floats, cells: Integers) -> Floats:
    """Of each value's cell."""
    order = np.lexsort((values, cells))
    found, starts, sizes = np.unique(cells[order], return_index=True, return_counts=True)
    sorted_values = values[order]
    middles = (sorted_values[starts + (sizes - 1) // 2] + sorted_values[starts + sizes // 2]) / 2
    medians: Floats = middles[np.searchsorted(found, cells)]
    return medians
