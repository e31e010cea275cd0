"""The evidence that a message about an issue goes out with."""

from typing import Any

import pytest

from api.jobs.alert_delivery import deliver
from api.jobs.alert_evidence import with_evidence
from tests.api.conftest import Api
from tests.api.jobs.conftest import EndlessRun, Hooked
from tests.api.rest.test_issue_actions import project_id
from tests.api.rest.test_issues import THIRD, shop

__all__ = ["shop"]


@pytest.mark.slow
def test_a_message_names_the_latest_event_and_the_counts_of_a_day(shop: Api) -> None:
    content: dict[str, Any] = {"text": "", "issues": [{"id": THIRD}, {"id": "00000000000000ff"}, {"id": ""}]}
    first, gone, combined = with_evidence(shop.app.state.context, project_id(shop), content)["issues"]
    found = first["evidence"]
    assert (found["event_count"], found["user_count"]) == (3, 1)
    assert (found["level"], found["environment"]) == ("error", "production")
    assert sum(found["steps"]) == 3 and found["step_minutes"] == 60
    assert "evidence" not in gone and "evidence" not in combined


@pytest.mark.slow
def test_without_the_warehouse_a_message_goes_out_as_it_is(hooked: Hooked) -> None:
    hooked.fire(hooked.rule(hooked.channel()), 1)
    deliver(hooked.context, EndlessRun())
    [sent] = hooked.log
    [issue] = sent.content["issues"]
    assert sent.status == "sent" and "evidence" not in issue
    assert issue["resolve_url"] == f"{issue['url']}/decide?action=resolve"
