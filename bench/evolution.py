"""The labelled events as later releases, other servers and other browsers would send them.

Each kind of change is made to the program, then told by every event of it. Nothing here knows how events
are grouped: functions, modules and messages to change are drawn by chance.
"""

from __future__ import annotations

import copy
import re
import string
from collections.abc import Callable, Iterable, Iterator
from random import Random
from typing import Any
from uuid import UUID

Event = dict[str, Any]
Frame = dict[str, Any]
Change = Callable[[list[Event], Random], list[Event]]

_WORDS = ("billing", "intake", "ledger", "sales", "depot", "support", "pricing", "partners", "queue", "vault")


def frames_of(event: Event) -> Iterator[Frame]:
    for stack in _stacks(event):
        yield from stack


def _stacks(event: Event) -> Iterator[list[Frame]]:
    for exception in event["exception"]["values"]:
        if exception.get("stacktrace"):
            yield exception["stacktrace"]["frames"]


def _place(frame: Frame) -> tuple[str, str]:
    return frame["module"] or frame["filename"], frame["function"]


def _functions(events: Iterable[Event], in_app: bool) -> list[tuple[str, str]]:
    found = {
        _place(frame) for event in events for frame in frames_of(event) if bool(frame.get("in_app")) is in_app
    }
    return sorted(found)


def lines_shifted(events: list[Event], chance: Random) -> list[Event]:
    """Lines were added and removed above every function."""
    shift = {place: chance.randrange(-5, 60) for place in _functions(events, True)}
    for event in events:
        for frame in frames_of(event):
            frame["lineno"] = max(1, frame["lineno"] + shift.get(_place(frame), 0))
    return events


def functions_moved(share: float) -> Change:
    """A share of the functions went to other modules."""

    def change(events: list[Event], chance: Random) -> list[Event]:
        new = {place: chance.choice(_WORDS) for place in _functions(events, True) if chance.random() < share}
        for event in events:
            for frame in frames_of(event):
                if _place(frame) in new:
                    _into_module(frame, f"shop.{new[_place(frame)]}")
        return events

    return change


def files_renamed(share: float) -> Change:
    """A share of the modules have other names, and their functions with them."""

    def change(events: list[Event], chance: Random) -> list[Event]:
        modules = sorted({module for module, _ in _functions(events, True)} - {"__main__"})
        new = {module: f"{module}_{chance.choice(_WORDS)}" for module in modules if chance.random() < share}
        for event in events:
            for frame in frames_of(event):
                if frame["module"] in new:
                    _into_module(frame, new[frame["module"]])
        return events

    return change


def _into_module(frame: Frame, module: str) -> None:
    file = module.replace(".", "/") + ".py"
    frame["abs_path"] = frame["abs_path"].replace(frame["filename"], file)
    frame["module"], frame["filename"] = module, file


def wrappers_added(share: float) -> Change:
    """A share of the functions got a decorator with a frame of its own."""

    def change(events: list[Event], chance: Random) -> list[Event]:
        wrapped = {place for place in _functions(events, True) if chance.random() < share}
        for event in events:
            for stack in _stacks(event):
                stack[:] = [added for frame in stack for added in _wrapped(frame, _place(frame) in wrapped)]
        return events

    return change


def _wrapped(frame: Frame, is_wrapped: bool) -> list[Frame]:
    if not is_wrapped:
        return [frame]
    wrapper = {
        **frame,
        "function": "wrapper",
        "lineno": 31,
        "context_line": "    return func(*args, **kwargs)",
    }
    _into_module(wrapper, "shop.telemetry")
    return [wrapper, frame]


def ids_in_messages(events: list[Event], chance: Random) -> list[Event]:
    """Every message names what it was about, each bug in its own way, and its numbers are others."""
    kind: dict[str, int] = {}
    for event in events:
        raised = event["exception"]["values"][-1]
        style = kind.setdefault(event["extra"]["case"], chance.randrange(5))
        number = chance.randrange(10**6)
        about = (
            f"(request {UUID(int=chance.getrandbits(128))})",
            f"order {number}",
            f"at 10.0.{number % 250}.{number % 240}:{4000 + number % 900}",
            f"trace={UUID(int=chance.getrandbits(128)).hex}",
            f"2026-11-{1 + number % 28:02}T10:{number % 60:02}:00Z",
        )[style]
        value = re.sub("[0-9]+", lambda _: str(chance.randrange(10**5)), str(raised["value"]))
        raised["value"] = f"{value} {about}"
    return events


