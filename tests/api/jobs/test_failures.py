from collections.abc import Sequence

from api.jobs.failures import Failed, bisected
from errata.warehouse.client import QueryFailed
from tests.cases import each


@each("bad", [set[int](), {4}, {1, 7}, set(range(8))], ids=["none", "one", "two", "all"])
def test_a_question_that_fails_for_some_is_answered_for_the_others(bad: set[int]) -> None:
    asked: list[int] = []

    def ask(projects: Sequence[int]) -> list[int]:
        asked.append(len(projects))
        if bad & set(projects):
            raise QueryFailed("too much", 241)
        return [project * 10 for project in projects]

    failed: Failed = []
    answers = bisected(range(8), ask, failed)
    assert answers == [project * 10 for project in range(8) if project not in bad]
    assert [name for name, _ in failed] == [f"project {project}" for project in sorted(bad)]
    assert len(asked) == 1 if not bad else len(asked) <= 15
