"""How many of many finds may be false: q-values over all pages and metrics of a release."""

from collections.abc import Sequence


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """The smallest rate of false discoveries at which each would be one: min over larger p of p·n/rank.

    Benjamini & Hochberg, Journal of the Royal Statistical Society B 57 (1995): it holds where tests are
    independent or positively dependent, as pages and metrics of one release are: what slows one slows others.
    """
    return _stepped_up(p_values, 1.0)


def benjamini_yekutieli(p_values: Sequence[float]) -> list[float]:
    """The same for ordinary p-values under any dependence, dearer by 1 + 1/2 + … + 1/n.

    Benjamini & Yekutieli, Annals of Statistics 29 (2001).
    """
    return _stepped_up(p_values, sum(1 / rank for rank in range(1, len(p_values) + 1)))


def _stepped_up(p_values: Sequence[float], penalty: float) -> list[float]:
    order = sorted(range(len(p_values)), key=lambda index: p_values[index], reverse=True)
    q_values = [1.0] * len(p_values)
    smallest = 1.0
    for place, index in enumerate(order):
        rank = len(p_values) - place
        smallest = min(smallest, p_values[index] * penalty * len(p_values) / rank)
        q_values[index] = smallest
    return q_values
