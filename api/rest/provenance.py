"""How the figures of pages and tables are computed."""

from fastapi import APIRouter
from pydantic import BaseModel, Field

from api.authentication import DECLARED, CallerDependency
from api.context import ContextDependency
from api.parameters import Moment
from api.problems import responses
from errata.warehouse import provenance as provenances
from errata.warehouse.provenance import Provenance, Source

router = APIRouter(tags=["performance"])


class ColumnShown(BaseModel):
    name: str
    type: str
    comment: str = Field(description="What the name does not say.")
    made_of: list[str] = Field(
        description="Columns that the values of a mart come from; empty: counted, of the build, or no mart."
    )


class SourceShown(BaseModel):
    table: str = Field(description="Also the key of its asset: `errata_mart` / name.")
    purpose: str
    grain: str = Field(description="What one row is.")
    key: str
    version: str = Field(description="Changes with the file that makes the table.")
    inputs: list[str] = Field(description="What a mart is built from.")
    columns: list[ColumnShown]
    model: str = Field(description="The statement that fills a mart; empty: none does.")
    maker: str = Field(description="The function that makes a mart where SQL ends; empty: SQL does.")
    built_through: Moment | None = Field(
        description="Rows received before it are in the mart; null: no mart, or not built yet."
    )

    @classmethod
    def of(cls, source: Source) -> "SourceShown":
        return cls(
            table=source.table,
            purpose=source.purpose,
            grain=source.grain,
            key=source.key,
            version=source.version,
            inputs=list(source.inputs),
            columns=[
                ColumnShown(name=one.name, type=one.type, comment=one.comment, made_of=list(one.made_of))
                for one in source.columns
            ],
            model=source.model,
            maker=source.maker,
            built_through=source.built_through,
        )


class ProvenanceShown(BaseModel):
    question: str
    purpose: str
    parameters: str
    returns: str
    version: str = Field(description="Changes with the statement.")
    statement: str = Field(description="SQL as it is asked, with its parameters bound by the server.")
    sources: list[SourceShown] = Field(description="Marts first, then what they are built from.")

    @classmethod
    def of(cls, found: Provenance) -> "ProvenanceShown":
        return cls(
            question=found.question,
            purpose=found.purpose,
            parameters=found.parameters,
            returns=found.returns,
            version=found.version,
            statement=found.statement,
            sources=[SourceShown.of(source) for source in found.sources],
        )


@router.get(
    "/api/provenance/{question}",
    operation_id="provenance",
    summary="How an answer is computed: statement, tables, version and age",
    dependencies=DECLARED,
    responses=responses(
        "invalid_api_key", "question_not_found", "state_unavailable", "warehouse_unavailable"
    ),
)
def provenance(question: str, asking: CallerDependency, context: ContextDependency) -> ProvenanceShown:
    """`question` is the name of a file in `warehouse_sql/queries`, which pages link to as "how computed"."""
    return ProvenanceShown.of(provenances.provenance(context.read, question))
