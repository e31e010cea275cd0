"""Templates use their own area, what is shown of an event, and what all areas share."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from dashboards.shared.rendering import STATIC, environment
from tests.cases import each

DASHBOARDS = STATIC.parent
ROOT = DASHBOARDS.parent
TEMPLATES = sorted(str(path.relative_to(DASHBOARDS)) for path in DASHBOARDS.rglob("*.html"))
USED = re.compile(r"""\{% *(?:extends|include|from|import) *["']([^"']+)["']""")
# What lies below the areas, and what it may use.
BELOW = {"shared": {"shared"}, "event": {"shared", "event"}, "replay": {"shared", "replay"}}
NOT_TEXT = re.compile(r"<(style|script|svg)\b.*?</\1>|<!.*?>|\{#.*?#\}", re.DOTALL)
JINJA = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.DOTALL)
WITHIN_A_LINE = re.compile(r"</?(?:span|b|code|strong|em|kbd|a|time)\b[^>]*>")
IN_QUOTES = re.compile(r'"([A-Z][^"{}<>=]*)"')
# Not the first word of a sentence, nor one in capitals.
LATER_CAPITAL = re.compile(r"(?<=[\w,] )[A-Z][a-z]+\w*")
TITLE = re.compile(r"[A-Z][a-z]+(?: [A-Z]\w+)+")
PROPER_NOUNS = {
    *("Cloud", "Errata", "GitHub", "GitLab", "JavaScript", "Jira", "Markdown", "Mattermost", "Slack"),
    *("Linux", "Python"),
    *("Monday", "Sunday", "Timing", "Sentry", "Parquet", "Benjamini", "Hochberg"),
    # Headers of HTTP.
    *("Referer", "User", "Agent"),
    # A control of that name.
    "Share",
}
# Published names of controls and messages that people and programs look for.
FIXED_NAMES = {
    *("New Rule", "Performance Budget", "Application Not Found", "Invalid API Key", "Rate Limited"),
    *(
        "Microsoft Teams",
        "Google Chat",
        "React Native",
        "Spring Boot",
        "Samsung Internet",
        "Internet Explorer",
        "UC Browser",
    ),
    # The name that a generated schema has for it, and the one that PHP and runtimes print.
    *("Validation Error", "Fatal Error"),
}


@each("name", TEMPLATES)
def test_a_template_uses_its_area_and_what_all_areas_share(name: str) -> None:
    area = name.partition("/")[0]
    used = {other.partition("/")[0] for other in USED.findall((DASHBOARDS / name).read_text())}
    assert used <= BELOW.get(area, {area, "event", "replay", "shared"})


@each("name", TEMPLATES)
def test_a_template_is_found_by_its_path(name: str) -> None:
    assert environment().get_template(name).name == name


@each("name", TEMPLATES)
def test_buttons_headings_and_labels_are_in_sentence_case(name: str) -> None:
    in_title_case = [
        text
        for text in _texts((DASHBOARDS / name).read_text())
        if text not in FIXED_NAMES and set(LATER_CAPITAL.findall(text)) - PROPER_NOUNS
    ]
    assert in_title_case == []


def test_labels_and_messages_written_in_python_are_in_sentence_case() -> None:
    files = [path for part in ("api", "dashboards", "errata") for path in (ROOT / part).rglob("*.py")]
    titles = {text for path in files for text in _constants(path) if TITLE.fullmatch(text)}
    assert {title for title in titles if set(LATER_CAPITAL.findall(title))} <= FIXED_NAMES


def test_a_percentage_has_no_space_before_its_sign() -> None:
    files = [
        *DASHBOARDS.rglob("*.html"),
        *(ROOT / "errata").rglob("*.html"),
        *(ROOT / "docs").rglob("*.md"),
        *ROOT.glob("*.md"),
    ]
    texts = [text for path in files for text in _texts(path.read_text())]
    texts += [
        text
        for part in ("api", "dashboards", "errata", "pipelines", "shipper")
        for path in (ROOT / part).rglob("*.py")
        for text in _constants(path)
    ]
    assert [text for text in texts if re.search(r"\d\s%(?![\w(-])", text)] == []


def _texts(template: str) -> Iterator[str]:
    """What a reader may see: text between tags, and quoted words of expressions and attributes."""
    shown = NOT_TEXT.sub("", template)
    yield from IN_QUOTES.findall(shown)
    without_expressions = WITHIN_A_LINE.sub("", JINJA.sub("…", shown))
    yield from (text.strip() for text in re.findall(r"(?:^|>)([^<]+)(?=<|$)", without_expressions))


def _constants(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text())
    yield from (
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
