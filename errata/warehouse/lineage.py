"""Column lineage of marts, read from the SQL of their models.

For marts that Python makes, from the SQL of the questions that their columns are computed from. Only values
count, not columns that rows are chosen or grouped by.
"""

import re
from collections.abc import Iterable, Iterator, KeysView, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import sqlglot
from sqlglot import exp

from errata.warehouse import sql
from errata.warehouse.computed_columns import COMPUTED_FROM

Origins = frozenset[str]
Columns = Mapping[str, Origins]
ADDED = re.compile(r"add column (?:if not exists )?(\w+)")


@cache
def origins_of(table: str) -> Mapping[str, Sequence[str]]:
    """The columns of a mart, each with its source columns as `database.table.column`; empty: not a mart."""
    model = next((file for file in sql.models() if file.name == table), None)
    columns = (
        outputs_of(model.statements[1])
        if model
        else {name: _behind(answers) for name, answers in COMPUTED_FROM.get(table, {}).items()}
    )
    return {name: sorted(found) for name, found in columns.items()}


def _behind(answers: Iterable[str]) -> Origins:
    named = (answer.split(".") for answer in answers)
    return frozenset().union(*(result_columns(question)[column] for question, column in named))


@cache
def result_columns(question: str) -> Columns:
    return outputs_of(sql.query(question))


def outputs_of(statement: str) -> Columns:
    tree = sqlglot.parse_one(statement, read="clickhouse")
    assert isinstance(tree, exp.Query)
    return Query(tree, {}).outputs


@cache
def tables() -> dict[str, KeysView[str]]:
    """Columns of every table that a file creates, in order."""
    found: dict[str, dict[str, None]] = {}
    for file in (*sql.migrations(), *sql.models()):
        for table in (name.strip() for name in file.name.split(",")):
            columns = found.setdefault(table, {})
            columns |= dict.fromkeys(column["name"] for column in sql.declared(file, table))
            for statement in file.statements:
                if statement.startswith(f"alter table {table}\n") or statement.startswith(
                    f"alter table {table} "
                ):
                    columns |= dict.fromkeys(ADDED.findall(statement))
    return {table: columns.keys() for table, columns in found.items()}


@cache
def _of_table(name: str) -> Columns:
    """The columns of a table itself, or the sources of a view's columns."""
    for view in sql.views():
        if view.name == name:
            return outputs_of(re.sub(r"\A.*?\bas\n", "", view.statements[0], count=1, flags=re.DOTALL))
    bare = name.rpartition(".")[2]
    for table in (name, f"errata_mart.{bare}", f"errata_raw.{bare}"):
        if table in tables():
            return {column: frozenset({f"{table}.{column}"}) for column in tables()[table]}
    return {}


@dataclass
class Query:
    tree: exp.Query
    around: Mapping[str, "Query"]
    _known: dict[str, Origins] = field(default_factory=dict)

    @property
    def outputs(self) -> Columns:
        tree = self.tree
        while isinstance(tree, exp.Subquery):
            tree = tree.this
        steps = dict(self.around)
        for step in self.tree.ctes or tree.ctes:
            steps[step.alias] = Query(step.this, dict(steps))
        if isinstance(tree, exp.SetOperation):
            left, right = Query(tree.left, steps).outputs, Query(tree.right, steps).outputs
            return {
                name: made | other for (name, made), other in zip(left.items(), right.values(), strict=True)
            }
        assert isinstance(tree, exp.Select), type(tree)
        return Selected(tree, steps).outputs


class Selected:
    def __init__(self, tree: exp.Select, steps: Mapping[str, Query]) -> None:
        self._steps = steps
        self._tree = tree
        self._sources = dict(self._read())
        self._aliases = {
            alias.alias: alias.this
            for selected in (*tree.expressions, *self._joined_arrays())
            for alias in _aliases(selected)
        }

    @property
    def outputs(self) -> Columns:
        found: dict[str, Origins] = {}
        for selected in self._tree.expressions:
            if selected.is_star:
                found |= self._of_star(selected)
            else:
                found[selected.alias_or_name] = self._origins(selected, frozenset())
        return found

    def _of_star(self, selected: exp.Expression) -> Columns:
        """Of one source if the star names it, else of all."""
        star = selected if isinstance(selected, exp.Star) else selected.this
        left_out = {column.name for column in star.args.get("except_") or []}
        named = getattr(selected, "table", "")
        sources = [self._sources[named]] if named else self._sources.values()
        found = {name: made for columns in sources for name, made in columns.items() if name not in left_out}
        replaced = star.args.get("replace") or []
        return found | {alias.alias: self._origins(alias, frozenset()) for alias in replaced}

    def _read(self) -> Iterator[tuple[str, Columns]]:
        joined = [join.this for join in self._tree.args.get("joins") or [] if join.kind != "ARRAY"]
        for read in ([self._tree.args["from_"].this] if self._tree.args.get("from_") else []) + joined:
            read = read.this if isinstance(read, exp.Final) else read
            if isinstance(read, exp.Subquery):
                yield read.alias, Query(read.this, self._steps).outputs
            elif isinstance(read, exp.Table):
                name = read.name or str(read.this.this)
                step = self._steps.get(name) if not read.db else None
                yield read.alias or name, step.outputs if step else _of_table(f"{read.db}.{name}")

    def _joined_arrays(self) -> Iterator[exp.Expression]:
        for join in self._tree.args.get("joins") or []:
            if join.kind == "ARRAY":
                yield join.this
                yield from join.expressions

    def _origins(self, node: exp.Expression, within: frozenset[str]) -> Origins:
        """Source columns of an expression. `within`: aliases being resolved, whose own name means the
        underlying column."""
        if isinstance(node, exp.Query):
            return frozenset().union(*Query(node, self._steps).outputs.values())
        if isinstance(node, exp.Alias):
            return self._origins(node.this, within | {node.alias})
        if isinstance(node, exp.Column):
            return self._column(node, within)
        if isinstance(node, exp.Lambda):
            own = {argument.name for argument in node.expressions}
            return self._origins(node.this, within | {f"\0{name}" for name in own})
        children = (child for child in node.iter_expressions())
        return frozenset().union(*(self._origins(child, within) for child in children))

    def _column(self, column: exp.Column, within: frozenset[str]) -> Origins:
        if column.table in self._sources:
            return self._sources[column.table].get(column.name, frozenset())
        # For an element of a tuple, the part before the dot is the column.
        name = column.table or column.name
        if f"\0{name}" in within:
            return frozenset()
        if name in self._aliases and name not in within:
            return self._origins(self._aliases[name], within | {name})
        return frozenset().union(*(columns.get(name, frozenset()) for columns in self._sources.values()))


def _aliases(selected: exp.Expression) -> Iterator[exp.Alias]:
    """Aliases, also those inside expressions: the engine knows them everywhere in the query."""
    for node in selected.walk(prune=lambda each: isinstance(each, exp.Query)):
        if isinstance(node, exp.Alias):
            yield node
