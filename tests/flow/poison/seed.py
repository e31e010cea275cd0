"""A seed: which lines are delivered, in which batches, in what order and how often."""

import gzip
import random
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from backports import zstd

from tests.flow.poison.ingredients import INGREDIENTS
from tests.flow.poison.pot import Pot

MOST_AT_ONCE = 8


@dataclass(frozen=True)
class Delivery:
    """The lines of one request; `again`: the same batch was delivered before."""

    batch_id: str
    lines: Sequence[bytes]
    encoding: str = ""

    @property
    def body(self) -> bytes:
        joined = b"\n".join(self.lines)
        if self.encoding == "gzip":
            return gzip.compress(joined, 1)
        return zstd.compress(joined) if self.encoding == "zstd" else joined


@dataclass(frozen=True)
class Seed:
    number: int
    without: Collection[str] = ()
    only: Collection[str] = ()

    @property
    def ingredients(self) -> list[str]:
        """Chosen before any is left out, so that the others stay the same."""
        chance = random.Random(f"{self.number}")
        chosen = chance.sample(list(INGREDIENTS), chance.randrange(2, MOST_AT_ONCE + 1))
        return [name for name in chosen if name not in self.without and (not self.only or name in self.only)]

    def deliveries(
        self, now: datetime, app_keys: tuple[str, ...], foreign: tuple[str, ...]
    ) -> Iterator[Delivery]:
        pot = Pot(self._chance("lines"), now, app_keys, foreign)
        pot.fill(pot.chance.randrange(5, 40))
        for name in self.ingredients:
            pot.chance = self._chance(name)
            INGREDIENTS[name](pot)
        chance = self._chance("deliveries")
        lines = [line.text() for line in pot.lines]
        for round_ in range(chance.choice((1, 2, 2, 3))):
            chance.shuffle(lines)
            yield from self._batches(chance, lines, round_)

    def _batches(self, chance: random.Random, lines: list[bytes], round_: int) -> Iterator[Delivery]:
        size = chance.choice((7, 40, 200, 5_000))
        batches = [
            Delivery(
                f"seed-{self.number}-{round_}-{start}",
                lines[start : start + size],
                chance.choice(("", "gzip", "zstd")),
            )
            for start in range(0, len(lines), size)
        ]
        yield from batches
        for batch in chance.sample(batches, min(2, len(batches))):
            kept = chance.choice((len(batch.lines), len(batch.lines) // 2))
            yield Delivery(batch.batch_id, batch.lines[:kept], batch.encoding)

    def _chance(self, name: str) -> random.Random:
        return random.Random(f"{self.number}:{name}")
