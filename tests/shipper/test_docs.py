"""The documents about the shipper say what the code does."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from errata_shipper.command_line import options_of
from errata_shipper.duration import seconds_of
from errata_shipper.exit_code import ExitCode
from errata_shipper.settings import Settings

from tests.cases import each
from tests.shipper.configuration import problems_of, written

ROOT = Path(__file__).parents[2]
GUIDE = (ROOT / "docs/shipper-reference.md").read_text("utf-8")
HOW_TO = "".join((ROOT / f"docs/{name}.md").read_text("utf-8") for name in ("shipper", "shipper-files"))
SOURCE = "\n".join(path.read_text("utf-8") for path in (ROOT / "shipper/errata_shipper").glob("*.py"))


def rows(heading: str) -> Iterator[list[str]]:
    """Of the first table below a heading or a line."""
    table = GUIDE[GUIDE.index(heading) :].partition("\n|---")[2].partition("\n\n")[0]
    for line in table.splitlines()[1:]:
        yield [cell.strip() for cell in line.strip("|").split("|")]


def attribute_of(field: str) -> str:
    snake = re.sub(r"([A-Z])", lambda match: f"_{match[1].lower()}", field)
    return f"{snake}_seconds" if hasattr(Settings, f"{snake}_seconds") else snake


def test_the_guide_lists_every_field(tmp_path: Path) -> None:
    (problem,) = problems_of(written(tmp_path, colour="blue"))
    known = problem.partition("the fields are ")[2].split(", ")
    assert sorted(row[0].strip("`") for row in rows("## Configuration")) == known


def test_the_guide_tells_every_default() -> None:
    for name, form, default, _ in rows("## Configuration"):
        field = name.strip("`")
        text = default.strip("`")
        expected = getattr(Settings, attribute_of(field), None)
        if form == "duration":
            assert seconds_of(text) == expected, field
        elif text in ("required", "none"):
            assert expected is None, field
        else:
            assert text == str(expected).lower(), field


def test_the_guide_lists_every_option(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        options_of(["--help"])
    options = set(re.findall(r"^  (?:-h, )?(--[\w-]+)", capsys.readouterr().out, flags=re.MULTILINE))
    assert {row[0].strip("`") for row in rows("## Command line")} == options


def test_the_guide_lists_every_exit_code() -> None:
    assert [int(row[0]) for row in rows("| Exit code")] == sorted(ExitCode)


@each("heading", ["## Messages", "## When something is wrong"])
def test_the_messages_of_the_guide_are_those_of_the_program(heading: str) -> None:
    # What OpenSSL and the system put after a message of ours.
    theirs = (
        "certificate has expired",
        "Hostname mismatch",
        "self-signed certificate",
        "unable to get local",
        "CA cert does not include key usage",
    )
    for row in rows(heading):
        for message in re.findall(r"`([^`]+)`", row[0]):
            for part in re.split(r"<[^>]+>|…|: (?=[a-zCH])|/3|\)|Permission denied", message):
                if part.strip(" ;.") and not part.startswith(theirs):
                    assert part.strip(" ;.:") in SOURCE, message


def test_the_messages_of_the_intakes_guide_are_those_of_the_program() -> None:
    source = "\n".join(
        path.read_text("utf-8")
        for folder in ("shipper/errata_shipper/intake", "wire/errata_wire")
        for path in (ROOT / folder).glob("*.py")
    )
    guide = (ROOT / "docs/intake.md").read_text("utf-8").partition("## Messages")[2]
    messages = re.findall(r"^\| `([^`]+)`", guide, re.MULTILINE)
    assert len(messages) > 5
    for message in messages:
        for part in re.split(r"…|^Intake refused: |Address already in use|Permission denied", message):
            assert part.strip(" :") in source, message


def test_every_command_of_the_guide_and_of_the_files_beside_the_wheel_is_a_command() -> None:
    beside = [ROOT / "shipper/errata-shipper.service", ROOT / "shipper/errata-shipper.logrotate"]
    texts = [
        GUIDE,
        HOW_TO,
        (ROOT / "shipper/README.md").read_text("utf-8"),
        *(path.read_text() for path in beside),
    ]
    commands = [
        arguments
        for text in texts
        for arguments in re.findall(
            r"^.*[ =/]errata-shipper ((?:--[\w-]+ ?|[\w./]+\.yaml ?)+)", text, re.MULTILINE
        )
        if arguments.strip() != "--version"
    ]
    assert len(commands) >= 8
    assert {options_of(arguments.split()).action for arguments in commands} >= {"record", "test", "status"}


def test_the_unit_is_not_started_again_where_a_person_is_needed() -> None:
    unit = (ROOT / "shipper/errata-shipper.service").read_text()
    (statuses,) = re.findall(r"^RestartPreventExitStatus=(.*)$", unit, re.MULTILINE)
    assert [int(status) for status in statuses.split()] == [ExitCode.CONFIGURATION, ExitCode.DIRECTORY_HELD]
