"""Statements by chance on the analysts' port: the process never ends, and nothing but their views is read."""

import http.client
import random
import secrets
import threading
import time
import urllib.parse
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from errata.warehouse.migrations import migrate
from errata.warehouse.roles import Role
from tests.processes import WarehouseProcess, start_warehouse

# Analysts may have four statements at a time.
SENDERS = 4
ANSWER_WITHIN_SECONDS = 30
KEPT_STATEMENTS = 40
SECONDS_A_STATEMENT = 1
GUIDE = Path(__file__).resolve().parents[3] / "docs" / "analysts.md"


@dataclass(frozen=True)
class Names:
    """What the engine at hand knows by name."""

    functions: Sequence[str]
    aggregates: Sequence[str]
    table_functions: Sequence[str]
    settings: Sequence[str]
    formats: Sequence[str]
    types: Sequence[str]
    tables: Sequence[str]
    views: Sequence[str]
    privileges: Sequence[str]


def names(warehouse: WarehouseProcess) -> Names:
    admin = warehouse.client(Role.ADMIN)

    def column(sql: str) -> list[str]:
        return [str(row["name"]) for row in admin.rows(sql)]

    found = Names(
        functions=column("select name from system.functions where not is_aggregate order by name"),
        aggregates=column("select name from system.functions where is_aggregate order by name"),
        table_functions=column("select name from system.table_functions order by name"),
        settings=column("select name from system.settings order by name"),
        formats=column("select name from system.formats order by name"),
        types=column("select name from system.data_type_families order by name"),
        tables=column(
            "select database || '.' || name as name from system.tables "
            "where database != 'errata_analysis' order by name"
        ),
        views=column("select name from system.tables where database = 'errata_analysis' order by name"),
        privileges=column("select toString(privilege) as name from system.privileges order by name"),
    )
    admin.close()
    return found


