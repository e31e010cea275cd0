"""`${NAME}` in a text of errata.yaml: taken from the environment, where secret stores put what they hold."""

import re
from collections.abc import Mapping

_VARIABLE = re.compile(r"\$\$\{|\$\{(?P<name>[^}]*)(?P<end>\}?)")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class VariableProblem(ValueError):
    """What is wrong with a variable, with its remedy."""


def names_variable(text: str) -> bool:
    return any(match["name"] is not None for match in _VARIABLE.finditer(text))


def with_environment(text: str, environment: Mapping[str, str]) -> str:
    """The text with each `${NAME}` replaced and each `$${` made `${`. Raises VariableProblem."""
    return _VARIABLE.sub(lambda match: _value(match, environment), text)


def _value(match: re.Match[str], environment: Mapping[str, str]) -> str:
    name = match["name"]
    if name is None:
        return "${"
    if not match["end"] or not _NAME.fullmatch(name):
        raise VariableProblem("contains an invalid variable; write ${NAME}, or $${ for a literal ${")
    value = environment.get(name)
    if value is None:
        raise VariableProblem(
            f"the environment variable {name} is not set; set it in the shipper's environment"
        )
    if not value:
        raise VariableProblem(
            f"the environment variable {name} is empty; set it in the shipper's environment"
        )
    return value
