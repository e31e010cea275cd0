from pathlib import Path

import pytest
from errata_shipper.command_line import options_of

from tests.cases import each


@each("action", ["init", "record", "test", "status", "validate", "retry-rejected"])
def test_an_action_is_said_once(action: str) -> None:
    options = options_of(["--config", "a.yaml", f"--{action}"])
    assert (options.action, options.config, options.verbose, options.json) == (
        action,
        Path("a.yaml"),
        False,
        False,
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ([], "choose an action: --init, --record, --test, --status, --validate or --retry-rejected"),
        (["--recrod"], "unknown option --recrod; did you mean --record?"),
        (["--rec"], "unknown option --rec"),
        (["--bogus"], "unknown option --bogus; --help lists the options"),
        (["--version-of"], "did you mean --version?"),
        (["--record", "errata.yaml"], "unknown option errata.yaml"),
        (["--test", "--status"], "not allowed with argument"),
        (["--record", "--json"], "--json requires --status"),
        (["--init", "--origin=https://a.example"], "--origin requires --intake"),
        (["--record", "--force"], "--force requires --init"),
        (["--init", "--app-kye=a"], "unknown option --app-kye=a; did you mean --app-key?"),
    ],
)
def test_a_wrong_command_line_is_explained_and_ends_with_2(
    arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        options_of(arguments)
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert said in printed.err
    assert printed.out == ""


def test_help_tells_the_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        options_of(["--help"])
    assert ended.value.code == 0
    assert "6 directory in use by another shipper" in " ".join(capsys.readouterr().out.split())
