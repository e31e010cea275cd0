"""What an application wrote, in a comment: it pings nobody, links nowhere, is no HTML and ends no marker."""

from collections.abc import Iterator
from typing import Any

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token

from errata.release_gate.comment import comment, marker
from errata.release_gate.markdown import LENGTH_MAX, code
from tests.errata.test_release_verdict import TOLD

SERVICE, DETAILS = "https://errata.example", "https://errata.example/projects/web-shop"
HOSTILE = st.one_of(
    st.text(),
    st.lists(
        st.sampled_from(
            [
                *(
                    "@octocat",
                    "`",
                    "```",
                    "\n",
                    "\n\n",
                    "-->",
                    "<!--",
                    "<img src=x onerror=alert(1)>",
                    "]",
                    "[",
                ),
                *(
                    "](https://evil.example)",
                    "https://evil.example",
                    "www.evil.example",
                    "\\",
                    "#1",
                    "!1",
                    "|",
                ),
                *(
                    "/close",
                    "\r",
                    "\x00",
                    "\u202e",
                    "\u2028",
                    "*",
                    "_",
                    "~~~",
                    "    ",
                    "- ",
                    "> ",
                    "~",
                    "$",
                    "&lt;",
                ),
                marker("errata/verdict"),
            ]
        ),
        max_size=12,
    ).map("".join),
)


def tokens(text: str) -> Iterator[Token]:
    for token in MarkdownIt("gfm-like", {"linkify": False}).parse(text):
        yield token
        yield from token.children or ()


@given(*[HOSTILE] * 7)
@example("`@octocat", "``", "`", "a`b", "\n# @octocat", "x" * 500, "")
def test_what_an_application_wrote_stays_in_code(
    title: str, path: str, message: str, commit_id: str, release: str, issue_id: str, why: str
) -> None:
    suspect = {"commit_id": commit_id, "title": message, "path": path}
    issue: dict[str, Any] = {"id": issue_id, "title": title, "suspects": [suspect], "unknown_because": why}
    known = {**issue, "id": "00000000000000a1", "suspects": []}
    told = {**TOLD, "release": release, "previous_release": title, "environment": path, "next_look_at": why}
    text = comment(told, {"new_issues": [issue, known]}, SERVICE, DETAILS)
    links, outside = [], ""
    for token in tokens(text):
        assert token.type not in (
            "html_inline",
            "html_block",
            "fence",
            "code_block",
            "image",
            "heading_open",
        ), token
        if token.type == "link_open":
            links.append(token.attrs["href"])
        if token.type == "text":
            outside += token.content
    assert links == [f"{SERVICE}/issues/00000000000000a1", DETAILS]
    assert not set("@<>`#!$|") & set(outside)
    assert "://" not in outside and "www." not in outside
    assert all(line.isprintable() for line in text.split("\n"))
    assert not text.startswith("<!--")


@given(HOSTILE)
def test_code_is_one_line_of_bounded_length_and_keeps_what_is_printable(text: str) -> None:
    (paragraph, inline, _) = MarkdownIt().parse(code(text))
    assert paragraph.type == "paragraph_open"
    assert inline.children is not None
    (shown,) = inline.children
    expected = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    expected = expected if len(expected) <= LENGTH_MAX else f"{expected[: LENGTH_MAX - 1]}…"
    assert (shown.type, shown.content) == ("code_inline", expected or "–")


def test_long_lists_are_cut_and_say_how_many_are_left_out() -> None:
    issues = [{"id": f"{number:016x}", "title": f"Error {number}"} for number in range(30)]
    told = {**TOLD, "new_issue_count": 2_000}
    text = comment(told, {"new_issues": issues}, SERVICE, DETAILS)
    assert text.count("- [`Error") == 20 and "- and 1980 more" in text
    assert "New issues (2000, not part of the verdict)" in text
    # GitHub takes 65,536 characters.
    long = [{**one, "title": "`" * 900} for one in issues]
    assert len(comment(told, {"new_issues": long, "regressed_issues": long}, SERVICE, DETAILS)) < 60_000


def test_what_the_service_would_not_tell_is_counted_all_the_same() -> None:
    text = comment({**TOLD, "new_issue_count": 2}, {}, SERVICE, DETAILS)
    assert "New issues (2, not part of the verdict)" in text and "- and 2 more" in text