def frameworks_updated(events: list[Event], chance: Random) -> list[Event]:
    """Vendor functions were renamed, taken out and put in between; the line of each is another."""
    fate = {place: chance.random() for place in _functions(events, False)}
    for event in events:
        for stack in _stacks(event):
            stack[:] = [new for frame in stack for new in _updated(frame, fate.get(_place(frame), 1.0))]
    return events


def _updated(frame: Frame, fate: float) -> list[Frame]:
    if fate == 1.0:
        return [frame]
    frame["lineno"] += 11
    if fate < 0.1:
        return []
    if fate < 0.2:
        return [{**frame, "function": f"_call_{frame['function']}"}, frame]
    if fate < 0.35:
        frame["function"] = f"{frame['function']}_impl"
    return [frame]


def servers_changed(events: list[Event], chance: Random) -> list[Event]:
    """Other hosts, folders, systems and versions of Python."""
    for event in events:
        event["server_name"] = f"web-{chance.randrange(99)}"
        root, venv = chance.choice(
            (
                ("/opt/app", "/opt/app/.venv/lib/python3.13"),
                (
                    "/home/deploy/releases/20261121093000",
                    "/home/deploy/.pyenv/versions/3.13.1/lib/python3.13",
                ),
                ("C:\\app", "C:\\Python313\\Lib"),
            )
        )
        for frame in frames_of(event):
            frame["abs_path"] = frame["abs_path"].replace("/srv/shop/venv/lib/python3.12", venv)
            frame["abs_path"] = frame["abs_path"].replace("/srv/shop", root)
            if root[0] == "C":
                frame["abs_path"] = frame["abs_path"].replace("/", "\\")
                frame["filename"] = frame["filename"].replace("/", "\\")
    return events


def in_turn(*changes: Change) -> Change:
    def change(events: list[Event], chance: Random) -> list[Event]:
        for each in changes:
            events = each(events, chance)
        return events

    return change


PYTHON: dict[str, Change] = {
    "lines shifted": lines_shifted,
    "ids in messages": ids_in_messages,
    "other servers": servers_changed,
    "other framework versions": frameworks_updated,
    "5% of functions moved": functions_moved(0.05),
    "5% of files renamed": files_renamed(0.05),
    "5% of functions wrapped": wrappers_added(0.05),
    "a release: all of it, 1% moved, renamed, wrapped": in_turn(
        lines_shifted,
        ids_in_messages,
        servers_changed,
        frameworks_updated,
        functions_moved(0.01),
        files_renamed(0.01),
        wrappers_added(0.01),
    ),
}

_BASE32 = string.ascii_uppercase + "234567"
_BASE64 = string.ascii_letters + string.digits + "-_"
_ASSET = re.compile(r"(?P<folder>.*/)(?P<name>[\w-]+?)-(?P<hash>[A-Z0-9]{8})\.js$")
_SHORT = re.compile(r"(?:(?P<receiver>[\w$.]+)\.)?(?P<name>[A-Za-z_$]{1,3})$")


def build_changed(events: list[Event], chance: Random) -> list[Event]:
    """Every bundle has another hash, and every function that a minifier named another name."""
    new: dict[tuple[str, str], str] = {}
    for event in events:
        event["release"] = "shop-web@9.8.7"
        for frame in frames_of(event):
            asset = _ASSET.match(frame["filename"])
            if not asset:
                continue
            short = _SHORT.match(frame["function"].removeprefix("async "))
            if short:
                key = (asset["name"], short["name"])
                name = new.setdefault(key, _letters(chance, string.ascii_letters, chance.choice((1, 2))))
                frame["function"] = frame["function"][: -len(short["name"])] + name
            token = new.setdefault(
                (asset["name"], ""), _letters(chance, string.ascii_uppercase + "23456789", 8)
            )
            frame["filename"] = f"https://cdn.example/assets/9.8.7/{asset['name']}-{token}.js"
            frame["lineno"], frame["colno"] = 2, chance.randrange(9000)
    return events


