"""The .NET runtime: async methods, lambdas and local functions live in generated classes."""

from __future__ import annotations

import re

from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

_STATE_MACHINE = re.compile(r"[+.]<(?:<(\w{1,128})>b__\w*|(\w{1,128}))>d(?:__\d+)?(?:`\d+|\[.*)?$")
_CLOSURE_CLASS = re.compile(r"[+.]<>c(?:__DisplayClass\w*)?(?:`\d+|<.*>)?")
_WITHIN = re.compile(r"<(\w{1,128})>[bdg]__[\w|]*")
_ARITY = re.compile(r"`\d+|\[\[.*\]\]|\[[\w,. ]*\]")
_LAMBDA = re.compile(r"\s*\{ ?(?:<lambda>|\.\.\.)? ?\}.*|\+\(.*|\s*=>.*")
_DYNAMIC = re.compile(r"lambda_method\d*")
_GENERATED = re.compile(
    r"System\.(?:Runtime\.CompilerServices|Runtime\.ExceptionServices|Threading\.(?:Tasks|ExecutionContext))\b"
)
_LIBRARY = re.compile(
    r"(?:System|Microsoft|Newtonsoft|Npgsql|Dapper|MediatR|Autofac|Castle|AutoMapper|Hangfire|MassTransit|Polly"
    r"|Serilog|Grpc|StackExchange|FluentValidation|MySql|MySqlConnector|Quartz|RabbitMQ|Azure|Amazon|Sentry)\."
)


def place(frame: FrameShape) -> str:
    module, function = frame.module, frame.function
    if match := _STATE_MACHINE.search(module):
        module, function = module[: match.start()], match[1] or match[2]
    module = _ARITY.sub("", _CLOSURE_CLASS.sub("", module))
    return f"{module or frame.file.rpartition('/')[2]} {_function(function)}".strip()


def _function(function: str) -> str:
    """The method's own name: no return type, parameters, generics or lambda."""
    if match := _WITHIN.search(function):
        return match[1]
    name = _without_brackets(_LAMBDA.sub("", function))
    name = _ARITY.sub("", name).strip().rpartition(" ")[2]
    last = name.rpartition(".")[2] if not name.endswith((".ctor", ".cctor")) else name[name.rindex(".c") :]
    return "lambda_method" if _DYNAMIC.fullmatch(last) else last


def _without_brackets(name: str) -> str:
    """Without what stands in `<>` and `()`, however nested."""
    kept, depth = [], 0
    for character in name:
        depth += character in "<("
        if not depth:
            kept.append(character)
        depth -= depth > 0 and character in ">)"
    return "".join(kept)


def is_generated(frame: FrameShape) -> bool:
    return _GENERATED.match(frame.module) is not None


def is_library(frame: FrameShape) -> bool:
    return _LIBRARY.match(frame.module) is not None


CSHARP = Language(place=place, is_generated=is_generated, is_library=is_library)
