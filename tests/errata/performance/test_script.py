"""Scripts of captured frames beside the sources of the captured shop: the right function, or none."""

from collections import Counter

from errata.performance.script import NOTHING_KNOWN, OriginalFunction, Script, known_script
from tests.captures import GENERATIONS
from tests.cases import each
from tests.long_frames import frames_sent

# By what called them, the shop's own handlers: file and function by its sources; empty: it has no name there.
HANDLERS = {
    "BUTTON#menu.onclick": ("ui", ""),
    "BUTTON#plus.onclick": ("cart", ""),
    "BUTTON#pay.onclick": ("checkout", "pay"),
    "BUTTON#add.onclick": ("product", ""),
    # `.add` and `.filter` of one page.
    "BUTTON.onclick": ("products", ""),
    "INPUT#terms.onclick": ("checkout", ""),
    "BUTTON#hero-next.onclick": ("home", ""),
    "IMG.onclick": ("product", ""),
}
# Of the shop's libraries, none of which has a map: `monitor` is the SDK.
LISTENERS = {
    "DOMWindow.onload": "",
    "#document.onmousemove": "",
    "#document.onscroll": "",
    "#document.onclick": "",
    "DOMWindow.onunhandledrejection": "monitor",
    "PerformanceObserverCallback": "monitor",
    "Response.json.then": "product",
}


def test_a_captured_frame_names_the_right_function_or_none() -> None:
    told: Counter[str] = Counter()
    wrappers, hidden = set(), set()
    for generation in GENERATIONS:
        for _, (invoker, kind, file, function, position) in frames_sent(generation):
            script = known_script(invoker, file, function, position, None)
            caller = f"IMG.{invoker.rpartition('.')[2]}" if invoker.startswith("IMG[") else invoker
            name = script.file.rpartition("/")[2].partition("-")[0]
            if kind.endswith("-script"):
                assert (script.file, script.function) == (invoker, "")
                told["script"] += 1
            elif caller in HANDLERS:
                # The browser named a function of the SDK, which called the handler.
                assert file.rpartition("/")[2].startswith("monitor-") and len(function) == 1
                true_file, true_function = HANDLERS[caller]
                assert name in ("", true_file) and script.function in ("", true_function)
                assert script == NOTHING_KNOWN
                wrappers.add((file, position))
                told["wrapped handler"] += 1
            else:
                assert name == LISTENERS[caller] and script.function == ""
                told["named file" if name else "wrapped listener"] += 1
                if not name:
                    hidden.add((file, position))
    # What is left unnamed is one function of each build of the SDK: the wrapper.
    unnamed = wrappers | hidden
    assert len(unnamed) == len({file for file, _ in unnamed})
    assert told == {"script": 172, "wrapped handler": 72, "wrapped listener": 16, "named file": 5}
    assert told.total() == 265


@each(
    ("invoker", "function", "original", "expected"),
    [
        ("BUTTON#pay.onclick", "sentryWrapped", None, NOTHING_KNOWN),
        ("BUTTON#pay.onclick", "r", None, NOTHING_KNOWN),
        ("TimerHandler:setTimeout", "n", None, NOTHING_KNOWN),
        ("FrameRequestCallback", "Qi", None, NOTHING_KNOWN),
        (
            "BUTTON#pay.onclick",
            "r",
            OriginalFunction("sentryWrapped", "node_modules/@sentry/browser/src/helpers.ts:145"),
            NOTHING_KNOWN,
        ),
        (
            "BUTTON#pay.onclick",
            "r",
            OriginalFunction("", "node_modules/@sentry/browser/build/npm/esm/prod/helpers.js:101"),
            NOTHING_KNOWN,
        ),
        # Where the SDK wraps nothing, browsers name the handler.
        ("BUTTON#pay.onclick", "pay", None, Script("a.js", "pay", 7)),
        ("BUTTON#pay.onclick", "", None, Script("a.js", "", 7)),
        (
            "BUTTON#pay.onclick",
            "h",
            OriginalFunction("pay", "src/pages/checkout.js:11"),
            Script("a.js", "pay", 7, "src/pages/checkout.js:11"),
        ),
        # SDKs do not wrap what follows a promise, nor scripts.
        ("Response.json.then", "h", None, Script("a.js", "h", 7)),
        ("https://shop.example/a.js", "", None, Script("a.js", "", 7)),
    ],
)
def test_a_wrapper_of_an_sdk_is_never_named(
    invoker: str, function: str, original: OriginalFunction | None, expected: Script
) -> None:
    assert known_script(invoker, "a.js", function, 7, original) == expected
