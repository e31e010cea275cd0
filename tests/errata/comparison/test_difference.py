import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from errata.comparison import difference
from tests.cases import each

values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-2, 2) | st.text("ab[]", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text("xyz", max_size=2), inner, max_size=3)
    ),
    max_leaves=12,
)


def shown(left: Any, right: Any) -> list[tuple[str, str, str, bool]]:
    rows = difference({"v": left}, {"v": right})
    return [
        (row.path, row.left.text or row.left.kind, row.right.text or row.right.kind, row.is_different)
        for row in rows
    ]


@each(
    ("left", "right"),
    [
        (1, "1"),
        (1, True),
        (0, False),
        (None, ""),
        (None, []),
        ([], {}),
        ("", []),
        ([1], {"0": 1}),
        ("a", "A"),
    ],
    ids=str,
)
def test_values_of_another_kind_differ(left: Any, right: Any) -> None:
    assert [row[-1] for row in shown(left, right)] == [True]


@each("value", [1, 1.5, "a", None, True, [], {}, [1, [2]], {"a": {"b": None}}], ids=str)
def test_equal_values_do_not(value: Any) -> None:
    assert not any(row[-1] for row in shown(value, json.loads(json.dumps(value))))


def test_one_and_one_point_zero_are_the_same_number() -> None:
    assert shown(1, 1.0) == [("v", "1", "1", False)]


def test_missing_null_and_empty_are_three_things() -> None:
    rows = difference({"a": None, "b": "", "d": []}, {"b": None, "c": None, "d": None})
    assert [(row.path, row.left.kind, row.right.kind) for row in rows] == [
        ("a", "null", "missing"),
        ("b", "text", "null"),
        ("d", "list", "null"),
        ("c", "missing", "null"),
    ]
    assert all(row.is_different for row in rows)


def test_what_was_filtered_on_both_sides_is_equal_but_unknown() -> None:
    (row,) = difference({"token": "[FILTERED]"}, {"token": "[Filtered]"})
    assert (row.is_different, row.is_unknown) == (False, True)
    (row,) = difference({"token": "[FILTERED]"}, {"token": "abc"})
    assert (row.is_different, row.is_unknown) == (True, False)


def test_nested_values_are_told_by_their_path() -> None:
    left = {"cart": {"items": [{"sku": "A", "n": 1}, {"sku": "B"}]}}
    right = {"cart": {"items": [{"sku": "A", "n": 2}]}}
    assert [
        (row.path, row.left.text, row.right.text, row.is_different) for row in difference(left, right)
    ] == [
        ("cart.items[0].sku", "A", "A", False),
        ("cart.items[0].n", "1", "2", True),
        ("cart.items[1].sku", "B", "", True),
    ]


def test_deep_and_wide_values_are_compared_within_bounds() -> None:
    left: Any = 1
    right: Any = 2
    for _ in range(200):
        left, right = {"d": left}, {"d": right}
    (row,) = difference(left, right)
    assert row.is_different
    assert len(difference(list(range(5000)), [])) <= 1000


@given(values)
def test_nothing_differs_from_itself(value: Any) -> None:
    assert not any(row.is_different for row in difference(value, value))


@given(values, values)
def test_sides_change_places_and_nothing_else(left: Any, right: Any) -> None:
    forth = {(row.path, row.left, row.right) for row in difference(left, right)}
    back = {(row.path, row.right, row.left) for row in difference(right, left)}
    assert forth == back


@given(values, values)
def test_what_differs_as_json_differs_in_a_row(left: Any, right: Any) -> None:
    def canonical(value: Any) -> str:
        return json.dumps(plain(value), sort_keys=True)

    rows = difference(left, right)
    assert any(row.is_different for row in rows) == (canonical(left) != canonical(right))


def plain(value: Any) -> Any:
    """Floats that are whole as integers."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
