"""What happens between the host and the service."""

from collections.abc import Callable
from random import Random

from bench.faults.network import PASS, Request, Treatment
from bench.faults.run import Run

# As many as a host meets before the network is well again.
MOST_BROKEN = 4


def lost_answer(run: Run) -> None:
    """The service stores the batch; its answer never arrives."""
    _break(run, lambda request: Treatment(answer_share=0.0))
    run.begin()
    for _ in run.rounds():
        run.application.write()


def _break(run: Run, treatment_of: Callable[[Request], Treatment]) -> None:
    """Let that happen to a few of the deliveries."""
    chance = Random(f"{run.name} network")

    def treat(request: Request) -> Treatment:
        is_broken = run.network.broken_count < MOST_BROKEN and chance.random() < 0.5
        return treatment_of(request) if is_broken else PASS

    run.network.treat = treat
