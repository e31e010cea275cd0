"""The provenance of figures on pages and in tables."""

from fastapi import APIRouter
from pydantic import Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.problems import responses
from api.shown import Shown
from errata.warehouse import provenance as provenances

router = APIRouter(tags=["performance"])


class ColumnShown(Shown):
    name: str
    type: str
    comment: str = Field(description="Details beyond the name.")
    made_of: list[str] = Field(
        description=(
            "Source columns of a mart's column; empty: a count, a value from the build, or not a mart."
        )
    )


class SourceShown(Shown):
    table: str = Field(description="Also the asset key: `errata_mart` / name.")
    purpose: str
    grain: str = Field(description="Grain of the table.")
    key: str
    version: str = Field(description="Changes with the file that creates the table.")
    inputs: list[str] = Field(description="Inputs of the mart.")
    columns: list[ColumnShown]
    model: str = Field(description="Statement that fills the mart; empty: none.")
    maker: str = Field(description="Python function that builds the mart; empty: SQL does.")
    built_through: Moment | None = Field(
        description="Rows received before this time are in the mart; null: not a mart, or not built yet."
    )


class ProvenanceShown(Shown):
    question: str
    definition: str = Field(description="Meaning of the numbers in plain sentences; empty: none.")
    purpose: str
    parameters: str
    returns: str
    version: str = Field(description="Changes with the statement.")
    statement: str = Field(description="SQL as executed, with parameters bound by the server.")
    sources: list[SourceShown] = Field(description="Marts first, then their sources.")


@router.get(
    "/api/provenance/{question}",
    operation_id="provenance",
    summary="Explain how a result is computed: query, tables, version and age",
    dependencies=DECLARED,
    responses=responses(
        "invalid_api_key", "question_not_found", "state_unavailable", "warehouse_unavailable"
    ),
)
def provenance(question: str, asking: CallerDependency, context: ContextDependency) -> ProvenanceShown:
    """`question` names a file under `warehouse_sql/queries`, which pages link to as "how computed"."""
    return ProvenanceShown.of(provenances.provenance(context.read, question))
