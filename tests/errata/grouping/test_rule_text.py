import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from errata.grouping import RulesNotUnderstood, parse_rules
from tests.cases import each


def problems(text: str) -> list[tuple[int, int, str]]:
    with pytest.raises(RulesNotUnderstood) as caught:
        parse_rules(text)
    return [(item.line, item.column, item.message) for item in caught.value.problems]


def test_comments_and_blank_lines_are_no_rules() -> None:
    rules = parse_rules("# ours\n\n  type:A -> a # why\r\n\tmodule:b +app  # c\n")

    assert [rule.text for rule in rules.fingerprint_rules] == ["type:A -> a"]
    assert [rule.text for rule in rules.in_app_rules] == ["module:b +app"]


def test_quotes_hold_spaces_commas_and_quotes() -> None:
    rule = parse_rules(r'message:"a \"b\", # c" -> "x, y", z').fingerprint_rules[0]

    assert rule.condition.matchers[0].pattern == 'a "b", # c'
    assert rule.parts == (("x, y",), ("z",))


@each(
    ("text", "column", "said"),
    [
        ("typ:KeyError -> a", 1, "did you mean type?"),
        ("!typ:KeyError -> a", 2, "did you mean type?"),
        ("type:KeyError module -> a", 15, "expected field:pattern"),
        ('type:"KeyError -> a', 6, "not closed"),
        ('type:"Key"Error -> a', 11, "a space after the quote"),
        ("type: KeyError -> a", 6, "missing pattern"),
        ("type:KeyError", 14, "end the rule with -> "),
        ("type:KeyError ->", 17, "missing fingerprint"),
        ("type:KeyError -> a,", 20, "after the comma"),
        ("type:KeyError -> {{ nothing }}", 18, "unknown field nothing"),
        ("type:KeyError -> {{ a b }}", 18, "a variable is written"),
        ("type:KeyError -> x{{ default }}", 18, "must be a separate part"),
        ("type:KeyError -> {{ app }}", 18, "can't be used in a fingerprint"),
        ("-> a", 1, "start a rule with a matcher"),
        ("type:KeyError +app", 1, "not by type"),
        ("module:a release:b -app", 10, "not by release"),
        ("module:a +group", 10, "+app or -app"),
        ("module:a ^-app", 10, "+app or -app"),
        ("module:a +app -app", 15, "nothing can follow"),
        ("path:**.js -app", 6, "whole folders"),
        ("app:perhaps -app", 5, "yes or no"),
        ("tags.:a -> b", 1, "unknown field tags."),
        ("type:" + "a" * 257 + " -> b", 6, "256 characters"),
        ("type:a " * 17 + "-> b", 113, "16 matchers"),
    ],
)
def test_an_error_names_line_and_column(text: str, column: int, said: str) -> None:
    [(line, at, message)] = problems(f"# a comment\n{text}\nmodule:fine +app")

    assert (line, at) == (2, column)
    assert said in message


def test_every_line_that_cannot_be_read_is_named() -> None:
    assert [line for line, _, _ in problems("a\ntype:b -> c\nd\n")] == [1, 3]


def test_rules_are_bounded() -> None:
    assert problems("type:a -> b\n" * 501)[0][0] == 501
    assert "65,536" in problems("#" * 65_537)[0][2]


pieces = st.sampled_from('type: module:a "-> , + -app {{ }} # \n \\ ! * x'.split(" "))


def written(text: str) -> list[str]:
    rules = parse_rules(text)
    return sorted(
        [rule.text for rule in rules.fingerprint_rules] + [rule.text for rule in rules.in_app_rules]
    )


@example("\x1f")
@given(st.text(max_size=80) | st.lists(pieces).map(" ".join))
def test_any_text_is_rules_or_named_mistakes(text: str) -> None:
    try:
        found = written(text)
    except RulesNotUnderstood as error:
        lines = text.split("\n")
        for problem in error.problems:
            assert 1 <= problem.column <= len(lines[problem.line - 1]) + 1
    else:
        assert written("\n".join(found)) == found
