from __future__ import annotations

import re

from errata.grouping.languages.file import below_install
from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

_BLOCK = re.compile(r"(?:(?:block|rescue|ensure|else)(?: \(\d+ levels\))? in )+")
# Since Ruby 3.4 labels name the class: `OrdersController#create`.
_CLASS = re.compile(r"[A-Z][\w:]*[#.](?=[a-z_])")
_TOP = re.compile(r"<(?:main|top \(required\)|class:.*|module:.*|singleton class)>")
_TEMPLATE = re.compile(r"(_\w+?_(?:erb|haml|slim|jbuilder|builder))_.*")
_ROOTS = (re.compile(r".*/(?=(?:app|lib|config|bin|db)/)"),)
# Written in C or in Ruby by turns, and named in the caller's file.
_OF_THE_LANGUAGE = frozenset(
    "each map flat_map each_with_index each_with_object inject reduce select reject collect times upto step "
    "tap then loop send public_send __send__ instance_exec instance_eval class_eval call yield synchronize "
    "catch".split()
)
_NO_METHOD = re.compile(
    r"undefined (?:local variable or )?method [`'⟨]?([\w?!=]+)['⟩]? for (?:an instance of )?(\w*).*"
)


def _function(function: str) -> str:
    name = _CLASS.sub("", _BLOCK.sub("", function.strip("'`")), count=1)
    name = _TEMPLATE.sub(r"\1", name)
    return "" if _TOP.fullmatch(name) else name


def place(frame: FrameShape) -> str:
    file = below_install(frame.file, in_app=frame.in_app, roots=_ROOTS)
    return f"{file or frame.module} {_function(frame.function)}".strip()


def is_generated(frame: FrameShape) -> bool:
    return frame.file.startswith("<internal:") or _function(frame.function) in _OF_THE_LANGUAGE


def is_library(frame: FrameShape) -> bool:
    return "/gems/" in frame.file or frame.file.startswith("<internal:")


def reworded(template: str) -> str:
    """Ruby 3.3 and 3.4 quote in other ways and no longer say `nil:NilClass`."""
    match = _NO_METHOD.fullmatch(template)
    return f"undefined method {match[1]} for {match[2]}" if match else template


RUBY = Language(
    place=place,
    is_generated=is_generated,
    is_library=is_library,
    spoken_types=("NoMethodError", "NameError", "TypeError", "ArgumentError"),
    reworded=reworded,
)
