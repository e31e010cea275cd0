"""`--init`: an errata.yaml written from options, the environment or answers on a terminal."""

import getpass
import json
import logging
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from errata_shipper.durable_file import replace_durably
from errata_shipper.environment_text import names_variable
from errata_shipper.errors import ConfigurationInvalid
from errata_shipper.settings import SECTION, problems_of

DEFAULT_INTAKE = "127.0.0.1:8123"
_MODE = 0o600

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Question:
    """A field that `--init` needs, and where its value may come from."""

    field: str
    option: str
    variable: str
    noun: str
    default: str = ""
    is_hidden: bool = False

    @property
    def attribute(self) -> str:
        return self.option.removeprefix("--").replace("-", "_")

    def of_environment(self, environment: Mapping[str, str]) -> str:
        """Also by the former name, which says nothing of the program that reads it."""
        former = self.variable.replace("_SHIPPER", "")
        if (value := environment.get(self.variable)) or not (value := environment.get(former)):
            return value or ""
        log.warning("%s was used; rename it to %s", former, self.variable)
        return value


QUESTIONS = (
    Question(
        "baseUrl",
        "--base-url",
        "ERRATA_SHIPPER_BASE_URL",
        "server address, such as https://errata.example.com",
    ),
    Question("apiKey", "--api-key", "ERRATA_SHIPPER_API_KEY", "API key (errata_api_…)", is_hidden=True),
    Question("appKey", "--app-key", "ERRATA_SHIPPER_APP_KEY", "application key (errata_app_…)"),
    Question(
        "storagePath",
        "--storage-path",
        "ERRATA_SHIPPER_STORAGE_PATH",
        "directory of the log files",
        "/var/log/errata",
    ),
)


def write_configuration(options: Namespace, environment: Mapping[str, str]) -> None:
    """Write `options.config`, unless a value is missing or wrong: then ConfigurationInvalid is raised."""
    path: Path = options.config
    if path.exists() and not options.force:
        raise ConfigurationInvalid(
            path, ["already exists; pass --force to replace it, or choose another --config"]
        )
    values: dict[str, object] = {"allowHttp": True} if options.allow_http else {}
    if options.intake:
        values["intake"] = {"listen": options.intake} | (
            {"origins": options.origin} if options.origin else {}
        )
    if options.instance:
        values["instance"] = options.instance
    for question in QUESTIONS:
        if value := getattr(options, question.attribute) or question.of_environment(environment):
            values[question.field] = value
    ask = _asking if sys.stdin.isatty() else _complaining
    ask(path, values, environment)
    if problems := problems_of(path, values, environment):
        raise ConfigurationInvalid(path, problems)
    storage_path = _from_here(str(values["storagePath"]))
    values["storagePath"] = storage_path
    # Where that is not possible the connection test says why.
    with suppress(OSError):
        Path(storage_path).mkdir()
    try:
        replace_durably(path, [_text(values).encode()], _MODE)
    except OSError as error:
        remedy = f"create {path.parent}, or run as a user who can write to it"
        raise ConfigurationInvalid(path, [f"can't be written ({error.strerror}); {remedy}"]) from error


def _from_here(path: str) -> str:
    """Absolute: people name a path from where they are, not from the folder of errata.yaml."""
    return path if names_variable(path) else str(Path(path).expanduser().absolute())


def _complaining(path: Path, values: dict[str, object], environment: Mapping[str, str]) -> None:
    problems = [
        f"{SECTION}.{question.field}: is required; "
        f"pass {question.option}, set {question.variable}, or run --init on a terminal"
        for question in QUESTIONS
        if question.field not in values
    ]
    if problems:
        raise ConfigurationInvalid(path, problems)


def _asking(path: Path, values: dict[str, object], environment: Mapping[str, str]) -> None:
    try:
        for question in QUESTIONS:
            while question.field not in values:
                values[question.field] = _answer(question)
                for problem in _problems(question, path, values, environment):
                    sys.stderr.write(f"{problem}\n")
                    values.pop(question.field, None)
    except (EOFError, KeyboardInterrupt) as error:
        raise ConfigurationInvalid(path, ["setup was canceled; nothing was written"]) from error


def _problems(
    question: Question, path: Path, values: Mapping[str, object], environment: Mapping[str, str]
) -> Iterator[str]:
    prefix = f"{SECTION}.{question.field}: "
    for problem in problems_of(path, values, environment):
        if problem.startswith(prefix):
            yield problem


def _answer(question: Question) -> str:
    default = f" [{question.default}]" if question.default else ""
    read: Callable[[str], str] = getpass.getpass if question.is_hidden else input
    return read(f"{question.noun[0].upper()}{question.noun[1:]}{default}: ").strip() or question.default


def _text(values: Mapping[str, object]) -> str:
    # JSON's quoting is YAML's, so a value with a colon or a hash in it stays a text.
    lines = [f"  {name}: {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()]
    return "\n".join(
        [
            "# Contains keys: keep it out of version control and readable by the shipper's user only.",
            f"{SECTION}:",
            *lines,
            "",
        ]
    )
