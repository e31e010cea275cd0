"""Secrets of a file, which names where they are: `${env:NAME}` or `file:PATH`."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from errata.errors import InvalidParameter
from errata.state.sealed_secrets import LONGEST_SECRET

VARIABLE = re.compile(r"\$\{env:([A-Za-z_][A-Za-z0-9_]{0,199})\}", re.ASCII)
FILE = "file:"
PATTERN = r"^(\$\{env:[A-Za-z_][A-Za-z0-9_]{0,199}\}|file:.+)$"


@dataclass(frozen=True)
class References:
    """`folder`: that of the file, from which relative paths lead."""

    environ: Mapping[str, str]
    folder: Path

    def value(self, reference: str) -> str | None:
        """The secret; None if the variable isn't set or the file doesn't exist. Raises InvalidParameter."""
        if variable := VARIABLE.fullmatch(reference):
            return self.environ.get(variable[1]) or None
        if not reference.startswith(FILE):
            raise InvalidParameter("secret", "a reference: ${env:NAME} or file:PATH, never the secret itself")
        path = self.folder / reference.removeprefix(FILE)
        try:
            with path.open("rb") as file:
                content = file.read(LONGEST_SECRET + 1)
            return content.decode().strip()[:LONGEST_SECRET] or None
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or "not UTF-8 text"
            raise InvalidParameter("secret", f"{path} can't be read: {reason}") from error


def variable_of(name: str) -> str:
    """A name for the variable that holds the secret of a channel."""
    words = re.sub(r"[^A-Z0-9]+", "_", name.upper(), flags=re.ASCII).strip("_")
    return f"CHANNEL_{words or 'X'}_SECRET"[:200]
