"""Compiled code: C, C++, Objective-C, Swift and Rust, whose SDK calls its platform native too."""

from __future__ import annotations

import re

import re2

from errata.grouping.languages.language import Language
from errata.grouping.shape import FrameShape

_UNNAMED = re.compile(r"(?:<unknown>|<redacted>|\?+|unknown|sub_[0-9A-Fa-f]*|0x[0-9A-Fa-f]*|_?main\.cold)?")
# Copies of a function that compilers make, and what linkers add.
_CLONE = re.compile(
    r" ?\[clone [^\]]*\]|(?:\.(?:isra|part|constprop|cold|llvm|lto_priv|localalias)(?:\.\d*)*)+"
    r"|@@?[\w.]+$|\+0x[0-9a-f]*$"
)
_INLINE_NAMESPACE = re.compile(r"\b(?:__1|__cxx11|__ndk1|_V2)::")
_ANONYMOUS_NAMESPACE = re.compile(
    r"\(anonymous(?: namespace| class)?\)|`anonymous[ -]namespace'|\{anonymous\}"
)
_CPP_LAMBDA = re.compile(r"\{lambda\([^{}]*\)(?:#\d+)?\}|\$_\d+|'lambda\d*'(?:\([^()]*\))?|<lambda_\w*>")
_OPERATOR = re.compile(r"operator(?:<<|>>|<=>|<=|>=|->|<|>|\(\))")
_RUST_CLOSURE = re.compile(r"::\{+(?:closure(?:_env)?|async_fn(?:_env)?|async_block(?:_env)?|shim)[^{}]*\}+")
_RUST_CRATE = re.compile(r"(?<=\w)\[[0-9a-f]{0,16}\]")
_RUST_IMPL = re.compile(r"\{impl#\d+\}")
_RUST_OWN = re.compile(r"^<(?P<type>[^<> ]+)>::")
# RE2's, in whose time a row of underscores counts once.
_BLOCK = re2.compile(r"_*\p{Nd}*([-+]\[.*\])_block_invoke.*|_+\p{Nd}*([\p{L}\p{N}_]+?)_block_invoke.*")
_SWIFT = re.compile(
    r"(?:closure #\d+ in |partial apply for |specialized |generic specialization <.*> of |@objc |@nonobjc "
    r"|implicit closure #\d+ in |outlined .* of "
    r"|\(\d+\) (?:await resume|suspend resume) partial function for |protocol witness for |merged )+"
)
_GENERATED = re.compile(
    r"(?:_*libc_start\w*|_start|start_thread|clone3?|_*pthread_\w+|BaseThreadInitThunk|RtlUserThreadStart|abort|raise"
    r"|gsignal|__assert_fail\w*|__cxa_\w+|_Unwind_\w+|std::terminate\b.*|objc_exception_throw|_objc_terminate.*"
    r"|rust_begin_unwind|rust_panic\w*|__rust_\w+|_*rust_\w+|invoke_main|__scrt_\w+|mainCRTStartup|CFRunLoop\w*"
    r"|(?:core|std)::panicking::.*|core::(?:result::unwrap_failed|option::(?:unwrap|expect)_failed|slice::index::.*"
    r"|ops::function::.*|future::.*|str::slice_error_fail\w*)"
    r"|std::(?:rt|sys|sys_common|thread|backtrace|panic)::.*|backtrace(?:_rs)?::.*|sentry\w*::.*|tokio::runtime::.*)"
)
_LIBRARY = re.compile(
    r"(?:<?(?:std|core|alloc|tokio|futures\w*|hyper|tower\w*|axum|actix\w*|rocket|mio|rayon\w*|reqwest|serde\w*|boost|absl"
    r"|google|folly)::|Q[A-Z]\w*::|NS[A-Z]\w*|UI[A-Z]\w*|-\[(?:NS|UI|CF|CA)|_dispatch_)"
)
_VENDOR_FOLDER = re.compile(r"(?:.*/)?(?:\.cargo/registry/|rustc/|\.rustup/|usr/(?:lib|include)/)")


def own_name(function: str) -> str:
    """Without parameters, templates, generics, closures, clones and the folder a version was built in."""
    name = _CLONE.sub("", _SWIFT.sub("", function))
    if match := _BLOCK.match(name):
        name = match[1] or match[2]
    if name[:2] in ("-[", "+["):
        return name
    name = _RUST_IMPL.sub("{impl}", _RUST_CLOSURE.sub("", _RUST_CRATE.sub("", name)))
    name = _CPP_LAMBDA.sub("lambda", _ANONYMOUS_NAMESPACE.sub("anonymous", _INLINE_NAMESPACE.sub("", name)))
    if name[:1] == "<" and " as " in name and ">::" in name:  # <shop::Cart<T> as core::fmt::Display>::fmt
        owner, _, trait = name[1:].partition(" as ")
        trait, _, function = trait.rpartition(">::")
        return f"{_bare(owner)} as {_bare(trait)}::{function}"
    name = _bare(_RUST_OWN.sub(r"\g<type>::", name)).replace("::::", "::").strip(": ")
    return "" if _UNNAMED.fullmatch(name) else name


def _bare(name: str) -> str:
    """Without brackets and what they hold, and without a return type before them."""
    operator = _OPERATOR.search(name)
    head, tail = (name[: operator.start()], operator[0]) if operator else (name, "")
    kept, depth = [], 0
    for character in head:
        depth += character in "<("
        if not depth:
            kept.append(character)
        depth -= depth > 0 and character in ">)"
    words = "".join(kept).removesuffix(" const").split()
    return (words[-1] if words else "") + tail


def place(frame: FrameShape) -> str:
    name = own_name(frame.function)
    if not name or "::" in name or name[:2] in ("-[", "+["):
        return name
    # A plain function of C may have the name of another file's.
    return f"{frame.module or frame.file.rpartition('/')[2]} {name}".strip()


def is_generated(frame: FrameShape) -> bool:
    return _GENERATED.match(frame.function) is not None


def is_library(frame: FrameShape) -> bool:
    return bool(_LIBRARY.match(frame.function) or _VENDOR_FOLDER.match(frame.file))


NATIVE = Language(
    place=place,
    is_generated=is_generated,
    is_library=is_library,
    # A panic's message is the only word of what went wrong.
    spoken_types=("panic", "assertion"),
)
