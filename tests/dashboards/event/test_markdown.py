import re

from dashboards.event.event import event
from dashboards.event.markdown import cell, code, event_markdown, fenced
from tests.dashboards.events import MARK, all_captured, captured, marked

LINK = "https://errata.example/projects/shop/issues/7?event=1"


def outside_of_code(text: str) -> str:
    """What a renderer would read as markup: fences first, then spans."""
    text = re.sub(r"^(`{3,})text\n.*?\n\1$", "", text, flags=re.S | re.M)
    return re.sub(r"(?<![`\\])(`+)(?!`).*?(?<!`)\1(?!`)", "", text)


def test_a_ticket_gets_title_link_in_app_frames_request_and_tags() -> None:
    payload = next(
        one
        for one in captured("python_errors")
        if one["exception"]["values"][-1]["stacktrace"]["frames"][-1]["function"] == "apply_discount"
        and one.get("request")
    )
    text = event_markdown(event(payload), LINK)
    assert text.startswith("### KeyError: 'discount'\n\n- **Event:** [")
    assert f"]({LINK})" in text
    assert "  at apply_discount (shop/payments.py:38)\n     > percent = row" in text
    assert "other frame" in text
    assert f"**Request:** `{payload['request']['method']} {payload['request']['url']}`" in text
    assert "| `environment` | `" in text
    assert "**Last breadcrumbs**" in text


def test_what_an_event_holds_never_becomes_markup() -> None:
    for payload in all_captured()[::40]:
        hostile = marked({**payload, "message": "```\n# head\n[x](javascript:1)"})
        markup = outside_of_code(event_markdown(event(hostile), LINK))
        assert "<script" not in markup.replace("\\<", "")
        assert "javascript:" not in markup
    assert "<img" not in outside_of_code(event_markdown(event({"message": MARK}), LINK)).replace("\\<", "")


def test_a_fence_is_longer_than_any_within() -> None:
    assert fenced("a\n````\nb").startswith("`````text\n")
    assert code("a`b") == "`` a`b ``"
    assert cell("a|b\nc") == "`a¦b c`"


def test_a_ticket_stays_short() -> None:
    assert max(len(event_markdown(event(payload), LINK)) for payload in all_captured()) < 20_000