@dataclass
class Statements:
    """Statements around the engine's own names, none of them sensible."""

    names: Names
    chance: random.Random
    canary_path: str
    questions: list[str] = field(
        default_factory=lambda: [
            part.split("```")[0].strip() for part in GUIDE.read_text().split("```sql\n")[1:]
        ]
    )

    def one(self) -> tuple[str, dict[str, str]]:
        """A statement, and parameters of its address."""
        kind = self.chance.choice(
            (
                self._call,
                self._call,
                self._call,
                self._aggregate,
                self._state,
                self._table_function,
                self._table_function,
                self._table,
                self._format,
                self._other,
                self._edited,
            )
        )
        if self.chance.random() < 0.15:
            return kind(), {self.chance.choice(self.names.settings): self._setting_value()}
        return kind(), {}

    def _call(self) -> str:
        shape = self.chance.choice(
            (
                "select {}",
                "select {} from numbers(3)",
                "select arrayMap(x -> {}, [1, 2])",
                "explain select {}",
                "select 1 where {} = 1",
                "select count() from numbers(10) group by {}",
            )
        )
        return shape.format(self._expression(2)) + self._settings()

    def _expression(self, depth: int) -> str:
        if depth == 0 or self.chance.random() < 0.3:
            return self._literal()
        arguments = ", ".join(self._expression(depth - 1) for _ in range(self.chance.randint(0, 4)))
        return f"{self.chance.choice(self.names.functions)}({arguments})"

    def _literal(self) -> str:
        chance = self.chance
        return chance.choice(
            (
                "0",
                "-1",
                "1",
                "18446744073709551615",
                "-9223372036854775808",
                "1e308",
                "nan",
                "-inf",
                "null",
                "''",
                "'a'",
                "'errata_raw.canary'",
                "'errata_raw'",
                "'canary'",
                f"'{self.canary_path}'",
                "'127.0.0.1:1'",
                "'http://127.0.0.1:1/'",
                "'%Y %d'",
                "'(a*)*b'",
                "repeat('a', 100000)",
                "unhex('ff00fe80')",
                '\'{"a": [1, {"b": null}]}\'',
                "'P1Y2M3DT4H'",
                "[]",
                "[1, 2]",
                "['a', '']",
                "[[1], []]",
                "(1, 'a')",
                "map('a', 1)",
                "map(1, [2])",
                "toDate('1970-01-01')",
                "toDateTime64('2299-12-31 23:59:59.999', 3)",
                "toDecimal256('1', 76)",
                "toUUID('61f0c404-5cb3-11e7-907b-a6006ad3dba0')",
                "toIPv6('::1')",
                "toIntervalDay(1)",
                "materialize(1)",
                "toLowCardinality('a')",
                "toNullable(1)",
                "number",
                "x -> x",
                "(a, b) -> a",
                "sumState(1)",
                "uniqState('a')",
                "(select 1)",
                "(select null)",
                "range(1000)",
                f"cast({chance.randint(-9, 9)} as {chance.choice(self.names.types)})",
                f"randomString({chance.randint(0, 64)})",
            )
        )

    def _aggregate(self) -> str:
        suffix = self.chance.choice(
            ("", "", "If", "Array", "State", "Merge", "OrNull", "Map", "Distinct", "Resample", "ForEach")
        )
        parameters = self.chance.choice(("", "", "(1)", "(0.5)", "(0)", "('a')", "(1, 2, 3)", "(1000000000)"))
        arguments = ", ".join(self._literal() for _ in range(self.chance.randint(0, 3)))
        name = self.chance.choice(self.names.aggregates)
        window = self.chance.choice(("", "", "", " over (order by number)"))
        return f"select {name}{suffix}{parameters}({arguments}){window} from numbers(5)" + self._settings()

    def _state(self) -> str:
        """Bytes by chance, read as the state of an aggregate."""
        name = self.chance.choice(self.names.aggregates)
        kind = self.chance.choice(("UInt8", "UInt64", "String", "Float64", "Date", "Array(UInt8)"))
        state = f"AggregateFunction({name}, {kind})"
        bytes_ = self.chance.randbytes(self.chance.randint(0, 40)).hex()
        cast = self.chance.choice(
            (f"cast(unhex('{bytes_}') as {state})", f"cast(unhex('{bytes_}'), '{state}')")
        )
        reader = self.chance.choice(("finalizeAggregation", "toTypeName", "hex", f"{name}Merge"))
        return f"select {reader}({cast})"

    def _table_function(self) -> str:
        arguments = ", ".join(
            self.chance.choice(
                (self._literal(), self.chance.choice(self.names.tables), "'a UInt8, b String'", "TSV", "x")
            )
            for _ in range(self.chance.randint(0, 5))
        )
        function = f"{self.chance.choice(self.names.table_functions)}({arguments})"
        shape = self.chance.choice(
            (
                "select * from {} limit 3",
                "select * from {} limit 3",
                "describe table {}",
                "explain select * from {}",
                "explain query tree select * from {}",
                "select count() from view(select * from {})",
                "select * from numbers(1) where number in (select * from {})",
                "insert into function {} select 1",
                "create table errata_analysis.mine as {}",
            )
        )
        return shape.format(function) + self._settings()

    def _table(self) -> str:
        shape = self.chance.choice(
            (
                "select * from {}",
                "select count() from {}",
                "select * from merge('errata_.*', '.*') limit 1 /* {} */",
                "describe {}",
                "show create table {}",
                "check table {}",
                "optimize table {} final",
                "truncate table {}",
                "drop table {}",
                "rename table {0} to errata_analysis.mine",
                "alter table {} delete where 1",
                "insert into {} select * from {}",
                "select hasColumnInTable('errata_raw', 'canary', 'text') from {}",
                "explain estimate select * from {}",
                "select * from page_days where page in (select text from {})",
                "select * from page_days join {} on 1 limit 1",
                "with t as (select * from {}) select * from t",
                "select * from {} sample 1 limit 1",
                "create view errata_analysis.mine as select * from {}",
                "exchange tables {0} and {0}",
                "detach table {}",
                "attach table {}",
                "backup table {} to file('/tmp/errata-fuzz')",
            )
        )
        table = self.chance.choice((*self.names.tables, "errata_raw.canary", "errata_raw.canary"))
        return shape.replace("{0}", "{}").replace("{}", table)

    def _format(self) -> str:
        view = self.chance.choice(self.names.views)
        return (
            f"select * from {view} limit 2{self._settings()} format {self.chance.choice(self.names.formats)}"
        )

    def _other(self) -> str:
        privilege = self.chance.choice(self.names.privileges).lower()
        argument = self.chance.choice(("", " on *.*", " errata_raw.canary", " all", " 'a'", " http", " tcp"))
        return self.chance.choice(
            (
                f"{privilege}{argument}",
                f"system {privilege.removeprefix('system ')}{argument}",
                f"grant {privilege} on *.* to errata_analyst",
                f"show {privilege.removeprefix('show ')}{argument}",
                f"create {privilege.removeprefix('create ')}{argument} x",
                f"set {self.chance.choice(self.names.settings)} = {self._setting_value()}",
                "kill query where 1 sync",
                "execute as errata_admin select * from errata_raw.canary",
                "set role all",
                "select 1 into outfile '/tmp/errata-fuzz'",
            )
        )

    def _edited(self) -> str:
        """A question of the guide with some of its words changed for others."""
        words = self.chance.choice(self.questions).split(" ")
        for _ in range(self.chance.randint(1, 4)):
            place = self.chance.randrange(len(words))
            words[place] = self.chance.choice((self._expression(1), "", "(", ")", words[-1], "union all"))
        return " ".join(words)

    def _settings(self) -> str:
        if self.chance.random() < 0.7:
            return ""
        return f" settings {self.chance.choice(self.names.settings)} = {self._setting_value()}"

    def _setting_value(self) -> str:
        return self.chance.choice(
            (
                *("0", "1", "2", "-1", "1000000000000", "'a'", "''", "'errata_raw'", "'errata_raw.canary'"),
                f"'{self.canary_path}'",
                f"'file(\\'{self.canary_path}\\')'",
                "'(select text from errata_raw.canary)'",
            )
        )


