"""Colours that mean something; series that mean nothing take the template's.

They are as light as white words on them and the surfaces of light and dark pages allow.
"""

from collections.abc import Mapping

WORSE = "rgb(205,66,66)"
BETTER = "rgb(30,130,74)"
FAIR = "rgb(174,99,18)"
MUTED = "rgba(128,136,150,0.9)"

VERDICTS: Mapping[str, str] = {"worse": WORSE, "better": BETTER}
RATINGS: Mapping[str, str] = {"good": BETTER, "needs_improvement": FAIR, "poor": WORSE}


def of_verdict(verdict: str) -> str:
    """Muted where nothing changed or nothing is known."""
    return VERDICTS.get(verdict, MUTED)
