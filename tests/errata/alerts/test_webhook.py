from errata.alerts.webhook import slack_payload

CONTENT = {
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
    payload = slack_payload(CONTENT)
    assert payload["text"].endswith("and 11 more: https://errata.example/projects/web-shop/issues")
    [attachment] = payload["attachments"]
    assert attachment["title"] == "ValueError: &lt;!channel&gt; @\u200bhere &amp; more"
    assert attachment["title_link"] == "https://errata.example/projects/web-shop/issues/1"
    assert attachment["text"] == "shop.pay\nNew issue"
