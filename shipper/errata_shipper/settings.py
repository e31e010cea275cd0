"""errata.yaml: read once, checked whole, every mistake named with its remedy."""

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from errata_shipper.base_url import problem_of_url
from errata_shipper.duration import seconds_of
from errata_shipper.errors import ConfigurationInvalid
from errata_shipper.yaml_document import yaml_document

SECTION = "errata"
LOG_LEVELS = ("debug", "info", "warn", "error")
MAX_BATCH_SIZE = 10_000


@dataclass(frozen=True)
class Settings:
    api_key: str = field(repr=False)
    app_key: str = field(repr=False)
    base_url: str
    storage_path: Path
    timeout_seconds: float = 60.0
    batch_size: int = 100
    flush_interval_seconds: float = 10.0
    compress: bool = True
    log_level: str = "info"
    verbose: bool = False
    ca_file: str | None = None
    allow_http: bool = False


def load_settings(path: Path) -> Settings:
    document = yaml_document(path)
    reader = _Reader(path.parent)
    settings = reader.settings(document)
    if settings is None:
        raise ConfigurationInvalid(path, reader.problems)
    return settings


def warnings_about(path: Path, settings: Settings) -> list[str]:
    """What works but should be mended: readable keys, keys that look swapped."""
    found = []
    if path.stat().st_mode & 0o006:
        found.append(f"{path} can be read or written by every user of this host; run: chmod 600 {path}")
    if settings.api_key.startswith("errata_app_"):
        found.append("errata.apiKey holds an application key (errata_app_…); it needs the API key")
    elif not settings.api_key.startswith("errata_api_"):
        found.append("errata.apiKey does not begin with errata_api_; copy it again from Settings, API Tokens")
    if settings.app_key.startswith("errata_api_"):
        found.append("errata.appKey holds an API key (errata_api_…); it needs the project's application key")
    elif not settings.app_key.startswith("errata_app_"):
        found.append("errata.appKey does not begin with errata_app_; copy it again from the project settings")
    return found


class _Reader:
    """Takes fields out of the mapping and collects what is wrong with them."""

    def __init__(self, folder: Path) -> None:
        self.problems: list[str] = []
        self._folder = folder
        self._fields: Mapping[Any, Any] = {}
        self._known: list[str] = []

    def settings(self, document: object) -> Settings | None:
        if not self._take_section(document):
            return None
        allow_http = self._bool("allowHttp", False)
        settings = Settings(
            api_key=self._key("apiKey"),
            app_key=self._key("appKey"),
            base_url=self._base_url("baseUrl", allow_http),
            storage_path=self._path(self._required_text("storagePath")),
            timeout_seconds=self._duration("timeout", 60.0),
            batch_size=self._batch_size("batchSize", 100),
            flush_interval_seconds=self._duration("flushInterval", 10.0),
            compress=self._bool("compress", True),
            log_level=self._log_level("logLevel", "info"),
            verbose=self._bool("verbose", False),
            ca_file=self._ca_file("caFile"),
            allow_http=allow_http,
        )
        self._name_unknown()
        return None if self.problems else settings

    def _take_section(self, document: object) -> bool:
        if not isinstance(document, dict) or list(document) != [SECTION]:
            self.problems.append(f"must hold one top-level mapping named {SECTION}, and nothing beside it")
            return False
        if not isinstance(document[SECTION], dict):
            self.problems.append(f"{SECTION} must be a mapping of fields, indented below it")
            return False
        self._fields = document[SECTION]
        return True

    def _complain(self, name: str, what: str) -> None:
        self.problems.append(f"{SECTION}.{name}: {what}")

    def _take(self, name: str) -> object:
        self._known.append(name)
        return self._fields.get(name)

    def _text(self, name: str) -> str:
        """Empty if the field is absent, or wrong and complained of."""
        value = self._take(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self._complain(name, f"must be text, not {_kind(value)}; put it in quotes")
            return ""
        if not value.strip():
            self._complain(name, "is empty; fill it in")
            return ""
        return value

    def _required_text(self, name: str) -> str:
        if self._fields.get(name) is None:
            self._complain(name, "is required; see errata.yaml.example")
        return self._text(name)

    def _key(self, name: str) -> str:
        value = self._required_text(name)
        if re.search(r"\s", value):
            self._complain(name, "holds white space; copy the key again without blanks or line breaks")
        elif not value.isascii() or not value.isprintable():
            self._complain(name, "holds characters that no key has; copy the key again")
        return value

    def _path(self, value: str) -> Path:
        return self._folder.absolute() / Path(value).expanduser()

    def _ca_file(self, name: str) -> str | None:
        value = self._text(name)
        if not value:
            return None
        path = self._path(value)
        if not path.is_file():
            self._complain(name, f"no file {path}; give the path of a PEM file with CA certificates")
        return str(path)

    def _duration(self, name: str, default: float) -> float:
        value = self._take(name)
        if value is None:
            return default
        seconds = seconds_of(value) if isinstance(value, str) else None
        if seconds is None:
            self._complain(name, f"{value!r} is not a duration; write one such as 500ms, 5s, 2m, 1h or 1m30s")
        elif not 0.001 <= seconds <= 86_400:
            self._complain(name, f"{value} is not between 1ms and 24h; choose a duration in between")
        return seconds or default

    def _batch_size(self, name: str, default: int) -> int:
        value = self._take(name)
        if value is None:
            return default
        if type(value) is not int:
            self._complain(name, f"must be a whole number, not {_kind(value)}; write one such as 100")
        elif not 1 <= value <= MAX_BATCH_SIZE:
            self._complain(name, f"{value} is not between 1 and {MAX_BATCH_SIZE}; choose one in between")
        else:
            return value
        return default

    def _bool(self, name: str, default: bool) -> bool:
        value = self._take(name)
        if value is None:
            return default
        if isinstance(value, bool):
            return value
        self._complain(name, f"must be true or false, not {_kind(value)}; write true or false without quotes")
        return default

    def _log_level(self, name: str, default: str) -> str:
        value = self._take(name)
        if value is None:
            return default
        if value not in LOG_LEVELS:
            self._complain(name, f"{value!r} is not a level; write one of {', '.join(LOG_LEVELS)}")
        return str(value)

    def _base_url(self, name: str, allow_http: bool) -> str:
        value = self._required_text(name)
        problem = problem_of_url(value, allow_http) if value else None
        if problem:
            self._complain(name, problem)
        return value.rstrip("/")

    def _name_unknown(self) -> None:
        for name in self._fields:
            if name not in self._known:
                self._complain(str(name), f"unknown field; {_advice(str(name), self._known)}")


def _advice(name: str, known: list[str]) -> str:
    by_letters = {re.sub(r"[^a-z]", "", one.lower()): one for one in known}
    close = difflib.get_close_matches(re.sub(r"[^a-z]", "", name.lower()), by_letters, n=1)
    return f"did you mean {by_letters[close[0]]}?" if close else f"the fields are {', '.join(sorted(known))}"


def _kind(value: object) -> str:
    names = {bool: "a boolean", int: "a number", float: "a number", str: "text", list: "a list"}
    return names.get(type(value), "a mapping" if isinstance(value, dict) else f"a {type(value).__name__}")
