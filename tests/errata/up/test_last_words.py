from errata.process_log.json_lines import as_line, fields_of
from errata.up.last_words import last_words
from tests.cases import each

TRACEBACK = ["Traceback (most recent call last):", '  File "x.py", line 1, in <module>', "    main()"]


def json_line(level: str, message: str) -> str:
    return as_line(fields_of("web", level, "errata", message))


@each(
    ("lines", "said"),
    [
        ([], ""),
        (["INFO started", "", "errata: Port 80 is taken", "INFO bye"], "Port 80 is taken"),
        ([*TRACEBACK, "OSError: [Errno 28] No space left on device"], None),
        ([*TRACEBACK, "sqlalchemy.exc.OperationalError: (x) locked", "(Background on: x)"], None),
        (["INFO:     ok", "ERROR:    [Errno 98] address already in use", "INFO:     Bye."], None),
        (["2026 <Error> x: Code: 210. DB::NetException: Address already in use: 127.0.0.1:1"], None),
        (["errata.warehouse errata: The engine of the warehouse stopped: no disk"], None),
        ([json_line("ERROR", "Port 80 is taken"), json_line("INFO", "bye")], "Port 80 is taken"),
        ([json_line("INFO", "started"), json_line("INFO", "the end")], "the end"),
        (["nothing that looks like an error", "the end"], "the end"),
    ],
)
def test_the_sentence_that_names_the_error_is_found(lines: list[str], said: str | None) -> None:
    found = last_words(lines)
    if said is None:
        assert any(word in found for word in ("No space", "locked", "already in use", "no disk"))
        assert not found.startswith(("errata", "ERROR", "INFO", "Traceback"))
    else:
        assert found == said


def test_a_long_line_is_cut() -> None:
    assert len(last_words(["x" * 10_000])) == 400
