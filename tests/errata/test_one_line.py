import re
import unicodedata

from errata.one_line import NAME, ONE_LINE, is_one_line
from tests.cases import each


@each("text", ["", " ", "Slow checkout", "日本 – naïve №5", "🚀 👩\u200d🚀", "\U00040000", "a\u00a0b"])
def test_letters_of_any_script_are_on_one_line(text: str) -> None:
    assert is_one_line(text)


@each("text", ["a\nb", "a\rb", "a\0", "\x1b[1m", "a\x7fb", "a\x85b", "a\u2028b", "a\u202eb", "\ud800"])
def test_what_breaks_or_turns_a_line_is_not(text: str) -> None:
    assert not is_one_line(text)


def test_the_patterns_of_the_schema_say_the_same_of_every_character() -> None:
    one_line, name = re.compile(ONE_LINE), re.compile(NAME)
    for code in (*range(0xD800), *range(0xE000, 0x30000)):
        character = chr(code)
        fits = is_one_line(character)
        assert (one_line.fullmatch(character) is not None) == fits, hex(code)
        assert (name.fullmatch(character) is not None) == (fits and bool(character.strip())), hex(code)


def test_no_letter_or_sign_is_refused() -> None:
    refused = [chr(code) for code in range(0x110000) if not is_one_line(chr(code))]
    assert {unicodedata.category(one) for one in refused} == {"Cc", "Cf", "Cs", "Zl", "Zp"}
