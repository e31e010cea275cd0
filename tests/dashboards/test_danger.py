"""What cannot be undone looks so, on every page."""

import re
from collections.abc import Iterator

from dashboards.shared.rendering import STATIC
from tests.cases import each
from tests.dashboards.test_templates import TEMPLATES

EXPRESSION = re.compile(r"\{\{.*?\}\}", re.DOTALL)
STATEMENT = re.compile(r"\{[%#].*?[%#]\}", re.DOTALL)
FORM = re.compile(r"<form\b([^>]*)>(.*?)</form>", re.DOTALL)
CONTROL = re.compile(r"""<(?:button|a)\b((?:"[^"]*"|'[^']*'|[^>"'])*)>(.*?)</(?:button|a)>""", re.DOTALL)
VERBS = ("Delete", "Discard", "Erase", "Finish rotation", "Regenerate", "Remove", "Replace", "Revoke")
OF_DELETION = re.compile(
    r'value="delete"|data-bulk-action="delete"|data-delete-|data-act=.*"action": "delete"'
)
# Done again with one click.
UNDONE_BY_HAND = {"Unlink"}


@each("name", TEMPLATES)
def test_what_deletes_erases_or_revokes_is_a_danger_button(name: str) -> None:
    source = (STATIC.parent / name).read_text()
    plain = [words for attributes, words in _irreversible(source) if not _is_danger(attributes)]
    assert plain == []


def test_irreversible_controls_are_found() -> None:
    found = [each for name in TEMPLATES for each in _irreversible((STATIC.parent / name).read_text())]
    assert len(found) > 20


def _irreversible(source: str) -> Iterator[tuple[str, str]]:
    """Attributes and words of buttons, and of links that look like one."""
    html = STATEMENT.sub("", EXPRESSION.sub(_value, source))
    deleting = {
        control
        for attributes, body in FORM.findall(html)
        if 'data-method="DELETE"' in attributes
        for control in CONTROL.findall(body)
        if "data-copy-made" not in control[0]
    }
    for control in CONTROL.findall(html):
        attributes, words = control
        looks_like_button = re.search(r'class="[^"]*(?:button|quiet|danger)', attributes)
        is_named_so = looks_like_button and words.startswith(VERBS)
        if words not in UNDONE_BY_HAND and (
            is_named_so or control in deleting or OF_DELETION.search(attributes)
        ):
            yield attributes, words


def _value(expression: re.Match[str]) -> str:
    """An action of a form stays readable."""
    return '{"action": "delete"}' if '"action": "delete"' in expression[0] else "…"


def _is_danger(attributes: str) -> bool:
    classes = re.search(r'class="([^"]*)"', attributes)
    return classes is not None and "danger" in classes[1].split()
