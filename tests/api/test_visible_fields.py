"""Who may read what: a canary in every piece of state, every route that reads, every kind of caller."""

import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest
import yaml
from httpx2 import Response
from pydantic import SecretStr
from sqlalchemy import String, insert, update

from errata.state import Store
from errata.state.activity_actions import Action, Activity
from errata.state.alerts.messages import Message, NewMessage
from errata.state.annotations import Note
from errata.state.capability import Capability
from errata.state.integrations import NewIntegration
from errata.state.organization import Organization
from errata.state.table import every_table
from errata.state.users import Role
from tests.api.conftest import SECRET
from tests.api.test_authorization import NOW, Service
from tests.api.test_authorization import service as service
from tests.authorization_table import AUDIENCES, AUDIENCES_OF_PARTS, LEVEL_OF, PLAIN_COLUMNS, Audience
from tests.cases import each
from tests.configured import Configured
from tests.field_audiences import FIELDS, RECORDED
from tests.people import joins
from tests.request_bodies import Schema

CANARY = re.compile(r"cn-[a-z]+-[a-z]+-[a-z]+-yq")
OWN, OTHER = "own", "other"
SLUGS = {OWN: "web-shop", OTHER: "another"}
ADDRESS = "203.0.113.77"

# Who sees what: all projects, or the one of these names; whether as an owner.
WHOLE = frozenset({OWN, OTHER})
CALLERS: Mapping[str, frozenset[str]] = {
    "nobody": frozenset(),
    "an owner elsewhere": frozenset(),
    "a token for uploads": frozenset({OWN}),
    "a token for verdicts": frozenset({OWN}),
    "a token to read": frozenset({OWN}),
    "a token to read of another project": frozenset({OTHER}),
    "a viewer of the project": frozenset({OWN}),
    "a member of the project": frozenset({OWN}),
    "a member of another project": frozenset({OTHER}),
    "a viewer": WHOLE,
    "a member": WHOLE,
    "the API key": WHOLE,
    "a confirmed owner": WHOLE,
}
ALL_AUDIENCES = {**AUDIENCES, **AUDIENCES_OF_PARTS}
OWNERS = {"the API key", "a confirmed owner"}


def canary(column: str, where: str) -> str:
    table, _, name = column.partition(".")
    return f"cn-{table.replace('_', '')}-{name.replace('_', '')}-{where}-yq"


SECRETS = {
    OWN: canary("sealed_secrets.sealed", OWN),
    OTHER: f"https://slack.example/{canary('sealed_secrets.sealed', OTHER)}/abcd",
}


def text_columns() -> set[str]:
    return {
        f"{table.name}.{column.name}"
        for table in every_table().tables.values()
        for column in table.columns
        if isinstance(getattr(column.type, "impl_instance", column.type), String)
    }


@dataclass(frozen=True)
class Planted:
    service: Service
    known: dict[str, list[tuple[str, Response]]] = field(default_factory=dict)

    def answers(self, caller: str) -> list[tuple[str, Response]]:
        """Of every route that reads, asked once for each project that its path can name."""
        if caller not in self.known:
            self.known[caller] = [
                (route, replace(self.service, values=self.service.values | slug).ask("GET", path, asking))
                for route in LEVEL_OF
                for asking, path in [(self.service.callers[caller], route.removeprefix("GET "))]
                if path != route
                for slug in ([{"slug": slug} for slug in SLUGS.values()] if "{slug}" in path else [{}])
            ]
        return self.known[caller]


@pytest.fixture(scope="module")
def planted(service: Service) -> Iterator[Planted]:
    with closing(Store.open(f"sqlite:///{service.file}", SECRET)) as store:
        Configured(store, SECRETS).apply(file())
        plant_organization(store)
        ids = {each.slug: each.id for each in store.projects.of_organization(1)}
        for where, slug in SLUGS.items():
            plant_project(store, where, slug, ids[slug])
        service.values |= paths(store)
    yield Planted(service)


def file() -> str:
    """What a configuration declares, with a canary in each of its texts."""
    name, settings = canary("alert_channels.name", OWN), canary("alert_channels.settings", OWN)
    path, user = canary("alert_channels.path", OWN), canary("alert_channels.user", OWN)
    hook = {"url": f"https://{settings}.example/{path}?key={path}"}
    address = f"{settings}@example.org"
    mail = {"to": [address], "from": address, "host": f"{settings}.example", "user": user}
    channels = [
        {"name": name, "kind": "webhook", "settings": hook},
        {"name": f"{name} mail", "kind": "email", "settings": mail, "secret": f"${{env:{OWN}}}"},
        {"name": "Slack", "kind": "slack", "secret": f"${{env:{OTHER}}}"},
    ]
    projects = [of_project(where, slug, name) for where, slug in SLUGS.items()]
    return yaml.safe_dump({"version": 1, "channels": channels, "projects": projects})


