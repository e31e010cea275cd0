"""What names a bug but isn't in its template: codes of frameworks, modules that weren't loaded, pages.

A detail is a kind and a value. Only new events have details: the template of earlier ones lost them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from errata.grouping.template import MAX_TEXT

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


def details_of(platform: str, messages: Iterable[str], payload: Mapping[str, Any]) -> tuple[Detail, ...]:
    """Of the messages of a chain, the oldest cause first."""
    found: dict[Detail, None] = {}
    for message in messages:
        for hint, format_, pattern in _CODES:
            if hint in message and (match := pattern.search(message[:MAX_TEXT])):
                found[CODE, format_.format(*match.groups())] = None
                break
    return tuple(found)
