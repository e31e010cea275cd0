from typing import Any

from errata.alerts.channels.slack import KIND as SLACK
from tests.errata.alerts.test_mail import EVIDENCE

CONTENT: dict[str, Any] = {
    "text": "[Web shop] 12 new issues",
    "project": {"url": "https://errata.example/projects/web-shop/issues"},
    "rules": [{"name": "Rule", "kind": "new"}],
    "issues": [
        {
            "title": "ValueError: <!channel> @here & more",
            "culprit": "shop.pay",
            "reason": "New issue",
            "rule": "Rule",
            "url": "https://errata.example/projects/web-shop/issues/1",
        }
    ],
    "more": 11,
    "held_back": "",
}


def test_what_an_error_says_calls_nobody_in_slack_or_mattermost() -> None:
    payload = SLACK.payload(CONTENT)
    assert payload["text"].endswith("and 11 more: https://errata.example/projects/web-shop/issues")
    [attachment] = payload["attachments"]
    assert attachment["title"] == "ValueError: &lt;!channel&gt; @\u200bhere &amp; more"
    assert attachment["title_link"] == "https://errata.example/projects/web-shop/issues/1"
    assert attachment["text"] == "shop.pay\nNew issue"


def test_a_card_carries_the_evidence_and_links_that_ask_first() -> None:
    [issue] = CONTENT["issues"]
    frame = {"function": "charge", "place": "pay.py:7", "source": "```<!here>"}
    known = {"resolve_url": "https://e.example/r", "ignore_url": "https://e.example/i"}
    told = {**issue, **known, "evidence": {**EVIDENCE, "frames": [frame]}}
    [attachment] = SLACK.payload({**CONTENT, "issues": [told]})["attachments"]
    text = attachment["text"]
    assert (
        "error · production · shop@\u200b2\n12 events and 3 users in the last 24 hours\n`▁█` Events per"
        in text
    )
    assert "```\ncharge (pay.py:7)\n  &gt; '''&lt;!here&gt;\n```" in text
    assert text.endswith("|Open> · <https://e.example/r|Resolve> · <https://e.example/i|Ignore>")
