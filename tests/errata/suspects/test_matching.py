"""Which commits changed the files of a stack."""

from dataclasses import dataclass
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from errata.suspects.matching import LEAST_COMMON, MOST_SUSPECTS, Unknown, best_matches, parts, suspects
from errata.suspects.stack import stack_files
from tests.cases import each

NAMES = st.sampled_from(["a.py", "b.py", "src", "lib", "cart", ".", "..", "~", "x.js?v=1", "C:", ""])
PATHS = st.lists(NAMES, min_size=1, max_size=6).map("/".join)


@dataclass(frozen=True)
class Commit:
    commit_id: str
    paths: tuple[str, ...]


def frame(filename: str, *, in_app: bool = True, **more: str) -> dict[str, Any]:
    return {"filename": filename, "in_app": in_app, **more}


def event(*stacks: list[dict[str, Any]]) -> dict[str, Any]:
    return {"exception": {"values": [{"stacktrace": {"frames": frames}} for frames in stacks]}}


@each(
    "sent, changed, is_same",
    [
        ("src/cart.py", "src/cart.py", True),
        ("cart.py", "cart.py", True),
        ("/srv/app/cart.py", "cart.py", False),
        ("cart.py", "src/cart.py", False),
        ("/srv/app/src/cart.py", "services/shop/src/cart.py", True),
        ("webpack:///./src/cart.ts?ab12", "web/src/cart.ts", True),
        ("app:///src/cart.js", "src/cart.js", True),
        ("C:\\build\\src\\Cart.cs", "src/Cart.cs", True),
        ("src/Cart.py", "src/cart.py", False),
        ("src/other/cart.py", "src/cart.py", False),
        ("src/cart.py", "src/shopping_cart.py", False),
    ],
)
def test_a_file_is_the_same_by_its_name_and_one_folder_or_exactly(
    sent: str, changed: str, is_same: bool
) -> None:
    assert bool(best_matches(sent, {changed: parts(changed)})) == is_same


def test_the_nearest_to_the_error_comes_first_then_the_latest_commit() -> None:
    commits = [
        Commit("latest", ("src/views.py", "README.md")),
        Commit("middle", ("src/cart.py",)),
        Commit("first", ("src/cart.py", "src/views.py")),
    ]
    found, unknown = suspects(["src/cart.py", "src/views.py"], commits)
    assert [(one.commit.commit_id, one.path, one.frame_position) for one in found] == [
        ("middle", "src/cart.py", 0),
        ("first", "src/cart.py", 0),
        ("latest", "src/views.py", 1),
    ]
    assert unknown is None


def test_not_knowing_has_a_reason() -> None:
    one = Commit("one", ("src/cart.py",))
    assert suspects(["src/cart.py"], []) == ([], Unknown.NO_COMMITS)
    assert suspects([], [one]) == ([], Unknown.NO_STACK)
    assert suspects(["src/other.py"], [one]) == ([], Unknown.NO_MATCH)
    both = Commit("both", ("a/src/index.js", "b/src/index.js"))
    assert suspects(["src/index.js"], [both]) == ([], Unknown.AMBIGUOUS)
    # The longer match decides, and another file may still name a commit.
    assert suspects(["/app/b/src/index.js"], [both])[0][0].path == "b/src/index.js"
    assert suspects(["src/index.js", "src/cart.py"], [both, one])[0][0].commit == one


def test_files_of_the_application_are_read_from_the_error_outwards() -> None:
    stacks = (
        [frame("src/cause.py")],
        [
            frame("src/main.py"),
            frame("lib/http.py", in_app=False),
            frame("src/cart.py"),
            frame("src/cart.py"),
        ],
    )
    assert stack_files(event(*stacks)) == ["src/cart.py", "src/main.py", "src/cause.py"]
    assert stack_files(event([frame("Cart.java", module="com.shop.Cart")])) == ["com/shop/Cart.java"]
    assert stack_files(event([frame("cart.py", module="cart")])) == ["cart.py"]


@each(
    "payload",
    [
        {},
        {"exception": None},
        {"exception": {"values": [None, 1, {"stacktrace": 5}, {"stacktrace": {"frames": [1, {}]}}]}},
        {"exception": [{"stacktrace": {"frames": [{"filename": 5, "in_app": True}]}}]},
        {"exception": {"values": {"stacktrace": {}}}},
    ],
)
def test_odd_events_have_no_files(payload: dict[str, Any]) -> None:
    assert stack_files(payload) == []


@given(st.lists(PATHS, max_size=5), st.lists(st.lists(PATHS, max_size=4), max_size=8))
def test_a_suspect_changed_what_it_is_named_for(stack: list[str], changes: list[list[str]]) -> None:
    commits = [Commit(str(number), tuple(paths)) for number, paths in enumerate(changes)]
    found, unknown = suspects(stack, commits)
    assert (unknown is None) == bool(found) and len(found) <= MOST_SUSPECTS
    assert len({one.commit for one in found}) == len(found)
    assert [one.frame_position for one in found] == sorted(one.frame_position for one in found)
    for one in found:
        sent, changed = parts(stack[one.frame_position]), parts(one.path)
        assert one.path in one.commit.paths
        assert sent == changed or sent[-LEAST_COMMON:] == changed[-LEAST_COMMON:]
