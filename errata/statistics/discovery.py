"""How many of many findings may be false: q-values of tests made together."""

from collections.abc import Sequence


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The smallest rate of false discoveries at which each would be one: min over larger p of p·n/rank.

    Benjamini & Hochberg, Journal of the Royal Statistical Society B 57 (1995): it holds where tests are
    independent or positively dependent, as pages and metrics of one release are: what slows one slows others.
    """
    return _stepped_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """The same under any dependence, dearer by 1 + 1/2 + … + 1/n.

    Benjamini & Yekutieli, Annals of Statistics 29 (2001). Values of one tag need it: where one has more, the
    others have less.
    """
    return _stepped_up(p_values, _dependence_penalty(len(p_values)))


def selected_level(level: float, found_count: int, tested_count: int) -> float:
    """Level for the intervals of selected findings, which would miss more often at the ordinary one."""
    return level * found_count / (tested_count * _dependence_penalty(tested_count)) if found_count else level


def _dependence_penalty(count: int) -> float:
    return sum(1 / rank for rank in range(1, count + 1))


def _stepped_up(p_values: Sequence[float], penalty: float) -> list[float]:
    order = sorted(range(len(p_values)), key=lambda index: p_values[index], reverse=True)
    q_values = [1.0] * len(p_values)
    smallest = 1.0
    for place, index in enumerate(order):
        rank = len(p_values) - place
        smallest = min(smallest, p_values[index] * penalty * len(p_values) / rank)
        q_values[index] = smallest
    return q_values