def bundler_changed(events: list[Event], chance: Random) -> list[Event]:
    """Built by Vite or webpack, with their ways to name a bundle."""
    for event in build_changed(events, chance):
        style = chance.choice(("assets/{name}-{base64}.js", "static/js/{name}.{hex}.js"))
        style = chance.choice((style, "static/js/{name}.{hex}.chunk.js"))
        for frame in frames_of(event):
            asset = _ASSET.match(frame["filename"])
            if asset:
                token = {"base64": _letters(chance, _BASE64, 8), "hex": f"{chance.getrandbits(64):016x}"}
                frame["filename"] = "https://a.example/" + style.format(name=asset["name"], **token)
    return events


def engine_changed(events: list[Event], chance: Random) -> list[Event]:
    """The same program in Firefox or Safari: other names for functions, other words for mistakes."""
    for event in events:
        firefox = chance.random() < 0.5
        for exception in event["exception"]["values"]:
            exception["value"] = _reworded(exception["value"], firefox)
        for stack in _stacks(event):
            kept = [frame for frame in stack if not (firefox and frame["filename"] == "<anonymous>")]
            if not firefox:  # Safari keeps no record of who awaited
                kept = [frame for frame in kept[:-1] if not frame["function"].startswith("async ")] + kept[
                    -1:
                ]
            stack[:] = [_in_engine(frame, firefox) for frame in kept]
    return events


def _in_engine(frame: Frame, firefox: bool) -> Frame:
    if frame["filename"] == "<anonymous>":
        return {**frame, "function": frame["function"].rpartition(".")[2], "filename": "[native code]"}
    name = frame["function"].removeprefix("async ").rpartition(".")[2]
    if name in ("<anonymous>", "?"):  # Firefox names it after the function around it
        name = "n/<" if firefox else "?"
    return {**frame, "function": name}


_READ = re.compile(r"Cannot read properties of (\w+) \(reading '(\w+)'\)")
_SET = re.compile(r"Cannot set properties of (\w+) \(setting '(\w+)'\)")
_UNDEFINED = re.compile(r"(\w+) is not defined")


def _reworded(message: str, firefox: bool) -> str:
    """As the engines word them, by their own sources of messages."""
    if firefox:
        message = _READ.sub(r"""can't access property "\2", e.x is \1""", message)
        message = _SET.sub(r"""can't access property "\2", t is \1""", message)
        message = message.replace("Maximum call stack size exceeded", "too much recursion")
        return message.replace("Failed to fetch", "NetworkError when attempting to fetch resource.")
    message = _READ.sub(r"\1 is not an object (evaluating 'e.x.\2')", message)
    message = _SET.sub(r"\1 is not an object (evaluating 't.\2=e')", message)
    message = _UNDEFINED.sub(r"Can't find variable: \1", message)
    return message.replace("Failed to fetch", "Load failed")


def wrapper_hidden(events: list[Event], chance: Random) -> list[Event]:
    """Another version of the SDK leaves its own frame, the outermost, out of the stack."""
    for event in events:
        for stack in _stacks(event):
            if len(stack) > 1 and "monitor" in stack[0]["filename"]:
                del stack[0]
    return events


def _letters(chance: Random, letters: str, count: int) -> str:
    return "".join(chance.choices(letters, k=count))


BROWSER: dict[str, Change] = {
    "a new build": build_changed,
    "another bundler": bundler_changed,
    "another engine": engine_changed,
    "ids in messages": ids_in_messages,
    "another version of the SDK": wrapper_hidden,
    "all of it": in_turn(wrapper_hidden, engine_changed, bundler_changed),
}


def evolved(events: list[Event], change: Change, seed: int) -> list[Event]:
    """The events as they were, and as they come after the change."""
    if change is ids_in_messages:  # each of them names another order, those of before too
        return change(copy.deepcopy(events) + copy.deepcopy(events), Random(seed))
    return events + change(copy.deepcopy(events), Random(seed))
