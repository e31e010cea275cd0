"""What people keep in the state store for marts made by Python: budgets and holidays."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errata.state.budgets import Budget


@dataclass(frozen=True)
class People:
    """`url`: the SQLAlchemy URL of the state store; empty: there is none."""

    url: str = ""

    def budgets(self) -> "list[tuple[int, Budget]]":
        """All budgets, each with its project's id."""
        if not self.url:
            return []
        # Imported only where they are read: SQLAlchemy takes half a second of CPU.
        from errata.state.every_budget import every_budget

        return every_budget(self.url)

    def holidays(self) -> Mapping[int, set[date]]:
        """By project, the days that it annotated as holidays."""
        if not self.url:
            return {}
        from errata.state.database import Database
        from errata.state.holidays import holidays

        with closing(Database(self.url)) as database:
            return holidays(database)