@dataclass
class Outcome:
    statements: int = 0
    answered: int = 0
    slowest_seconds: float = 0.0
    # What was under way or just answered when something went wrong.
    latest: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


class Fuzzing:
    """Looks in every answer for what is hidden in tables and files, and for the passwords of others."""

    def __init__(self, warehouse: WarehouseProcess, seed: int, role: Role = Role.ANALYST) -> None:
        self._warehouse = warehouse
        self._seed = seed
        self._canary = f"canary{secrets.token_hex(16)}"
        file = warehouse.directory / "canary.txt"
        file.write_text(self._canary)
        self._hide_in_tables()
        self._names = names(warehouse)
        self._canary_path = str(file)
        passwords = {each: urllib.parse.urlsplit(warehouse.url(each)).password or "" for each in Role}
        self._headers = {"X-ClickHouse-User": role.value, "X-ClickHouse-Key": passwords.pop(role)}
        self._secrets = [secret.encode() for secret in (self._canary, *passwords.values())]
        self._lock = threading.Lock()
        self.outcome = Outcome()

    def _hide_in_tables(self) -> None:
        admin = self._warehouse.client(Role.ADMIN)
        for database in ("errata_raw", "errata_mart", "errata_ops", "errata_read"):
            admin.execute(
                f"create table if not exists {database}.canary (text String) engine = MergeTree order by text"
            )
            admin.execute(f"insert into {database}.canary values ({{text:String}})", {"text": self._canary})
        admin.close()

    def run(self, seconds: float) -> Outcome:
        ends_at = time.monotonic() + seconds
        senders = [
            threading.Thread(target=self._send_until, args=(ends_at, number)) for number in range(SENDERS)
        ]
        for sender in senders:
            sender.start()
        for sender in senders:
            sender.join()
        return self.outcome

    def _send_until(self, ends_at: float, number: int) -> None:
        statements = Statements(self._names, random.Random(f"{self._seed}/{number}"), self._canary_path)
        while time.monotonic() < ends_at and not self.outcome.faults:
            self.send(*statements.one())

    def send(self, statement: str, parameters: dict[str, str]) -> None:
        with self._lock:
            self.outcome.statements += 1
            self.outcome.latest = [*self.outcome.latest[-KEPT_STATEMENTS:], f"{statement} {parameters or ''}"]
        began = time.monotonic()
        try:
            answer = self._answer(statement, parameters)
        except (OSError, http.client.HTTPException) as error:
            self._fault(f"{error!r} at {statement} {parameters}")
            return
        self._look_at(statement, answer, time.monotonic() - began)

    def _look_at(self, statement: str, answer: bytes, seconds: float) -> None:
        with self._lock:
            self.outcome.answered += not answer.startswith(b"Code: ")
            self.outcome.slowest_seconds = max(self.outcome.slowest_seconds, seconds)
        if any(secret in answer for secret in self._secrets):
            self._fault(f"read what is not for analysts: {statement}")

    def _answer(self, statement: str, parameters: dict[str, str]) -> bytes:
        connection = http.client.HTTPConnection(
            "127.0.0.1", self._warehouse.port, timeout=ANSWER_WITHIN_SECONDS
        )
        query = {"max_execution_time": str(SECONDS_A_STATEMENT), "max_result_rows": "1000", **parameters}
        try:
            connection.request(
                "POST", "/?" + urllib.parse.urlencode(query), statement.encode(), self._headers
            )
            return connection.getresponse().read()
        except http.client.IncompleteRead as cut_off:
            # An error after the first rows, such as the end of the time, leaves no other way to tell it.
            return cut_off.partial
        finally:
            connection.close()

    def _fault(self, words: str) -> None:
        code = self._warehouse.process.poll()
        with self._lock:
            self.outcome.faults.append(f"{words} (process: {'running' if code is None else code})")


def migrated_warehouse(directory: Path) -> WarehouseProcess:
    """A process of its own: it may not survive."""
    warehouse = start_warehouse(directory)
    admin = warehouse.client(Role.ADMIN)
    migrate(admin)
    admin.close()
    return warehouse
