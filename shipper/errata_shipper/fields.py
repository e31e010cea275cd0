"""The fields of one mapping of errata.yaml, taken out one by one; what is wrong with them is collected."""

import difflib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from errata_shipper.byte_size import bytes_of, text_of
from errata_shipper.duration import seconds_of
from errata_shipper.environment_text import VariableProblem, names_variable, with_environment
from errata_shipper.secret_file import SecretFileProblem, key_in


class Fields:
    """Each taking names its default; `problems` is complete once `name_unknown` was called."""

    def __init__(
        self,
        name: str,
        values: Mapping[Any, Any],
        folder: Path,
        environment: Mapping[str, str],
        problems: list[str] | None = None,
    ) -> None:
        self.problems: list[str] = [] if problems is None else problems
        # Files whose reader would know a key: those named by the fields taken.
        self.secret_files: list[Path] = []
        # Whether a secret stands in the mapping itself.
        self.holds_secret = False
        self._name = name
        self._values = values
        self._folder = folder
        self._environment = environment
        self._known: list[str] = []

    def section(self, name: str) -> "Fields | None":
        """The fields of a mapping inside this one; None if it is absent, or wrong and complained of."""
        self._known.append(name)
        value = self._values.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            self.complain(name, "must be a mapping with indented fields")
            return None
        return Fields(
            f"{self._name}.{name}",
            value,
            self._folder,
            self._environment,
            self.problems,
        )

    def complain(self, name: str, what: str) -> None:
        self.problems.append(f"{self._name}.{name}: {what}")

    def text(self, name: str) -> str:
        """Empty if the field is absent, or wrong and complained of."""
        value = self._take(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.complain(name, f"must be text, not {_kind(value)}; put it in quotes")
            return ""
        if not value.strip():
            self.complain(name, "is empty; enter a value")
            return ""
        return value

    def required_text(self, name: str) -> str:
        self._require(name)
        return self.text(name)

    def secret(self, name: str) -> str:
        """A text that nobody else should read."""
        value = self.text(name)
        raw = self._values.get(name)
        self.holds_secret |= isinstance(raw, str) and not names_variable(raw)
        return value

    def key(self, name: str) -> str:
        """A key that stands in the field, or in the file that the field with `File` added names."""
        in_file = f"{name}File"
        self._known += [name, in_file]
        if self._values.get(in_file) is None:
            self._require(name, f"set it or {in_file}")
            return self._checked_key(name, self.secret(name))
        if self._values.get(name) is not None:
            self.complain(name, f"can't be combined with {in_file}; keep only one")
        return self._key_in_file(in_file)

    def path(self, name: str) -> Path | None:
        """A relative one starts at the folder of errata.yaml."""
        return self._path(value) if (value := self.text(name)) else None

    def required_path(self, name: str) -> Path:
        return self._path(self.required_text(name))

    def duration(self, name: str, default: float, most_hours: int = 24) -> float:
        value = self._take(name)
        if value is None:
            return default
        seconds = seconds_of(value) if isinstance(value, str) else None
        if seconds is None:
            self.complain(name, f"{value!r} is not a duration; use one such as 500ms, 5s, 2m, 1h or 1m30s")
        elif not 0.001 <= seconds <= most_hours * 3600:
            self.complain(
                name, f"{value} is not between 1ms and {most_hours}h; choose a duration in this range"
            )
        return seconds or default

    def size(self, name: str, default: int, smallest: int, largest: int) -> int:
        """Bytes, written with a unit."""
        value = self._take(name)
        if value is None:
            return default
        size = bytes_of(str(value))
        if size is None:
            self.complain(name, f"{value!r} is not a size; use one such as 512KiB, 32MiB or 4GiB")
        elif not smallest <= size <= largest:
            limits = f"between {text_of(smallest)} and {text_of(largest)}"
            self.complain(name, f"{value} is not {limits}; choose a size in this range")
        else:
            return size
        return default

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts, or one alone."""
        value = self._take(name)
        values = value if isinstance(value, list) else [] if value is None else [value]
        if not all(isinstance(each, str) and each for each in values):
            self.complain(name, "must be a list of strings; put each in quotes")
            return ()
        return tuple(values)

    def whole_number(self, name: str, default: int, smallest: int, largest: int) -> int:
        value = self._take_typed(name)
        if value is None:
            return default
        if type(value) is not int:
            self.complain(name, f"must be a whole number, not {_kind(value)}; use one such as {default}")
        elif not smallest <= value <= largest:
            self.complain(
                name, f"{value} is not between {smallest} and {largest}; choose a number in this range"
            )
        else:
            return value
        return default

    def boolean(self, name: str, default: bool) -> bool:
        value = self._take_typed(name)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        self.complain(name, f"must be true or false, not {_kind(value)}; write true or false without quotes")
        return default

    def one_of(self, name: str, choices: Sequence[str], default: str, noun: str) -> str:
        value = self._take(name)
        if value is None:
            return default
        if value not in choices:
            self.complain(name, f"{value!r} is not a {noun}; use one of {', '.join(choices)}")
        return str(value)

    def name_unknown(self) -> None:
        for name in self._values:
            if name not in self._known:
                self.complain(str(name), f"unknown field; {_advice(str(name), self._known)}")

    def _take(self, name: str) -> object:
        self._known.append(name)
        value = self._values.get(name)
        if not isinstance(value, str):
            return value
        try:
            return with_environment(value, self._environment)
        except VariableProblem as problem:
            self.complain(name, str(problem))
            return None

    def _take_typed(self, name: str) -> object:
        """As `_take`, but what the environment gives is text also where a number or a boolean is meant."""
        value, raw = self._take(name), self._values.get(name)
        if not isinstance(value, str) or not isinstance(raw, str) or not names_variable(raw):
            return value
        try:
            return yaml.safe_load(value)
        except yaml.YAMLError:
            return value

    def _require(self, name: str, remedy: str = "see errata.yaml.example") -> None:
        if self._values.get(name) is None:
            self.complain(name, f"is required; {remedy}")

    def _path(self, value: str) -> Path:
        return self._folder.absolute() / Path(value).expanduser()

    def _key_in_file(self, name: str) -> str:
        path = self.path(name)
        if path is None:
            return ""
        self.secret_files.append(path)
        try:
            return self._checked_key(name, key_in(path))
        except SecretFileProblem as problem:
            self.complain(name, str(problem))
            return ""

    def _checked_key(self, name: str, key: str) -> str:
        if re.search(r"\s", key):
            self.complain(name, "contains whitespace; copy the key again without spaces or line breaks")
        elif not key.isascii() or not key.isprintable():
            self.complain(name, "contains invalid characters; copy the key again")
        return key


def _advice(name: str, known: Sequence[str]) -> str:
    by_letters = {re.sub(r"[^a-z]", "", one.lower()): one for one in known}
    known = sorted(set(known))
    close = difflib.get_close_matches(re.sub(r"[^a-z]", "", name.lower()), by_letters, n=1)
    return f"did you mean {by_letters[close[0]]}?" if close else f"the fields are {', '.join(known)}"


def _kind(value: object) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list"}
    return names.get(type(value), "a mapping" if isinstance(value, dict) else f"a {type(value).__name__}")