def of_project(where: str, slug: str, channel: str) -> dict[str, object]:
    def of(column: str) -> str:
        return canary(column, where)

    recipients = [f"{of('report_schedules.recipients')}@example.org"]
    schedule = {"name": of("report_schedules.name"), "weekday": "monday", "hour": 8, "recipients": recipients}
    return {
        "slug": slug,
        "name": of("projects.name"),
        "application_keys": [of("app_keys.service")],
        "budgets": [{"name": of("budgets.name"), "metric": "lcp_ms", "threshold": 2500}],
        "alert_rules": [{"name": of("alert_rules.name"), "kind": "new", "channels": [channel]}],
        "saved_searches": [{"name": of("saved_searches.name"), "query": f'"{of("saved_searches.query")}"'}],
        "report_schedules": [schedule],
    }


def plant_organization(store: Store) -> None:
    with store.database.writing() as connection:
        named = update(Organization).where(Organization.id == 1)
        connection.execute(named.values(name=canary("organizations.name", OWN)))
        connection.execute(
            insert(Activity).values(
                organization_id=1,
                at=NOW,
                action=Action.USER_SIGNED_IN.value,
                actor="x",
                key_prefix="",
                subject=canary("activity_log.subject", OWN),
                address=canary("activity_log.address", OWN),
            )
        )
    invited = f"{canary('one_time_links.email', OWN)}@example.org"
    store.one_time_links.invite(1, invited, Role.VIEWER, ["another"], actor="test")


def plant_project(store: Store, where: str, slug: str, project_id: int) -> None:
    def of(column: str) -> str:
        return canary(column, where)

    joins(store, 1, f"{of('users.email')}@example.org", Role.MEMBER, [project_id])
    channel = store.alerts.channels.of_organization(1)[0]
    message = NewMessage(
        1,
        project_id,
        channel.id,
        "test",
        of("alert_messages.subject"),
        {"text": of("alert_messages.content")},
        "",
    )
    written = store.alerts.messages.write_test(message, actor="x", channel_name="x")
    with store.database.writing() as connection:
        sent = {"recipient": of("alert_messages.recipient"), "answer": of("alert_messages.answer")}
        connection.execute(
            update(Message).where(Message.id == written.id).values(project_id=project_id, **sent)
        )
    store.annotations.write(1, slug, 1, Note(of("annotations.text"), NOW - timedelta(days=1)))
    tracker = NewIntegration(
        "jira",
        f"https://{of('integrations.base_url')}.example",
        of("integrations.target"),
        of("integrations.account"),
        "Bug",
        SecretStr(f"{of('sealed_secrets.sealed')} abcd"),
    )
    store.integrations.add(1, project_id, tracker, actor="x")
    store.project_tokens.create(1, slug, [Capability.READ], of("project_tokens.name"), 30, actor="x")


def paths(store: Store) -> dict[str, str]:
    """Of the project of its own, what was planted: pages of single objects show them."""
    found = {
        "rule_id": store.alerts.rules.of_project(1, "web-shop")[-1].id,
        "budget_id": store.budgets.of_project(1, "web-shop")[-1].id,
    }
    return found


def test_every_text_of_the_state_store_has_an_audience_or_a_reason() -> None:
    plain = {f"{table}.{name}" for table, names in PLAIN_COLUMNS.items() for name in names.split()}
    assert plain.isdisjoint(AUDIENCES)
    assert plain | set(AUDIENCES) == text_columns()


def allowed(audience: Audience, caller: str, where: str = "") -> bool:
    """`where`: the project that it belongs to, if that is known."""
    seen = CALLERS[caller]
    match audience:
        case Audience.PROJECT | Audience.PEOPLE:
            return where in seen if where else bool(seen)
        case Audience.ORGANIZATION:
            return bool(seen)
        case Audience.WHOLE:
            return seen == WHOLE
        case Audience.OWNER:
            return caller in OWNERS
        case Audience.NOBODY | Audience.CREATED:
            return False
        case Audience.PUBLIC | Audience.SELF:
            return True


def may_read(column: str, where: str, caller: str) -> bool:
    return allowed(ALL_AUDIENCES[column], caller, where)


