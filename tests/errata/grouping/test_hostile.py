import json
import sys
from collections.abc import Callable, Mapping
from functools import partial
from itertools import chain
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from errata.grouping import VERSIONS, Variant, VariantShape, fingerprint_of, parse_rules, variant_of
from errata.grouping.frame import MAX_FILE, MAX_NAME
from errata.grouping.shape import variant_hash_of
from tests.cases import each
from tests.errata.grouping.events import frame, raised

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()), max_size=20)
    | st.sampled_from(
        ["{{ default }}", "⟨number⟩", "\ud800", "<anonymous>", "javascript", "python", "RecursionError"]
    )
)
anything = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)


def either(shape: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return shape | anything


frames = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("module", "function", "filename", "abs_path", "in_app", "context_line"), anything
    ),
)
stacks = st.fixed_dictionaries({"frames": either(st.lists(either(frames), max_size=6))})
exceptions = st.fixed_dictionaries(
    {},
    optional={
        "type": anything,
        "value": anything,
        "module": anything,
        "stacktrace": either(stacks),
        "mechanism": either(st.fixed_dictionaries({"is_exception_group": anything})),
    },
)
values = either(st.fixed_dictionaries({"values": either(st.lists(either(exceptions), max_size=4))}))
payloads = st.fixed_dictionaries(
    {},
    optional={
        "exception": values,
        "threads": values,
        "logentry": either(
            st.fixed_dictionaries({"message": anything, "params": anything, "formatted": anything})
        ),
        "fingerprint": anything,
        **dict.fromkeys(
            ("message", "platform", "level", "logger", "tags", "transaction", "stacktrace"), anything
        ),
    },
)


def check(variant: Variant) -> None:
    shape = VariantShape.from_json(variant.shape.to_json())
    found = fingerprint_of(shape)

    assert shape == variant.shape
    assert found == fingerprint_of(variant.shape)
    assert variant_hash_of(shape) == variant.variant_hash
    assert 0 < variant.variant_hash < 1 << 64
    assert 0 < found.fingerprint_hash < 1 << 64
    assert json.loads(json.dumps(found.explanation)) == found.explanation
    assert found.explanation["rule"] in (
        "explicit fingerprint",
        "in-app frames",
        "all frames",
        "exception type and message template",
        "message",
    )
    for text in (variant.title, variant.type, variant.value, variant.culprit, *found.fingerprint):
        text.encode()


@settings(max_examples=150, deadline=None)
@given(payloads)
def test_any_payload_has_a_variant_and_its_shape_survives_json(payload: Mapping[str, Any]) -> None:
    check(variant_of(payload))
    assert variant_of(payload) == variant_of(payload)


def steps(most: int, action: Callable[[], Any]) -> Any:
    """The result of an action that makes no more than so many calls, however long they take."""
    count = 0

    def counted(_frame: object, event: str, _argument: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(counted)
    try:
        result = action()
    finally:
        sys.setprofile(None)
    assert count <= most
    return result


def deep() -> list[Any]:
    nested: list[Any] = []
    for _ in range(100_000):
        nested = [nested]
    return nested


@each(
    "payload",
    [
        raised(*[frame("walk", f"m{n}") for n in range(50_000)]),
        raised(*[frame("walk")] * 200_000),
        raised(frame("a" * 1_000_000, "b" * 1_000_000, filename="/" * 1_000_000)),
        raised(frame("$1" * 500_000, filename="-a1b2c3d4" * 100_000 + ".js"), platform="javascript"),
        raised(frame("lambda$" * 100_000, "$$" * 100_000), platform="java"),
        raised(frame("f"), value="'" * 1_000_000, platform="javascript"),
        {"exception": {"values": [{"type": "E", "value": "v"}] * 50_000}},
        {"fingerprint": ["{{" * 100_000] * 1000, "message": 10**5000},
        {"exception": deep(), "fingerprint": deep(), "logentry": deep()},
    ],
    ids=["frames", "recursion", "names", "dollars", "lambdas", "quotes", "chain", "fingerprint", "deep"],
)
def test_a_huge_payload_costs_little(payload: Mapping[str, Any]) -> None:
    rules = parse_rules("tags.a:b -> c\nmodule:*walk*m* path:**/a/** -> d\nmodule:*m*1*2* -app")
    variant = steps(120_000, lambda: variant_of(payload, rules))
    for version in VERSIONS:
        steps(60_000, partial(fingerprint_of, variant.shape, version, rules))

    # What patterns look at is cut to these lengths, so none of them has far to go back.
    for kept in [
        *variant.shape.frames,
        *chain.from_iterable(item.frames for item in variant.shape.exceptions),
    ]:
        assert max(len(kept.module), len(kept.function)) <= MAX_NAME
        assert len(kept.file) <= MAX_FILE
    assert len(variant.shape.to_json()) < 400_000
    check(variant)


def test_a_number_in_place_of_a_flag_never_changes_what_another_event_gets() -> None:
    plain = variant_of(raised(frame("load", "m_flag"))).variant_hash
    for odd in (1, 1.0, "true", None):
        variant_of(raised(frame("load", "m_flag", in_app=odd)))
        variant_of(raised(frame("load", "m_flag2", in_app=odd)))

    assert variant_of(raised(frame("load", "m_flag"))).variant_hash == plain
