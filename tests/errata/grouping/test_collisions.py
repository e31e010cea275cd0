"""No text an application sends puts its events among those of another fingerprint."""

from hypothesis import assume, given
from hypothesis import strategies as st

from errata.grouping import CURRENT_VERSION, fingerprint_of, parse_rules, variant_of
from tests.errata.grouping.events import frame, raised

COMPUTED = fingerprint_of(variant_of(raised(frame("load"))).shape)
words = st.sampled_from(
    ["a", "b", "ab", "{{ default }}", "default", "explicit", "rule", *COMPUTED.fingerprint]
)
lists = st.lists(words, min_size=1, max_size=5)


def of(sent: list[str]) -> int:
    return fingerprint_of(variant_of(raised(frame("load"), fingerprint=sent)).shape).fingerprint_hash


@given(lists, lists)
def test_two_explicit_fingerprints_are_one_only_if_they_are_the_same(
    left: list[str], right: list[str]
) -> None:
    def is_default(sent: list[str]) -> bool:
        return set(sent) == {"{{ default }}"}

    assert (of(left) == of(right)) is (left == right or (is_default(left) and is_default(right)))


@given(lists)
def test_no_explicit_fingerprint_is_a_computed_one_or_a_rules(sent: list[str]) -> None:
    assume(set(sent) != {"{{ default }}"})
    quoted = ", ".join(f'"{part}"' for part in sent)
    ruled = fingerprint_of(
        variant_of(raised(frame("save"))).shape, CURRENT_VERSION, parse_rules(f"function:save -> {quoted}")
    )

    assert of(sent) != COMPUTED.fingerprint_hash
    assert of(sent) != ruled.fingerprint_hash
