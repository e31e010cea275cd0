"""The parts of the warehouse that are copied one after another.

A table is copied before the tables that its rows refer to, the reverse of the order of writing: records of
builds before marts, marts before raw rows, the ledger before events, events before their variants. So each
row that is copied finds the rows it refers to.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from errata.resolution.assignments import AMISS
from errata.warehouse.insert_order import FIRST, LAST
from errata.warehouse.replicas import BUILD_SERVER

OPS, MART, RAW = "errata_ops", "errata_mart", "errata_raw"


@dataclass(frozen=True)
class Section:
    """Tables of one database: these, or all but those of `others`."""

    name: str
    database: str
    tables: Sequence[str] = ()
    others: Sequence[str] = ()

    @property
    def elements(self) -> str:
        """For a statement."""
        if self.tables:
            return ", ".join(f"table {table}" for table in self.tables)
        except_others = f" except tables {', '.join(self.others)}" if self.others else ""
        return f"database {self.database}{except_others}"


WRITTEN_LAST = (*LAST, *AMISS)
# The logs of mappings and decisions come before what is stored of them.
WRITTEN_FIRST = (*FIRST, "errata_raw.issue_actions")
MARTS = Section("marts", MART)
SECTIONS = (
    # Which replica builds is of the servers there, not of their rows.
    Section("builds", OPS, others=(BUILD_SERVER,)),
    MARTS,
    Section("ledger", RAW, WRITTEN_LAST),
    Section("events", RAW, others=(*WRITTEN_LAST, *WRITTEN_FIRST)),
    Section("variants", RAW, WRITTEN_FIRST),
)


def sections(with_marts: bool) -> tuple[Section, ...]:
    return tuple(one for one in SECTIONS if with_marts or one is not MARTS)
