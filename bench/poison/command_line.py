"""`python -m bench.poison`: seeds until the time or the number is reached; each bad one with its replay."""

import argparse
import json
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.figures import figure
from tests.flow.poison.block import Found, poison
from tests.flow.poison.ingredients import INGREDIENTS
from tests.flow.poison.neighbor import Neighbor
from tests.flow.poison.seed import Seed
from tests.flow.poison.site import running_site

SEEDS_A_BLOCK = 20
# Every build and every page reads what blocks before have left.
BLOCKS_A_SITE = 8
PROGRAM = "python -m bench.poison"


def main() -> None:
    options = _parser().parse_args()
    # Each refused line and each broken connection would be told of.
    logging.getLogger("clickhouse_connect").setLevel(logging.CRITICAL)
    run = Run(options)
    run.run()
    run.say_figures()
    sys.exit(1 if run.bad else 0)


class Run:
    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._began = time.monotonic()
        self._next: int = options.first_seed
        self.seed_count = self.line_count = self.request_count = 0
        self.slowest = (0.0, "")
        self.bad: list[dict[str, object]] = []

    def run(self) -> None:
        self._next = self._resumed()
        while self._goes_on():
            with running_site() as site:
                neighbor = Neighbor.settle(site)
                for _ in range(BLOCKS_A_SITE):
                    if not self._goes_on():
                        break
                    found = poison(site, neighbor, self._block())
                    self._note(found)
                    # What is wrong once may stay wrong: the next block is not to be blamed for it.
                    if found.problems:
                        self._say(found.problems)
                        break
            if found.problems:
                self._blame(found)

    def say_figures(self) -> None:
        seconds = time.monotonic() - self._began
        figure("poison_seeds", self.seed_count, "seeds", next_seed=self._next, without=self._options.without)
        figure("poison_bad_seeds", len(self.bad), "seeds")
        figure("poison_lines", self.line_count, "lines")
        figure("poison_answers", self.request_count, "answers")
        figure("poison_slowest_answer", self.slowest[0], "s", path=self.slowest[1])
        figure("poison_seeds_an_hour", self.seed_count / seconds * 3600, "seeds", seconds=round(seconds))

    def _goes_on(self) -> bool:
        options = self._options
        if options.seconds is not None:
            return time.monotonic() - self._began < float(options.seconds)
        return bool(self._next < options.first_seed + options.seeds)

    def _block(self) -> list[Seed]:
        count = self._options.together
        if self._options.seconds is None:
            count = min(count, self._options.first_seed + self._options.seeds - self._next)
        return [self._seed(self._next + number) for number in range(count)]

    def _seed(self, number: int) -> Seed:
        return Seed(number, self._options.without, self._options.only)

    def _note(self, found: Found) -> None:
        self._next += len(found.seeds)
        self.seed_count += len(found.seeds)
        self.line_count += found.line_count
        self.request_count += found.request_count
        self.slowest = max(self.slowest, found.slowest)
        if self._options.state:
            self._options.state.write_text(json.dumps({"next_seed": self._next}))
        seconds = time.monotonic() - self._began
        self._say([f"{self.seed_count} seeds in {seconds:.0f} s, slowest {self.slowest}"])

    def _say(self, lines: Sequence[str]) -> None:
        print(*lines, sep="\n", file=sys.stderr, flush=True)

    def _blame(self, found: Found) -> None:
        """Each seed of the block again, alone on a site of its own; the whole block if none is bad alone."""
        alone = [] if len(found.seeds) == 1 else [one for one in self._alone(found.seeds) if one.problems]
        for bad in alone or [found]:
            numbers = [seed.number for seed in bad.seeds]
            line: dict[str, object] = {
                "bad_seeds": numbers,
                "problems": bad.problems,
                "ingredients": {seed.number: seed.ingredients for seed in bad.seeds},
                "replay": self._replay(numbers),
            }
            self.bad.append(line)
            print(json.dumps(line), flush=True)

    def _alone(self, seeds: Sequence[Seed]) -> Iterator[Found]:
        for seed in seeds:
            with running_site() as site:
                yield poison(site, Neighbor.settle(site), [seed])

    def _replay(self, numbers: Sequence[int]) -> str:
        words = [PROGRAM, f"--first-seed {numbers[0]} --seeds {len(numbers)} --together {len(numbers)}"]
        if self._options.without:
            words.append(f"--without {','.join(self._options.without)}")
        if self._options.only:
            words.append(f"--only {','.join(self._options.only)}")
        return " ".join(words)

    def _resumed(self) -> int:
        state: Path | None = self._options.state
        if state is None or not state.exists():
            return self._next
        return int(json.loads(state.read_text())["next_seed"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="Odd but acceptable input; exit 1 if anything then fails, or counts wrongly.",
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument("--seeds", type=int, default=SEEDS_A_BLOCK, metavar="N", help="so many (default: 20)")
    length.add_argument("--seconds", type=float, metavar="S", help="as many as begin in this time")
    parser.add_argument("--first-seed", type=int, default=0, metavar="N")
    parser.add_argument(
        "--together", type=int, default=SEEDS_A_BLOCK, metavar="N", help="seeds that share a build and a walk"
    )
    parser.add_argument("--without", type=_names, default=[], metavar="A,B", help="ingredients left out")
    parser.add_argument("--only", type=_names, default=[], metavar="A,B", help="ingredients used")
    parser.add_argument(
        "--state", type=Path, metavar="FILE", help="goes on where the run that wrote it ended"
    )
    return parser


def _names(text: str) -> list[str]:
    names = text.split(",")
    for name in names:
        if name not in INGREDIENTS:
            raise argparse.ArgumentTypeError(f"{name} is none of {', '.join(INGREDIENTS)}")
    return names
