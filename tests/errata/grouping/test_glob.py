from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from errata.grouping.glob import glob, path_glob
from tests.cases import each


@given(st.text("ab*?", max_size=12), st.text("ab", max_size=16))
def test_a_pattern_means_what_the_shell_means(pattern: str, text: str) -> None:
    assert glob(pattern)(text) is fnmatchcase(text, pattern)


@each(("pattern", "text"), [(r"a\*b", "a*b"), ("a[b].c", "a[b].c"), ("*\n*", "x\ny")])
def test_all_but_stars_and_question_marks_is_plain_text(pattern: str, text: str) -> None:
    assert glob(pattern)(text)
    assert not glob(pattern)("aXb")


def plain_path_match(folders: list[str], parts: list[str]) -> bool:
    if not folders:
        return not parts
    if folders[0] == "**":
        return any(plain_path_match(folders[1:], parts[n:]) for n in range(len(parts) + 1))
    return bool(parts) and fnmatchcase(parts[0], folders[0]) and plain_path_match(folders[1:], parts[1:])


folder = st.sampled_from(["a", "b", "*", "**", "a*", "?"])


@given(
    st.lists(folder, min_size=1, max_size=5),
    st.lists(st.sampled_from(["a", "b", "ab"]), min_size=1, max_size=6),
)
def test_two_stars_stand_for_any_folders(folders: list[str], parts: list[str]) -> None:
    assert path_glob("/".join(folders))("/".join(parts)) is plain_path_match(folders, parts)


@each("path", ["Src/App.JS", "/src/app.js", "src\\app.js"])
def test_case_and_kind_of_slash_do_not_matter_in_paths(path: str) -> None:
    assert path_glob("src/*.js")(path)
