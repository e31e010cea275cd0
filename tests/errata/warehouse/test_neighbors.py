"""What somebody else on the machine can do to the warehouse without a password: nothing."""

import base64
import http.client
import os
import signal
import socket
import stat
import subprocess
import tempfile
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from errata.up.questions import WarehouseQuestion
from errata.warehouse.client import QueryFailed, WarehouseUnavailable
from errata.warehouse.configuration import MOST_CONNECTIONS
from errata.warehouse.roles import Role
from tests.cases import each
from tests.processes import WarehouseProcess, start_warehouse

STATEMENTS = (
    "select 1",
    "select * from python('x')",
    "SELECT * FROM Python(x)",
    "system stop listen http",
    "system stop listen queries all",
    "system start listen tcp",
    "system start listen queries all",
    "system shutdown",
    "system kill",
    "system reload config",
    "system reload users",
    "system flush logs",
    "system drop mark cache",
    "system stop merges",
    "system jemalloc purge",
    "kill query where 1",
    "show processlist",
    "show grants",
    "show users",
    "select count() from numbers(1000000000000)",
    "select sleepEachRow(3) from numbers(1000) settings max_block_size = 1",
    "select * from system.users",
    "select * from system.settings",
    "select * from system.query_log",
    "select file('/etc/hostname')",
    "select * from file('/etc/hostname', LineAsString)",
    "select * from url('http://127.0.0.1:1/', LineAsString)",
    "select * from remote('127.0.0.1', system.one)",
    "select * from executable('id', TSV, 'a String')",
    "select * from default.`/etc/hostname`",
    "create user intruder",
    "create table default.intruder (a UInt8) engine = Memory",
    "create function intruder as (a) -> a",
    "create temporary table intruder (a UInt8)",
    "insert into function file('/tmp/intruder', TSV, 'a UInt8') values (1)",
    "backup all to file('/tmp/intruder')",
    "drop database errata_raw",
    "set role all",
    "set allow_python_table_function = 1",
    "execute as errata_admin select 1",
    "use system",
    "begin transaction",
    "exists table system.users",
    "explain select 1",
    "select 1 format Template settings format_template_row = '/etc/hostname'",
)
PATHS = (
    "/play",
    "/dashboard",
    "/binary",
    "/merges",
    "/jemalloc",
    "/metrics",
    "/replicas_status",
    "/js/uplot.js",
    "/web-terminal",
    "/query",
    "/sql",
    "/api/v1/query?query=up",
    "/api/v1/write",
    "/?endpoint=DataPartsExchange%3A%2F&compress=false",
    "/default/file.csv",
    "/etc/hostname",
    "/../../etc/hostname",
    "//",
    "/ping/..",
)


@pytest.fixture(scope="module")
def closed() -> Iterator[WarehouseProcess]:
    """A process of its own, since a test may end it, in a directory that others may enter."""
    with tempfile.TemporaryDirectory() as directory:
        Path(directory).chmod(0o755)
        running = start_warehouse(Path(directory))
        yield running
        running.stop()
        assert running.process.returncode == 0


