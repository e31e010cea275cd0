from errata.grouping import VariantShape, fingerprint_of, variant_of
from tests.cases import each
from tests.errata.grouping.labelled import Event, events_of
from tests.errata.grouping.pairwise import pairwise

Frame = tuple[str, str]


@each("build", ["plain", "minified"])
def test_a_bug_is_one_issue_in_all_engines(build: str) -> None:
    score = pairwise(
        (event["extra"]["case"], issue({**event, "extra": {}}))
        for event in events_of("engine_errors.jsonl.gz")
        if event["extra"]["build"] == build
    )

    assert score.bugs == 29
    assert score.precision == 1.0
    # Safari does not list a function that ended in a call of the next one.
    assert score.recall >= 0.94


def shape(message: str, *frames: Frame) -> VariantShape:
    listed = [{"function": function, "filename": file, "in_app": True} for function, file in frames]
    raised = {"type": "TypeError", "value": message, "stacktrace": {"frames": listed}}
    return variant_of({"platform": "javascript", "exception": {"values": [raised]}}).shape


def issue(event: Event) -> int:
    return fingerprint_of(variant_of(event).shape, 3).fingerprint_hash


FILE = "https://shop.test/assets/app.js"
OWN = (("submitOrder", FILE), ("readTemplate", FILE))


def test_evaluated_code_counts_in_no_engine() -> None:
    stacks = [
        shape("Cannot read properties of undefined (reading 'id')", *OWN, ("eval", FILE), ("total", FILE)),
        shape(
            'can\'t access property "id", o is undefined', *OWN, ("anonymous", f"{FILE} line 3 > Function")
        ),
        shape("undefined is not an object (evaluating 'o.id')", *OWN, ("eval", "[native code]")),
    ]

    assert len({fingerprint_of(stack, 3).fingerprint for stack in stacks}) == 1
    explained = fingerprint_of(stacks[0], 3).explanation["frames"]
    assert sum(frame.get("left_out") == "evaluated code" for frame in explained) == 2


def test_a_bundler_that_evaluates_its_modules_keeps_their_frames() -> None:
    def within(function: str) -> tuple[str, ...]:
        module = "webpack-internal:///./src/cart.js"
        frames = (("./src/cart.js", FILE), ("eval", module), (function, module))
        return fingerprint_of(shape("x is not a function", *frames), 3).fingerprint

    assert within("addToCart") != within("removeFromCart")


@each(
    ("chromium", "firefox", "safari"),
    [
        (
            "Cannot read properties of undefined (reading 'id')",
            'can\'t access property "id", items.pop() is undefined',
            "undefined is not an object (evaluating 'items.pop().id')",
        ),
        (
            "handlers[name] is not a function",
            "handlers[name] is not a function",
            "handlers[name] is not a function. (In 'handlers[name](a)', 'handlers[name]' is undefined)",
        ),
        (
            "Assignment to constant variable.",
            "invalid assignment to const 'rate'",
            "Attempted to assign to readonly property.",
        ),
        (
            "Converting circular structure to JSON --> starting at object with constructor 'Object'",
            "cyclic object value",
            "JSON.stringify cannot serialize cyclic structures.",
        ),
        (
            "Expected property name or '}' in JSON at position 1 (line 1 column 2)",
            "JSON.parse: expected property name or '}' at line 1 column 2 of the JSON data",
            "JSON Parse error: Expected '}'",
        ),
    ],
    ids=["property", "call", "constant", "circle", "JSON"],
)
def test_what_engines_word_in_their_own_way_is_one_message(chromium: str, firefox: str, safari: str) -> None:
    found = {fingerprint_of(shape(said, *OWN), 3).fingerprint for said in (chromium, firefox, safari)}

    assert len(found) == 1
    assert fingerprint_of(shape("Payment declined", *OWN), 3).fingerprint not in found


def test_a_build_that_renames_a_variable_changes_nothing() -> None:
    def built(variable: str, property_: str) -> tuple[str, ...]:
        said = f"{variable}.{property_} is not a function"
        return fingerprint_of(shape(said, ("r", FILE), ("qm", FILE)), 3).fingerprint

    assert built("e", "checkout") == built("t", "checkout") != built("t", "refund")
