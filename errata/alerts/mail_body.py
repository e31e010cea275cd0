"""The body of an alert's mail: as text, and as HTML with a chart for each issue that has evidence."""

from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from errata.alerts.bar_chart import HEIGHT, WIDTH, text_bars
from errata.alerts.wording import counts_words, facts_words, steps_words

FONT = "font:14px sans-serif"
MUTED = "color:#767676"
BUTTON = (
    "display:inline-block;padding:6px 14px;border:1px solid #767676;border-radius:5px;text-decoration:none;"
    "margin:0 6px 6px 0"
)
CODE = "font:13px monospace;white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 10px"
Content = Mapping[str, Any]


def text_body(content: Content) -> str:
    lines = [content["text"], ""]
    for issue in content["issues"]:
        lines += [*filter(None, _text_of(issue)), ""]
    if hint := _how_to_stop(content):
        lines += [hint, ""]
    if content["more"]:
        lines += [f"and {content['more']:,} more: {content['project']['url']}", ""]
    if content["held_back"]:
        lines += [content["held_back"], ""]
    return "\n".join([*lines, "-- ", f"Sent by Errata: {content['url']}"])


def _text_of(issue: Content) -> Iterator[str]:
    yield issue["title"]
    yield f"  {issue['culprit']}" if issue["culprit"] else ""
    yield f"  {issue['reason']} (rule {issue['rule']})"
    if found := issue.get("evidence"):
        yield f"  {facts_words(found)}"
        yield f"  {counts_words(found)}"
        yield f"  {steps_words(found)}"
        yield f"  [{text_bars(found['steps'])}]"
        for frame in found["frames"]:
            yield f"    at {frame['function']} ({frame['place']})"
            yield f"       > {frame['source']}" if frame["source"] else ""
    yield f"  Open:    {issue['url']}"
    if issue.get("resolve_url"):
        yield f"  Resolve: {issue['resolve_url']}"
        yield f"  Ignore:  {issue['ignore_url']}"


def html_body(content: Content, chart_ids: Mapping[int, str]) -> str:
    """`chart_ids` are those of the pictures by the place of their issue."""
    parts = [f"<h2 style='{FONT};font-size:18px;font-weight:bold'>{escape(content['text'])}</h2>"]
    for place, issue in enumerate(content["issues"]):
        parts += _html_of(issue, chart_ids.get(place, ""))
    if hint := _how_to_stop(content):
        parts.append(_muted(escape(hint)))
    if content["more"]:
        address = escape(content["project"]["url"])
        parts.append(f"<p style='{FONT}'><a href='{address}'>and {content['more']:,} more</a></p>")
    if content["held_back"]:
        parts.append(_muted(escape(content["held_back"])))
    parts.append(_muted(f"Sent by <a href='{escape(content['url'])}'>Errata</a>"))
    head = (
        "<meta name='viewport' content='width=device-width'><meta name='color-scheme' content='light dark'>"
    )
    return f"<!doctype html><html><head>{head}</head><body>" + "\n".join(parts) + "</body></html>"


def _html_of(issue: Content, chart_id: str) -> Iterator[str]:
    title, culprit = escape(issue["title"]), escape(issue["culprit"])
    yield (
        f"<p style='{FONT};overflow-wrap:anywhere'><a href='{escape(issue['url'])}'><b>{title}</b></a><br>"
        f"<span style='{MUTED}'>{culprit}</span><br>"
        f"{escape(issue['reason'])} (rule {escape(issue['rule'])})</p>"
    )
    if found := issue.get("evidence"):
        yield f"<p style='{FONT}'>{escape(facts_words(found))}<br>{escape(counts_words(found))}</p>"
        yield _html_chart(escape(steps_words(found)), chart_id)
        yield from (_html_frame(frame) for frame in found["frames"])
    if issue.get("resolve_url"):
        links = (("Open", issue["url"]), ("Resolve", issue["resolve_url"]), ("Ignore", issue["ignore_url"]))
        buttons = "".join(f"<a href='{escape(url)}' style='{BUTTON}'>{word}</a>" for word, url in links)
        yield f"<p style='{FONT};margin-bottom:24px'>{buttons}</p>"


def _html_chart(words: str, chart_id: str) -> str:
    picture = f"<img src='cid:{chart_id}' width='{WIDTH}' height='{HEIGHT}' alt='Chart of events over time'"
    style = "display:block;max-width:100%;margin-bottom:4px"
    return f"<p style='{FONT};{MUTED};font-size:12px'>{picture} style='{style}'>{words}</p>"


def _html_frame(frame: Content) -> str:
    source = f"<br>&gt; <b>{escape(frame['source'])}</b>" if frame["source"] else ""
    place = f"<span style='{MUTED}'>{escape(frame['place'])}</span>"
    return f"<p style='{CODE}'>{escape(frame['function'])} {place}{source}</p>"


def _muted(html: str) -> str:
    return f"<p style='{FONT};{MUTED}'>{html}</p>"


def _how_to_stop(content: Content) -> str:
    """Rules skip ignored issues; budgets, and all issues combined, can't be ignored."""
    count = sum(bool(issue.get("id")) for issue in content["issues"])
    about = "this issue" if count == 1 else "an issue"
    return f"To stop alerts about {about}, open it and choose Ignore." if count else ""
