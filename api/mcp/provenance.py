"""Who could have written a text of an answer.

An object's fields that an application or its visitors could have written stand under `untrusted`, those of
people or hosts with a key under `from_account`; what is left was computed. A field counts as computed only
where its schema leaves no free text: a new field of REST is untrusted until it is listed here.
"""

import re
from collections.abc import Mapping
from typing import Any

from api.reference import operations

UNTRUSTED, FROM_ACCOUNT = "untrusted", "from_account"

# Texts that their schema allows to be anything, as `Model.field`: written by people of the organization …
OF_ACCOUNTS = frozenset(
    {
        *("IssueListed.assignee", "IssueDetail.actor", "IssueDetail.project", "EventDetail.project"),
        *("EntryShown.actor", "EntryShown.text", "EntryShown.undone_by", "BudgetShown.name"),
    }
)
# … and by Errata itself.
COMPUTED = frozenset(
    {
        *("IssueList.next_cursor", "EventList.next_cursor", "ActionsMade.ids"),
        *("EntryShown.action", "EntryShown.words", "EffectShown.metric", "ReleaseVerdict.headline"),
        *("BudgetShown.id", "BudgetShown.metric", "BudgetShown.statistic"),
        *("ProvenanceShown.*", "SourceShown.*", "ColumnShown.*"),
    }
)
FORMATS = frozenset({"date-time", "date", "uuid"})
# Patterns that leave room for nothing but digits and letters of a number.
OF_IDS = re.compile(r"\^\[0-9a-f\]\{\d+\}\$")

Schema = Mapping[str, Any]


class Schemas:
    """The models of OpenAPI."""

    def __init__(self, openapi: Mapping[str, Any]) -> None:
        self._models = openapi["components"]["schemas"]
        self._answers = {
            operation["operationId"]: _answer(operation["responses"])
            for _, _, operation in operations(openapi)
        }

    def marked(self, operation_id: str, answer: Any) -> Any:
        """The answer of an operation, with what is not computed apart."""
        return self._marked(answer, self._answers[operation_id])

    def _marked(self, value: Any, schema: Schema) -> Any:
        model, schema = self._resolved(value, schema)
        if isinstance(value, list):
            return [self._marked(each, schema.get("items", {})) for each in value]
        if not isinstance(value, dict):
            return value
        shown: dict[str, Any] = {}
        for name, part in value.items():
            of_part = schema.get("properties", {}).get(name, {})
            who = self._writer(model, name, part, of_part)
            if who:
                shown.setdefault(who, {})[name] = part
            else:
                shown[name] = self._marked(part, of_part)
        return shown

    def _writer(self, model: str, name: str, value: Any, schema: Schema) -> str:
        """Under which name the field stands; empty: it is computed, or an object that is divided itself."""
        if {f"{model}.{name}", f"{model}.*"} & COMPUTED:
            return ""
        if f"{model}.{name}" in OF_ACCOUNTS:
            return FROM_ACCOUNT
        return UNTRUSTED if self._is_free(value, schema) else ""

    def _is_free(self, value: Any, schema: Schema) -> bool:
        """Whether the value holds text that the schema does not bound, outside of objects of a model."""
        model, schema = self._resolved(value, schema)
        if isinstance(value, str):
            return not (
                {"enum", "const"} & set(schema)
                or schema.get("format") in FORMATS
                or OF_IDS.fullmatch(schema.get("pattern", ""))
            )
        if isinstance(value, list):
            return any(self._is_free(each, schema.get("items", {})) for each in value)
        return isinstance(value, dict) and not model

    def _resolved(self, value: Any, schema: Schema) -> tuple[str, Schema]:
        """The name of the model, empty for none, and the schema that the value has."""
        for choice in schema.get("anyOf", ()):
            if choice.get("type") != "null":
                return self._resolved(value, choice)
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            found = self._models[name]
            return (name if "properties" in found else ""), found
        return "", schema


def _answer(responses: Mapping[str, Any]) -> Schema:
    for status in ("200", "201"):
        content = responses.get(status, {}).get("content", {})
        if "application/json" in content:
            return dict(content["application/json"]["schema"])
    return {}
