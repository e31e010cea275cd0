"""What one request or one moment brings about, as the person hears of it."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from api.followers import Followed
from api.jobs.notifications import MOST_SINGLE, told_together
from errata.state.notifications import Kind
from errata.state.subscriptions import Subscription
from errata.warehouse.queries.issues.news import News
from errata.workflow.vocabulary import Word

ADA, BO = "ada@example.org", "bo@example.org"
BATCH = UUID(int=7)


def news(issue_id: int, word: Word, actor: str, **values: object) -> News:
    given = {"batch_id": BATCH, "assignee": "", "commenters": (), "detail": {}, **values}
    return News(7, issue_id, uuid4(), acted_at=datetime.now(UTC), word=word, actor=actor, **given)  # type: ignore[arg-type]


def assignments(count: int) -> list[News]:
    detail = {"assignee": BO}
    return [news(number, Word.ASSIGN, ADA, assignee=BO, detail=detail) for number in range(count)]


def test_many_issues_assigned_in_one_request_are_one_notification() -> None:
    assert [one.count for one in told_together(assignments(MOST_SINGLE))] == [1] * MOST_SINGLE
    (together,) = told_together(assignments(MOST_SINGLE + 1))
    assert (together.count, together.issue_id, together.email) == (MOST_SINGLE + 1, "", BO)


def test_nobody_hears_of_what_they_did_nor_of_an_issue_of_nobody() -> None:
    own = [
        news(1, Word.ASSIGN, BO, assignee=BO, detail={"assignee": BO}),
        news(1, Word.COMMENT, ADA, assignee=ADA, commenters=(ADA,), detail={"text": "Hm."}),
        news(1, Word.REGRESS, ""),
        news(1, Word.WAKE, ""),
        news(1, Word.DELETE, ADA, assignee=BO),
    ]
    assert list(told_together(own)) == []
    (woke,) = told_together([news(1, Word.WAKE, "", assignee=BO, detail={"reason": "escalating: 9 events"})])
    assert (woke.kind, woke.email, woke.detail) == (Kind.WOKE, BO, "escalating: 9 events")


def test_followers_hear_of_what_makes_an_issue_worse_and_are_mailed() -> None:
    cy = "cy@example.org"
    followed: Followed = {
        (7, 1): [
            Subscription(
                project_id=7, issue_id="01", user_id=number, created_at=datetime.now(UTC), email=email
            )
            for number, email in enumerate((ADA, cy))
        ]
    }
    happened = [
        news(1, Word.UNRESOLVE, ADA),
        news(1, Word.REGRESS, "", assignee=BO, detail={"release": "shop@2"}),
        news(1, Word.COMMENT, BO, assignee=BO, detail={"text": "Again."}),
        news(1, Word.ASSIGN, ADA, assignee=BO, detail={"assignee": BO}),
        news(2, Word.UNRESOLVE, BO),
    ]
    told = {(one.kind, one.email): one for one in told_together(happened, followed)}
    assert set(told) == {
        (Kind.REOPENED, cy),
        *((Kind.REGRESSED, email) for email in (ADA, BO, cy)),
        *((Kind.COMMENTED, email) for email in (ADA, cy)),
        (Kind.ASSIGNED, BO),
        (Kind.FOLLOWED_ASSIGNED, cy),
    }
    assert told[Kind.FOLLOWED_ASSIGNED, cy].detail == f"to {BO}"
    assert {email for (_, email), one in told.items() if one.is_mailed} == {ADA, cy}
