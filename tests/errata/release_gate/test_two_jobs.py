"""Two first jobs of the gate at once: however their requests interleave, one comment stays."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import combinations

import pytest

from errata.release_gate.errors import ForgeNotTold
from errata.release_gate.forge import Forge
from errata.release_gate.forges import github, gitlab
from tests.cases import each
from tests.errata.outgoing.servers import Asked, Reply, serving
from tests.errata.release_gate.forges import HEAD, MERGE, THEIRS, TOKEN, GitHub, GitLab, StandIn, answer

MARKER = "<!-- errata verdict errata/verdict -->"
# Each job lists, writes, lists again, and edits or deletes at most twice.
STEPS = 5
PATIENCE_S = 20


def on_github(url: str) -> Forge:
    return github.FORGE.of_job(
        {
            "GITHUB_API_URL": url,
            "GITHUB_TOKEN": TOKEN,
            "GITHUB_REPOSITORY": "acme/shop",
            "GITHUB_REF": "refs/pull/7/merge",
        },
        HEAD,
    )


def on_gitlab(url: str) -> Forge:
    environ = {"CI_API_V4_URL": url, "GITLAB_TOKEN": TOKEN, "CI_PROJECT_ID": "42"}
    return gitlab.FORGE.of_job({**environ, "CI_MERGE_REQUEST_IID": "7"}, MERGE)


FORGES: Mapping[str, tuple[type[StandIn], Callable[[str], Forge]]] = {
    "github": (GitHub, on_github),
    "gitlab": (GitLab, on_gitlab),
}


class Turns:
    """Lets the requests of two jobs through in a given order; those of one that has ended are skipped."""

    def __init__(self, order: Sequence[int]) -> None:
        self._order = list(order)
        self._ended: set[int] = set()
        self._changed = threading.Condition()

    def take(self, job: int, act: Callable[[], Reply]) -> Reply:
        with self._changed:
            assert self._changed.wait_for(lambda: self._next() in (job, None), PATIENCE_S)
            reply = act()
            if self._order:
                self._order.pop(0)
            self._changed.notify_all()
            return reply

    def end(self, job: int) -> None:
        with self._changed:
            self._ended.add(job)
            self._changed.notify_all()

    def _next(self) -> int | None:
        while self._order and self._order[0] in self._ended:
            self._order.pop(0)
        return self._order[0] if self._order else None


def both(at: StandIn, on_forge: Callable[[str], Forge], order: Sequence[int]) -> list[str]:
    """What went wrong."""
    turns, problems = Turns(order), list[str]()

    def replier(job: int) -> Callable[[Asked], Reply]:
        def reply(asked: Asked) -> Reply:
            return at.reply(asked) if asked.path == "/user" else turns.take(job, lambda: at.reply(asked))

        return reply

    def run(job: int, forge: Forge) -> None:
        try:
            forge.put_comment(MARKER, f"of job {job}")
        except ForgeNotTold as error:
            problems.append(str(error))
        finally:
            turns.end(job)

    with ExitStack() as stack:
        servers = [stack.enter_context(serving(replier(job))) for job in (0, 1)]
        threads = [
            threading.Thread(target=run, args=(job, on_forge(server.url)))
            for job, server in enumerate(servers)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE_S)
    return problems


def orders() -> Iterator[list[int]]:
    """Every order of the steps; the jobs are alike, so job 0 begins."""
    for chosen in combinations(range(1, 2 * STEPS), STEPS - 1):
        yield [0 if step == 0 or step in chosen else 1 for step in range(2 * STEPS)]


def bodies(at: StandIn) -> list[str]:
    return [one["body"] for one in at.comments.values() if one["body"].startswith(MARKER)]


@pytest.mark.slow
@each("kind", FORGES)
def test_two_first_jobs_leave_one_comment_in_every_order(kind: str) -> None:
    stand_in, on_forge = FORGES[kind]
    doubled = 0
    for order in orders():
        at = stand_in()
        assert both(at, on_forge, order) == [], order
        assert at.undocumented == []
        assert len(bodies(at)) == 1, order
        doubled += at.written > 1
    # In most orders both jobs see no comment, and write one.
    assert doubled > 20


@each("kind", FORGES)
def test_the_older_comment_stays_with_the_text_of_the_later_job(kind: str) -> None:
    stand_in, on_forge = FORGES[kind]
    at = stand_in()
    theirs = at.has(f"{MARKER}\nall is well", THEIRS)
    # Both list, both write, and both list again before either deletes.
    assert both(at, on_forge, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1]) == []
    assert at.comments.pop(theirs)["body"].endswith("all is well")
    assert list(at.comments) == [101] and bodies(at) == [f"{MARKER}\nof job 1"]
    assert at.undocumented == []


def test_a_bot_s_comment_that_copied_the_marker_is_not_deleted() -> None:
    at = GitHub()

    def reply(asked: Asked) -> Reply:
        """Another bot copies the marker as the job writes."""
        answered = at.reply(asked)
        if asked.method == "POST":
            at.has(f"{MARKER}\nby another bot", {"id": 5, "type": "Bot"})
        return answered

    with serving(reply) as server:
        on_github(server.url).put_comment(MARKER, "ours")
    assert bodies(at) == [f"{MARKER}\nours", f"{MARKER}\nby another bot"]


def test_a_refused_deletion_is_said() -> None:
    at = GitHub()

    def reply(asked: Asked) -> Reply:
        if asked.method == "POST":
            at.reply(asked)
        if asked.method == "DELETE":
            return answer(403, {"message": "Resource not accessible by integration"})
        return at.reply(asked)

    with serving(reply) as server, pytest.raises(ForgeNotTold, match="403 Resource not accessible"):
        on_github(server.url).put_comment(MARKER, "ours")
    assert len(bodies(at)) == 2
