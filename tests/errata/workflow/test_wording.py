"""What people read about decisions."""

from errata.workflow.vocabulary import Word
from errata.workflow.wording import deletion, sentence


def test_a_decision_is_told_with_what_it_waits_for() -> None:
    told = {
        (Word.RESOLVE, "next"): sentence(Word.RESOLVE, {"in": "next", "release": "shop@1.2"}),
        (Word.RESOLVE, "now"): sentence(Word.RESOLVE, {"in": "now"}),
        (Word.IGNORE, "users"): sentence(
            Word.IGNORE, {"condition": {"kind": "users", "count": 1000, "window_minutes": 1440}}
        ),
        (Word.IGNORE, ""): sentence(Word.IGNORE, {}),
        (Word.PRIORITIZE, ""): sentence(Word.PRIORITIZE, {"priority": ""}),
    }
    assert told == {
        (Word.RESOLVE, "next"): "resolved it in the next release after shop@1.2",
        (Word.RESOLVE, "now"): "resolved it",
        (Word.IGNORE, "users"): "ignored it until 1,000 more users within 1 day",
        (Word.IGNORE, ""): "ignored it forever",
        (Word.PRIORITIZE, ""): "set the priority back to computed",
    }


def test_a_deleted_issue_says_what_brings_it_back_and_then_what_its_counts_are() -> None:
    assert deletion("ada", has_occurred_since=False) == "deleted by ada; reappears as new if it recurs"
    assert deletion("ada", has_occurred_since=True).endswith("only new events count")