def read(planted: Planted, caller: str) -> dict[tuple[str, str], set[str]]:
    """Column and project of each canary that the caller is shown, with the routes that show it."""
    words = {canary(column, where): (column, where) for column in ALL_AUDIENCES for where in SLUGS}
    found: dict[tuple[str, str], set[str]] = {}
    for route, answer in planted.answers(caller):
        for word in CANARY.findall(answer.text):
            if word in words:
                found.setdefault(words[word], set()).add(route)
    return found


@pytest.mark.timeout(600)
@each("caller", CALLERS)
def test_a_caller_reads_only_what_the_table_says(planted: Planted, caller: str) -> None:
    found = read(planted, caller)
    assert {told: routes for told, routes in found.items() if not may_read(*told, caller)} == {}


def test_an_owner_reads_each_value_somewhere(planted: Planted) -> None:
    """So that the others' silence says something."""
    found = read(planted, "a confirmed owner")
    shown = {column for column, audience in ALL_AUDIENCES.items() if audience is not Audience.NOBODY}
    assert {column for column, _ in found} == shown


def operations(openapi: Schema) -> Iterator[tuple[str, Schema, Schema]]:
    """Route, operation and schema of the JSON of each success."""
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            for status, response in operation["responses"].items():
                content = response.get("content", {}).get("application/json", {})
                if status.startswith("2") and (schema := content.get("schema")):
                    yield f"{method.upper()} {path}", operation, schema


def fields(openapi: Schema, schema: Schema, within: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Model and field of everything that the schema can hold."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name:
        if name not in within:
            yield from fields(openapi, openapi["components"]["schemas"][name], (*within, name))
        return
    for name, inner in schema.get("properties", {}).items():
        yield (within[-1] if within else ""), name
        yield from fields(openapi, inner, within)
    for inner in (*schema.get("anyOf", ()), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            yield from fields(openapi, inner, within)


def told(openapi: Schema, schema: Schema, value: object, within: str = "") -> Iterator[tuple[str, str]]:
    """Model and field of everything that the value says something in."""
    name = schema.get("$ref", "").rpartition("/")[2]
    if name:
        yield from told(openapi, openapi["components"]["schemas"][name], value, name)
    for inner in schema.get("anyOf", ()):
        yield from told(openapi, inner, value, within)
    if isinstance(value, list) and "items" in schema:
        for each in value:
            yield from told(openapi, schema["items"], each, within)
    if isinstance(value, dict):
        for name, inner in schema.get("properties", {}).items():
            if value.get(name) not in ("", None, [], {}):
                yield within, name
                yield from told(openapi, inner, value[name], within)
        if isinstance(more := schema.get("additionalProperties"), dict):
            for each in value.values():
                yield from told(openapi, more, each, within)


def declared() -> dict[tuple[str, str], Audience]:
    return {
        (model, field): audience
        for model, audiences in FIELDS.items()
        for audience, names in audiences.items()
        for field in names.split()
    }


def test_every_field_that_tells_of_the_account_store_has_an_audience(service: Service) -> None:
    found: set[tuple[str, str]] = set()
    recorded: set[tuple[str, str]] = set()
    for _, operation, schema in operations(service.openapi):
        known = recorded if RECORDED & set(operation["tags"]) else found
        known.update(fields(service.openapi, schema))
    assert found - set(declared()) == set()
    assert set(declared()) - found - recorded == set()


def test_what_is_shown_once_is_the_response_to_a_change(service: Service) -> None:
    for route, _, schema in operations(service.openapi):
        shown = {each for each in fields(service.openapi, schema) if declared().get(each) is Audience.CREATED}
        assert not shown or not route.startswith("GET "), (route, shown)


# Who owns another organization reads all of it.
@pytest.mark.timeout(600)
@each("caller", [caller for caller in CALLERS if caller != "an owner elsewhere"])
def test_a_caller_reads_only_fields_that_the_table_gives(planted: Planted, caller: str) -> None:
    openapi, audiences = planted.service.openapi, declared()
    schemas = {route: schema for route, _, schema in operations(openapi)}
    shown: dict[tuple[str, str], set[str]] = {}
    for route, answer in planted.answers(caller):
        if answer.status_code == 200 and route in schemas:
            for each in told(openapi, schemas[route], answer.json()):
                shown.setdefault(each, set()).add(route)
    refused = {each for each in shown if each in audiences and not allowed(audiences[each], caller)}
    assert {each: shown[each] for each in refused} == {}
    assert caller not in OWNERS or ("ChannelShown", "secret_ending") in shown
