"""The state of issues after any order of decisions and events, against a model that goes through them."""

import json
import random
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from api.jobs.regressions import mark_regressions
from errata.warehouse.roles import Role
from tests.builders import Row, a_mapping, a_variant, an_error_event, an_issue_action, insert
from tests.mart_builds import build_marts, let_bound_take_hold
from tests.processes import WarehouseProcess

BEGIN = datetime.now(UTC).replace(minute=0, second=0, microsecond=0) - timedelta(days=4)
# In their order, by version or by when they are first seen (`prepared`).
ORDER = ["shop@0.9", "shop@1.0-rc.1", "shop@1.0", "shop@1.2", "shop@1.10"]
STATES = """
    select
        issue_id, status, assignee, chosen_priority
    from errata_read.issue_states
"""
WORDS = "resolve " * 4 + "ignore " * 2 + "undo " * 3 + "unresolve assign unassign prioritize delete"
PEOPLE = ("ada@example.org", "bob@example.org")


@dataclass
class Story:
    """What happened to one issue, in order of time."""

    issue_id: int
    actions: list[Row] = field(default_factory=list)
    events: list[Row] = field(default_factory=list)

    def expected(self, now: datetime) -> tuple[str, str, str]:
        undone = {row["about_action_id"] for row in self.actions if row["action"] == "undo"}
        status, assignee, priority = "unresolved", "", ""
        for row in sorted(self.actions, key=lambda row: row["acted_at"]):
            if row["action_id"] in undone:
                continue
            detail = json.loads(row["detail"] or "{}")
            match row["action"]:
                case "resolve":
                    came_back = any(speaks_against(row, detail, event) for event in self.events)
                    status = "regressed" if came_back else "resolved"
                case "ignore":
                    until = detail.get("until")
                    status = "unresolved" if until and datetime.fromisoformat(until) <= now else "ignored"
                case "unresolve":
                    status = "unresolved"
                case "assign" | "unassign":
                    assignee = detail.get("assignee", "")
                case "prioritize":
                    priority = detail.get("priority", "")
                case "delete":
                    status, assignee, priority = "unresolved", "", ""
        return status, assignee, priority


def speaks_against(resolution: Row, detail: dict[str, str], event: Row) -> bool:
    if event["occurred_at"] <= resolution["acted_at"]:
        return False
    if not detail.get("release") or not event["release"]:
        return True
    seen, resolved = ORDER.index(event["release"]), ORDER.index(detail["release"])
    return seen > resolved if detail["in"] == "next" else seen >= resolved


def a_story(issue_id: int, chance: random.Random) -> Story:
    story = Story(issue_id)
    at = BEGIN
    for _ in range(chance.randrange(1, 9)):
        at += timedelta(minutes=chance.choice([1, 20, 700]))
        if chance.random() < 0.4:
            story.events.append(
                an_error_event(variant_hash=issue_id, occurred_at=at, release=chance.choice(["", *ORDER[1:]]))
            )
        else:
            story.actions.append(an_action(story, at, chance))
    return story


def an_action(story: Story, at: datetime, chance: random.Random) -> Row:
    detail: dict[str, Any] = {}
    about = UUID(int=0)
    word = chance.choice(WORDS.split())
    done = [row["action_id"] for row in story.actions if row["action"] != "undo"]
    if word == "undo" and not done:
        word = "resolve"
    match word:
        case "resolve":
            detail["in"] = chance.choice(["now", "next", "release"])
            if detail["in"] != "now" or chance.random() < 0.6:
                detail["release"] = chance.choice(ORDER[1:])
        case "ignore":
            ends = chance.choice([None, at + timedelta(minutes=5), at + timedelta(days=400)])
            if ends:
                detail["until"] = ends.isoformat()
        case "assign":
            detail["assignee"] = chance.choice(PEOPLE)
        case "prioritize":
            detail["priority"] = chance.choice(["high", "medium", "low", ""])
        case "undo":
            about = chance.choice(done)
    return an_issue_action(
        issue_id=story.issue_id,
        acted_at=at,
        action_id=uuid4(),
        action=word,
        detail=json.dumps(detail) if detail else "",
        about_action_id=about,
    )


def prepare(warehouse: WarehouseProcess, stories: list[Story]) -> None:
    ingest = warehouse.client(Role.INGEST)
    numbers = [story.issue_id for story in stories]
    insert(ingest, "errata_raw.variants", [a_variant(variant_hash=n) for n in numbers])
    insert(ingest, "errata_raw.variant_issues", [a_mapping(variant_hash=n, issue_id=n) for n in numbers])
    # Of another issue: the releases that there are.
    known = [an_error_event(variant_hash=999_999, occurred_at=BEGIN, release=name) for name in ORDER]
    insert(ingest, "errata_raw.error_events", known)
    insert(ingest, "errata_raw.issue_actions", [row for story in stories for row in story.actions])


def states(warehouse: WarehouseProcess) -> dict[int, tuple[str, str, str]]:
    rows = warehouse.client(Role.READ).rows(STATES, {"project_id": 7})
    return {row["issue_id"]: (row["status"], row["assignee"], row["chosen_priority"]) for row in rows}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.slow
def test_any_order_of_decisions_and_events_leaves_the_state_of_the_model(
    warehouse: WarehouseProcess, seed: int
) -> None:
    chance = random.Random(seed)
    stories = [a_story(number, chance) for number in range(1, 200)]
    prepare(warehouse, stories)
    ingest = warehouse.client(Role.INGEST)
    events = [event for story in stories for event in story.events]
    chance.shuffle(events)
    insert(ingest, "errata_raw.error_events", events[::2])
    build_marts(warehouse, "variant_hourly", "variant_daily", "variant_releases")
    let_bound_take_hold(warehouse)
    # The rest is the live edge, and some of it a repeat.
    insert(ingest, "errata_raw.error_events", events[1::2] + events[::7])
    read = warehouse.client(Role.READ)
    mark_regressions(ingest, read, [7])
    assert mark_regressions(ingest, read, [7]) == 0
    found, nobody = states(warehouse), ("unresolved", "", "")
    expected = {story.issue_id: story.expected(datetime.now(UTC)) for story in stories}
    assert {n: found.get(n, nobody) for n in expected} == expected
    assert {state[0] for state in expected.values()} == {"unresolved", "resolved", "regressed", "ignored"}
