"""Texts of stacks, as languages print them, read into exceptions with frames. A language is one file."""

from collections.abc import Callable, Iterator

from errata_wire.otlp.raised import Raised
from errata_wire.otlp.stacks import dotnet, go, java, javascript, php, python, ruby

# Of one text: what follows is left out.
LONGEST_TEXT = 256 << 10
MOST_EXCEPTIONS = 50

# By `telemetry.sdk.language`.
READERS: dict[str, Callable[[str], Iterator[Raised]]] = {
    "python": python.exceptions,
    "java": java.exceptions,
    "nodejs": javascript.exceptions,
    "webjs": javascript.exceptions,
    "dotnet": dotnet.exceptions,
    "ruby": ruby.exceptions,
    "php": php.exceptions,
    "go": go.exceptions,
}


def exceptions_of(language: str, stack: str) -> list[Raised]:
    """The chain, oldest cause first; empty for a language that isn't known, and a text that isn't read."""
    read = READERS.get(language)
    return list(read(stack[:LONGEST_TEXT].replace("\r\n", "\n")))[-MOST_EXCEPTIONS:] if read else []