def said(
    port: int, method: str, path: str, body: str = "", headers: dict[str, str] | None = None
) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request(method, path, body.encode() if body else None, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace")
    finally:
        connection.close()


def basic(user: str, password: str) -> dict[str, str]:
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def ways(statement: str) -> Iterator[tuple[str, str, str, dict[str, str]]]:
    """Each way to name a user, without a password or with a wrong one."""
    query = urllib.parse.urlencode({"query": statement})
    named = urllib.parse.urlencode({"user": "default", "password": ""})
    yield "POST", "/", statement, {}
    yield "GET", f"/?{query}", "", {}
    yield "POST", "/", statement, {"X-ClickHouse-User": "default"}
    yield "POST", "/", statement, {"X-ClickHouse-User": "default", "X-ClickHouse-Key": "guess"}
    yield "POST", "/", statement, {"X-Forwarded-For": "127.0.0.1", **basic("default", "")}
    yield "POST", "/?user=default", statement, basic("errata_read", "")
    yield "GET", f"/?{query}&{named}", "", {}
    yield "POST", "/?us%65r=default", statement, {}
    yield "POST", "/?session_id=a", statement, {}


def still_answers(warehouse: WarehouseProcess) -> bool:
    client = warehouse.client(Role.READ)
    try:
        return warehouse.process.poll() is None and client.rows("select 1 as one") == [{"one": 1}]
    finally:
        client.close()


@each("statement", STATEMENTS)
def test_no_statement_is_taken_without_a_password(closed: WarehouseProcess, statement: str) -> None:
    for method, path, body, headers in ways(statement):
        status, answer = said(closed.port, method, path, body, headers)
        assert status in (401, 403, 404), answer
        assert "Authentication failed" in answer
    assert still_answers(closed)


@each("user", [*(role.value for role in Role), "", "nobody"])
@each("password", ["", "guess", "0" * 64])
def test_no_role_is_anybodys_who_only_knows_its_name(
    closed: WarehouseProcess, user: str, password: str
) -> None:
    named = urllib.parse.urlencode({"user": user, "password": password})
    for path, headers in (
        ("/", basic(user, password)),
        ("/", {"X-ClickHouse-User": user, "X-ClickHouse-Key": password}),
        (f"/?{named}", {}),
    ):
        status, answer = said(closed.port, "POST", path, "select 1", headers)
        assert status in (401, 403, 404), answer
        assert "Authentication failed" in answer or "Got an empty user name" in answer
    assert still_answers(closed)


@each("path", PATHS)
def test_nothing_but_questions_and_a_ping_is_served(closed: WarehouseProcess, path: str) -> None:
    for method in ("GET", "POST", "OPTIONS", "PUT", "DELETE"):
        status, _ = said(closed.port, method, path)
        assert status in (401, 403, 404, 501) or (method == "OPTIONS" and status == 204)
    assert said(closed.port, "GET", "/ping") == (200, "Ok.\n")
    assert still_answers(closed)


@each(
    "sent",
    [
        b"\x00" * 4096,
        b"\x11\x0dclickhouse\x1a\x09\xb7\xa9\x03\x07default\x07default\x00",
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\nselect 1",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
        b"GET /" + b"a" * 2_000_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"a: b\r\n" * 20_000 + b"\r\n",
        b"POST / HTTP/1.1\r\nContent-Encoding: zstd\r\nContent-Length: 4\r\n\r\nabcd",
        b"POST / HTTP/1.1\r\nAuthorization: Basic ZGVmYXVsdDo\r\nAuthorization: Negotiate x\r\n\r\n",
        b"POST / HTTP/1.1\r\nAuthorization: Bearer a.b.c\r\nContent-Length: 0\r\n\r\n",
        b"POST / HTTP/1.1\r\nX-ClickHouse-SSL-Certificate-Auth: on\r\nContent-Length: 0\r\n\r\n",
    ],
    ids=lambda sent: repr(sent[:40]),
)
def test_what_is_no_request_ends_nothing(closed: WarehouseProcess, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", closed.port), timeout=10) as connection:
        try:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(65536):
                pass
        except OSError:
            pass
    assert still_answers(closed)


def test_who_takes_all_connections_neither_ends_it_nor_keeps_others_from_going_on(
    closed: WarehouseProcess,
) -> None:
    client, question = closed.client(Role.READ), WarehouseQuestion(closed.url(Role.READ))
    assert client.rows("select 1 as one") == [{"one": 1}] and question()
    taken = [socket.create_connection(("127.0.0.1", closed.port)) for _ in range(MOST_CONNECTIONS + 100)]
    for connection in taken:
        connection.sendall(b"POST / HTTP/1.1\r\n")
    time.sleep(1)
    for _ in range(20):
        assert client.rows("select 1 as one") == [{"one": 1}] and question()
    for connection in taken:
        connection.close()
    assert still_answers(closed)
    client.close()
    question.close()


@pytest.mark.slow
def test_a_question_finds_its_way_back_to_a_warehouse_that_was_away(tmp_path: Path) -> None:
    running = start_warehouse(tmp_path)
    question = WarehouseQuestion(running.url(Role.READ))
    assert question()
    running.process.kill()
    running.process.wait(10)
    assert not question()
    again = start_warehouse(tmp_path, running.port)
    assert question()
    again.process.send_signal(signal.SIGSTOP)
    # A signal takes effect some time after it was sent.
    os.waitid(os.P_PID, again.process.pid, os.WSTOPPED)
    assert not question()
    again.process.send_signal(signal.SIGCONT)
    assert question()
    question.close()
    again.stop()


def test_it_listens_on_loopback_alone_and_the_login_is_spent(closed: WarehouseProcess) -> None:
    listening = [
        one.laddr
        for one in psutil.Process(closed.process.pid).net_connections(kind="inet")
        if one.status == psutil.CONN_LISTEN
    ]
    assert {address.ip for address in listening} == {"127.0.0.1"}
    (login,) = {address.port for address in listening} - {closed.port}
    configuration = (closed.directory / "run" / "warehouse" / "clickhouse-local.xml").read_text()
    secret_path = configuration.split(f":{login}")[1].split("</uri>")[0]
    for path in ("/", secret_path):
        assert said(login, "GET", path, headers=basic("default", ""))[0] == 403


@each("role", list(Role))
@each(
    "statement",
    [
        "select * from python('x')",
        "select * from Python(x)",
        "select * from /**/`python` ( 'x' )",
        "explain select * from python('x')",
        "describe table python('x')",
        "insert into function python('x') select 1",
        "create table errata_analysis.x as python('x')",
        "select * from view(select * from python('x'))",
        "select * from python('x') settings allow_python_table_function = 1",
        "set allow_python_table_function = 1",
        "select file('/etc/hostname')",
        "select file('/etc/hostname', '')",
        "select arrayMap(file, ['/etc/hostname'])",
        "select * apply (file) from (select '/etc/hostname' as a)",
        "select * from (select b from generateRandom('b String alias file(\\'/etc/hostname\\')') limit 1)",
        "select 1 format Template settings format_template_row = '/etc/hostname'",
        "select 1 settings format_template_resultset = '/etc/hostname' format Template",
        "select 1 format CapnProto settings format_schema = '/etc/hostname:a'",
    ],
)
def test_no_role_ends_the_process_or_reads_files(
    closed: WarehouseProcess, role: Role, statement: str
) -> None:
    client = closed.client(role)
    hostname = Path("/etc/hostname").read_text().strip() if Path("/etc/hostname").exists() else "-"
    with pytest.raises((QueryFailed, WarehouseUnavailable)) as refused:
        client.rows(statement)
    client.close()
    assert hostname not in str(refused.value.__cause__).replace("/etc/hostname", "")
    assert still_answers(closed)


def test_nothing_in_the_directory_is_for_others(closed: WarehouseProcess) -> None:
    directories = [closed.directory / "run" / "warehouse", closed.directory / "warehouse"]
    written = [path for directory in directories for path in (directory, *directory.rglob("*"))]
    assert len(written) > 5
    open_to_others = [path for path in written if stat.S_IMODE(path.lstat().st_mode) & 0o077]
    assert [path for path in open_to_others if not path.is_symlink()] == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_another_user_of_the_machine_reads_no_password(closed: WarehouseProcess) -> None:
    run, process = closed.directory / "run", Path(f"/proc/{closed.process.pid}")
    secret = [run / "warehouse-passwords.json", run / "warehouse" / "users.xml"]
    secret += [run / "warehouse" / "clickhouse-local.xml", process / "environ"]
    for path in secret:
        assert path.read_bytes()
        assert "Permission denied" in as_nobody("cat", path).stderr
    command_line = as_nobody("cat", process / "cmdline").stdout
    assert "errata.warehouse.listener" in command_line
    passwords = [urllib.parse.urlsplit(closed.url(role)).password for role in Role]
    assert not any(password and password in command_line for password in passwords)


def as_nobody(*command: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)),
        user=65534,
        group=65534,
        extra_groups=[],
        cwd="/",
        capture_output=True,
        text=True,
    )
