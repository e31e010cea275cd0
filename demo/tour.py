"""Eight things to look at, in the order in which one asks for them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

from demo import story
from demo.service import Service

SHOWN_PERIOD = "8w"


@dataclass(frozen=True)
class Step:
    sentence: str
    address: str
    shows: str
    """What the page says there."""
    needs_figures: bool = False


def tour(service: Service, kept: Mapping[str, str]) -> list[Step]:
    """Without steps to issues that are not there, such as in a folder of an earlier version."""
    performance = f"{service.page}/performance"
    weeks = {"period": SHOWN_PERIOD}
    steps = [
        Step(
            f"{story.SLOWER.version} made pages about a third slower: how much, how surely, and why.",
            f"{performance}/release?{urlencode({'version': story.SLOWER.version})}",
            story.SLOWER.version,
            needs_figures=True,
        ),
        Step(
            "The shift of that day is found in the trends, without anybody naming the release.",
            f"{performance}/trends?{urlencode(weeks)}",
            story.SLOWER.version,
            needs_figures=True,
        ),
        Step(
            f"The budget “{story.BREACHED}” is breached, {len(story.BUDGETS) - 1} others are kept.",
            f"{performance}/budgets",
            story.BREACHED,
            needs_figures=True,
        ),
        Step(
            "Real loads of the checkout: each opens as a waterfall of its files.",
            f"{performance}/page?{urlencode({'page': story.CHECKOUT, 'tab': 'loads'})}",
            "/performance/waterfall/",
            needs_figures=True,
        ),
        Step(
            f"An issue that was resolved came back in {story.NEWEST.version}, and an alert was mailed.",
            f"{service.page}/issues/{kept['came_back']}",
            "seen again in",
        ),
        Step(
            "An error of a minified script with its original functions, and a replay of the visit.",
            _issue(service, story.SHARED, tab="event"),
            "View replay",
        ),
        Step(
            "What's different about this issue: it is met in Firefox alone.",
            _issue(service, story.OF_BROWSER, tab="different", **weeks),
            "Firefox",
        ),
        Step(
            f"What's different about that one: it is met on the plan “{story.OF_PLAN.plan}” alone.",
            _issue(service, story.OF_PLAN, tab="different", **weeks),
            story.OF_PLAN.plan,
        ),
    ]
    return [step for step in steps if step.address]


def _issue(service: Service, fault: story.Fault, **parameters: str) -> str:
    found = service.issue(fault.title)
    return f"{service.page}/issues/{found['id']}?{urlencode(parameters)}" if found else ""


def as_text(steps: Sequence[Step]) -> str:
    listed = (f"    {n}. {step.sentence}\n       {step.address}" for n, step in enumerate(steps, 1))
    return "\n".join([f"    {_advice(steps)}", *listed])


def as_list(steps: Sequence[Step]) -> str:
    """Part of an HTML page."""
    items = [f'<li><a href="{escape(step.address)}">{escape(step.sentence)}</a></li>' for step in steps]
    return f"<p>{escape(_advice(steps))}</p><ol>{''.join(items)}</ol>"


def _advice(steps: Sequence[Step]) -> str:
    needing = sum(step.needs_figures for step in steps)
    return (
        f"The first {needing} need figures: wait for “The figures are ready” in the terminal, "
        f"about a minute, or start with {needing + 1}."
    )
