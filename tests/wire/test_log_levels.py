from errata_wire.log_levels import LEVELS, level_of, levels_from

from tests.cases import each


@each(
    "word, severity_number, level",
    [
        *((level, None, level) for level in LEVELS),
        ("WARNING", None, "warn"),
        ("critical", None, "fatal"),
        ("info", 17, "info"),
        ("notice", 17, "error"),
        ("", 1, "trace"),
        ("", 24, "fatal"),
        ("", 25, None),
        ("", 0, None),
        ("", "17", None),
    ],
)
def test_a_level_is_one_of_six(word: str, severity_number: object, level: str | None) -> None:
    assert level_of(word, severity_number) == level


def test_a_least_level_means_it_and_more_severe_ones() -> None:
    assert levels_from("warn") == ("warn", "error", "fatal")
    assert levels_from("") == levels_from("loud") == LEVELS
