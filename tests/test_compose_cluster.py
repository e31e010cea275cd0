"""compose.cluster.yaml: what can be known of it without Docker."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from api.settings import ApiSettings
from errata.command_line import command_line
from errata.settings import CoreSettings, unknown_variables
from errata.warehouse.addresses import addresses_of, place_of
from tests.cases import each
from tests.service import ROOT
from tests.test_docker import services, stages

FILE = "compose.cluster.yaml"
SERVERS = ("clickhouse-1-1", "clickhouse-1-2", "clickhouse-2-1", "clickhouse-2-2")
KEEPERS = ("keeper-1", "keeper-2", "keeper-3")
NODES = ("migrate", "web-1", "web-2", "pipelines")
# In the embedded engine, which reads its configuration from the folder where it is started.
ASKED = """
import sys
from chdb import _chdb
print(_chdb.query(sys.argv[1], "TSV", path="data").data())
"""
REPLICAS = """
select shard_num, host_name, port, internal_replication from system.clusters where cluster = 'errata';
select macro, substitution from system.macros order by macro;
select getServerSetting('interserver_http_host')
"""


def whole() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((ROOT / FILE).read_text())
    return found


def test_a_cluster_has_two_shards_of_two_replicas_and_two_web_nodes() -> None:
    assert set(services(FILE)) == {*SERVERS, *KEEPERS, *NODES, "postgres"}
    official = services("compose.servers.yaml")
    for name in SERVERS:
        server = services(FILE)[name]
        assert server["image"] == official["clickhouse"]["image"]
        environment = server["environment"]
        assert (f"clickhouse-{environment['SHARD']}", environment["REPLICA"]) == (name[:-2], name)
        assert server["hostname"] == name
    version = official["clickhouse"]["image"].partition(":")[2]
    assert {services(FILE)[name]["image"] for name in KEEPERS} == {f"clickhouse/clickhouse-keeper:{version}"}
    assert [services(FILE)[name]["environment"]["KEEPER_ID"] for name in KEEPERS] == [1, 2, 3]
    assert services(FILE)["postgres"]["image"] == official["postgres"]["image"]


@each("name", NODES)
def test_nodes_run_commands_with_settings_that_there_are(name: str) -> None:
    node = services(FILE)[name]
    environment = {key: value for key, value in node["environment"].items() if key != "DAGSTER_HOME"}
    assert unknown_variables(CoreSettings, environment) == unknown_variables(ApiSettings, environment) == []
    assert node["build"]["target"] in stages()
    if name == "pipelines":
        assert node["entrypoint"] == ["python", "-m", "pipelines"]
    else:
        assert command_line().parse_args(node["command"]).command == name.partition("-")[0]
    assert environment["ERRATA_WAREHOUSE_CLUSTER"] == "errata"
    urls = [url for key, url in environment.items() if key.startswith("ERRATA_WAREHOUSE_") and "@" in url]
    assert len(urls) == (5 if name == "migrate" else 4)
    for url in urls:
        places = addresses_of(re.sub(r"\$\{\w+:\?\}", "x", url))
        assert [place_of(place) for place in places] == [f"{server}:8123" for server in SERVERS]


def test_no_container_runs_as_root_and_only_web_nodes_are_reached() -> None:
    for name, service in services(FILE).items():
        assert service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
        # Our image has a user of its own.
        assert "build" in service or service["user"] in ("101:101", "postgres")
        # Compose copies inline configs into the container once it exists.
        assert service.get("read_only", False) is ("configs" not in service), name
        assert "test" in service["healthcheck"] or name in ("migrate", "pipelines")
    published = {name: service["ports"] for name, service in services(FILE).items() if "ports" in service}
    assert published == {"web-1": ["127.0.0.1:8000:8000"], "web-2": ["127.0.0.1:8001:8000"]}


def test_a_server_can_be_cut_from_its_keepers_alone() -> None:
    found = services(FILE)
    assert all(found[name]["networks"] == ["keepers"] for name in KEEPERS)
    assert all(found[name]["networks"] == ["default", "keepers"] for name in SERVERS)
    assert {name for name, one in found.items() if "networks" in one} == {*KEEPERS, *SERVERS}
    assert set(whole()["networks"]) == {"default", "keepers"}


def test_no_two_containers_share_a_volume() -> None:
    used = [volume.partition(":")[0] for service in services(FILE).values() for volume in service["volumes"]]
    assert len(used) == len(set(used)) and set(used) == set(whole()["volumes"])


def test_the_check_reaches_each_server_by_its_name_on_loopback() -> None:
    text = (ROOT / "compose.cluster-check.yaml").read_text()
    names = dict(re.findall(r"^# (127\.\S+) (\S+)$", text, re.MULTILINE))
    published = {name: one["ports"] for name, one in services("compose.cluster-check.yaml").items()}
    assert published.pop("postgres") == ["127.0.0.1:5432:5432"]
    assert published == {name: [f"{address}:8123:8123"] for address, name in names.items()}
    assert sorted(published) == sorted(SERVERS)
    # The migration would fill what must be empty.
    (started,) = re.findall(r"up --detach --wait \\\n# +(.*)", text)
    assert set(started.split()) == {*SERVERS, "postgres"}


def test_each_waits_for_what_it_needs() -> None:
    needed = {name: set(service.get("depends_on", ())) for name, service in services(FILE).items()}
    for name in SERVERS:
        assert needed[name] == set(KEEPERS)
    assert needed["migrate"] == {*SERVERS, "postgres"}
    for name in ("web-1", "web-2", "pipelines"):
        assert needed[name] == {"migrate"}


def test_passwords_have_no_default_and_the_admin_belongs_to_the_migration() -> None:
    text = (ROOT / FILE).read_text()
    assert set(re.findall(r"\$\{(\w+):-", text)) == {"ERRATA_BASE_URL"}
    assert set(re.findall(r"\$\{(\w+):\?\}", text)) == set(
        re.findall(r"\$\{(\w+):\?\}", (ROOT / "compose.servers.yaml").read_text())
    )
    with_admin = {
        name for name in NODES if "ERRATA_WAREHOUSE_ADMIN_URL" in services(FILE)[name]["environment"]
    }
    assert with_admin == {"migrate"}


def test_keepers_elect_one_of_three() -> None:
    keeper = ElementTree.fromstring(whole()["configs"]["keeper"]["content"]).find("keeper_server")
    assert keeper is not None
    members = [
        (server.findtext("id"), server.findtext("hostname"))
        for server in keeper.iterfind("raft_configuration/server")
    ]
    assert members == [(name[-1], name) for name in KEEPERS]
    ready = keeper.find("http_control")
    assert ready is not None
    for name in KEEPERS:
        address = services(FILE)[name]["healthcheck"]["test"][-1]
        assert address.endswith(f":{ready.findtext('port')}{ready.findtext('readiness/endpoint')}")
    servers = ElementTree.fromstring(whole()["configs"]["clickhouse"]["content"])
    asked = [(node.findtext("host"), node.findtext("port")) for node in servers.iterfind("zookeeper/node")]
    assert asked == [(name, keeper.findtext("tcp_port")) for name in KEEPERS]


@pytest.mark.slow
def test_the_engine_reads_the_inline_configuration(tmp_path: Path) -> None:
    (tmp_path / "clickhouse-local.xml").write_text(whole()["configs"]["clickhouse"]["content"])
    own = {key: str(value) for key, value in services(FILE)[SERVERS[3]]["environment"].items()}
    said = subprocess.run(
        [sys.executable, "-c", ASKED, REPLICAS],
        cwd=tmp_path,
        env={**os.environ, **own},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    listed = [f"{number}\t{name}\t9000\t1" for number, name in zip((1, 1, 2, 2), SERVERS, strict=True)]
    macros = [f"replica\t{SERVERS[3]}", "shard\t2"]
    assert [line for line in said.splitlines() if line] == [*listed, *macros, SERVERS[3]]
