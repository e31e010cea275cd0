from errata.grouping.regrouping import Placement, mapping, outcome


def fresh(fingerprint_hash: int) -> int:
    return 1000 + fingerprint_hash


def test_of_an_issue_that_falls_apart_the_piece_with_most_events_keeps_the_id() -> None:
    placements = [
        Placement(1, 11, 7, 7, event_count=5),
        Placement(2, 12, 7, 7, event_count=9),
        Placement(3, 13, 8, 8, event_count=1),
    ]
    assert mapping(placements, {}, (), fresh) == {11: 1011, 12: 7, 13: 8}


def test_two_issues_that_come_together_keep_the_id_of_the_larger() -> None:
    placements = [Placement(1, 11, 7, 7, event_count=5), Placement(2, 11, 8, 8, event_count=6)]
    assert mapping(placements, {}, (), fresh) == {11: 8}
    changes = outcome(placements, {11: 8}, lambda issue: issue)
    assert (changes.issue_count_before, changes.issue_count_after, changes.moved_count) == (2, 1, 1)
    assert [(join.issue_id, join.others, join.event_count) for join in changes.joins] == [
        (8, {7: [1], 8: [2]}, 11)
    ]
    assert changes.splits == []


def test_ties_go_to_more_variants_then_to_the_one_seen_first_then_to_the_smaller_hash() -> None:
    more = [Placement(1, 11, 7, 7), Placement(2, 12, 7, 7), Placement(3, 12, 7, 7)]
    assert mapping(more, {}, (), fresh) == {11: 1011, 12: 7}
    first = [Placement(1, 11, 7, 7, first_seen_ms=5), Placement(2, 12, 7, 7, first_seen_ms=4)]
    assert mapping(first, {}, (), fresh) == {11: 1011, 12: 7}
    assert mapping([Placement(1, 12, 7, 7), Placement(2, 11, 7, 7)], {}, (), fresh) == {11: 7, 12: 1012}


def test_known_fingerprints_keep_their_issue_and_its_id_is_not_given_twice() -> None:
    placements = [Placement(1, 11, 7, 7), Placement(2, 12, 7, 7, event_count=99)]
    assert mapping(placements, {11: 7}, {7}, fresh) == {11: 7, 12: 1012}


def test_what_people_placed_stays_and_later_variants_of_it_follow() -> None:
    placements = [
        Placement(1, 11, 7, 7, is_placed=True, event_count=5),
        Placement(2, 12, 7, 7, is_placed=True, event_count=5),
        Placement(3, 12, 8, 8, event_count=1),
        Placement(4, 13, 7, 7, event_count=50),
    ]
    found = mapping(placements, {}, (), fresh)
    assert found == {11: 7, 12: 7, 13: 1013}
    changes = outcome(placements, found, lambda issue: issue)
    assert changes.after == {1: 7, 2: 7, 3: 7, 4: 1013}
    assert (changes.placed_count, changes.moved_count) == (2, 2)
