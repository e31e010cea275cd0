"""What names a bug but isn't in its template: codes of frameworks, modules that weren't loaded, pages.

A detail is a kind and a value. Only new events have details: the template of earlier ones lost them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from errata.client_software import client_software
from errata.grouping.frame import file_of
from errata.grouping.template import MAX_TEXT, template_of
from errata.grouping.text import text_of

CODE, MODULE, PAGE, BROWSER = "code", "module", "page", "browser"
Detail = tuple[str, str]

# What production builds say in place of words. The arguments beside a code are values.
_CODES: tuple[tuple[str, str, re.Pattern[str]], ...] = tuple(
    (hint, format_, re.compile(pattern))
    for hint, format_, pattern in (
        # React, Redux, Redux Toolkit, MUI, Lexical; Immer and MobX put their name before it.
        (
            "inified",
            "{} #{}",
            r"[Mm]inified ([A-Z][\w-]{1,20}(?: [A-Z][\w-]{1,20})?) (?:error|exception) #(\d{1,6})",
        ),
        ("inified", "{} #{}", r"\[(\w{1,20})\] minified error nr: ?(\d{1,6})"),
        ("NG0", "Angular {}", r"\b(NG0\d{2,5})\b"),
        ("angularjs", "AngularJS {}", r"errors\.angularjs\.org/[\w.-]{1,20}/(\$?\w{1,40}/\w{1,40})"),
        ("vuejs", "Vue {}", r"vuejs\.org/error-reference/?#(\w{1,20}-\w{1,20})"),
        ("NEXT_", "Next {}", r"\bNEXT_(HTTP_ERROR_FALLBACK;\d{3}|REDIRECT\b)"),
        ("nextjs", "Next {}", r"nextjs\.org/docs/messages/([\w-]{1,60})"),
        ("svelte", "Svelte {}", r"svelte\.dev/e/(\w{1,80})"),
        ("styled", "styled-components #{}", r"styled-components/[\w/]{0,60}errors\.md#(\d{1,4})"),
        ("git.io", "styled-components #{}", r"git\.io/JUIaE#(\d{1,4})"),
        # Apollo numbers its messages anew with each version.
        (
            "apollo",
            "Apollo {} #{}",
            r"apollo\.dev/c/err#%7B%22version%22%3A%22([\w.-]{1,20})%22%2C%22message%22%3A(\d{1,5})",
        ),
    )
)

# Chromium, Firefox; Vite's styles; webpack and Rspack, then Turbopack. Safari names no module.
_IMPORT = re.compile(
    r"(?:Failed to fetch|error loading) dynamically imported module: ?(?P<url>\S+)"
    r"|Unable to preload CSS for (?P<style>\S+)"
    r"|Loading (?:CSS )?chunk (?P<chunk>[^\s]{1,200}) failed(?:[^(]{0,8}\((?:\w{1,12}: ?)?(?P<file>[^\s)]+))?"
    r"|Failed to load chunk (?P<part>\S+)"
)
_FOLDER = re.compile(r".*/(?:assets|chunks|static|js|css)/|.*/|")
# Beside those of eight characters, which no file of a frame has.
_HASH = re.compile(r"[-.~](?=\w*\d)\w{4,64}$")
_ENDING = re.compile(r"\.(?:(?:chunk|bundle|min)\.)?(?:[cm]?[jt]sx?|css|vue|svelte)$")
_SCRIPT_ERROR = re.compile(r"(?:Uncaught )?(?:Error: )?Script error\.?")
# A browser has other names on phones and in applications.
_FORM = re.compile(r" ?(?:\b(?:Mobile|iOS|WebView|UI/WKWebView)\b|\bHeadless)")


def details_of(platform: str, messages: Sequence[str], payload: Mapping[str, Any]) -> tuple[Detail, ...]:
    """Of the messages of a chain, the oldest cause first."""
    if messages and platform == "javascript" and _SCRIPT_ERROR.fullmatch(messages[-1]):
        return _script_error(payload)
    found: dict[Detail, None] = {}
    for message in messages:
        text = message[:MAX_TEXT]
        for hint, format_, pattern in _CODES:
            if hint in text and (match := pattern.search(text)):
                found[CODE, format_.format(*match.groups())] = None
                break
        if ("module" in text or "hunk" in text or "preload" in text) and (match := _IMPORT.search(text)):
            found[MODULE, _module(match)] = None
    return tuple(found)


def _module(match: re.Match[str]) -> str:
    """The module's name without hash, host and the folder that all modules are in."""
    chunk, url = match["chunk"] or "", match["url"] or match["style"] or match["file"] or match["part"] or ""
    if not chunk.isdecimal():
        url = chunk if chunk else url
    file = file_of(url.rstrip(".,;:'\")"))
    folder = _FOLDER.match(file)
    return _HASH.sub("", _ENDING.sub("", file[folder.end() if folder else 0 :])) or chunk


def _script_error(payload: Mapping[str, Any]) -> tuple[Detail, ...]:
    """Of an error in a script of another host browsers tell neither message nor stack."""
    request, contexts = payload.get("request"), payload.get("contexts")
    request = request if isinstance(request, dict) else {}
    page = text_of(payload.get("transaction"), MAX_TEXT) or text_of(request.get("url"), MAX_TEXT)
    path = template_of(page.partition("#")[0]).removeprefix("⟨host⟩").rstrip("/") if page else ""
    browser = client_software(contexts if isinstance(contexts, dict) else {}, request).browser
    return (PAGE, path or "/"), (BROWSER, _FORM.sub("", browser).strip() or "unknown")
