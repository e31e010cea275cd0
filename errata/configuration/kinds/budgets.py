"""Performance budgets."""

from dataclasses import asdict

from pydantic import Field

from errata.budgets.limit import LEAST_SAMPLES, STEP_HOURS, Limit, limit_of
from errata.budgets.metric import METRICS
from errata.configuration.context import Context
from errata.configuration.kind import Entry, ListKind
from errata.one_line import checked_name
from errata.state.budgets import LONGEST_NAME, MOST_A_PROJECT, Budget


class BudgetEntry(Entry):
    name: str
    metric: str = Field(json_schema_extra={"enum": list(METRICS)})
    statistic: str = Field(
        default="", description="`mean` or a percentile such as `p75`; empty for error ratios."
    )
    threshold: float
    pattern: str = Field(default="", description="Which pages or endpoints; empty: all.")
    environment: str = ""
    device: str = ""
    window_hours: int = Field(default=24, json_schema_extra={"enum": list(STEP_HOURS)})
    least_samples: int = LEAST_SAMPLES

    @property
    def limit(self) -> Limit:
        return limit_of(self.model_dump(exclude={"name"}))


class Budgets(ListKind[BudgetEntry]):
    field = "budgets"
    noun = "budget"
    description = "Performance budgets."
    shape = list[BudgetEntry]
    most = MOST_A_PROJECT

    def name(self, entry: BudgetEntry) -> str:
        return entry.name

    def stored(self, context: Context) -> list[BudgetEntry]:
        return [BudgetEntry(name=one.name, **asdict(one.limit)) for one in self._rows(context)]

    def checked(self, context: Context, entry: BudgetEntry) -> BudgetEntry:
        return BudgetEntry(name=checked_name(entry.name, LONGEST_NAME), **asdict(entry.limit))

    def create(self, context: Context, entry: BudgetEntry) -> None:
        context.store.budgets.create(
            context.organization_id, context.slug, entry.name, entry.limit, actor=context.actor
        )

    def change(self, context: Context, entry: BudgetEntry) -> None:
        context.store.budgets.change(
            *(context.organization_id, context.slug, self.id(context, entry.name), entry.name, entry.limit),
            actor=context.actor,
        )

    def delete(self, context: Context, name: str) -> None:
        context.store.budgets.delete(
            context.organization_id, context.slug, self.id(context, name), actor=context.actor
        )

    def id(self, context: Context, name: str) -> str:
        return next(one.id for one in self._rows(context) if one.name == name)

    def _rows(self, context: Context) -> list[Budget]:
        return context.store.budgets.of_project(context.organization_id, context.slug)


KIND = Budgets()
