"""charts/errata as Helm renders it; `make chart` installs its own library and the schemas of Kubernetes."""

import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from api.settings import ApiSettings
from errata.command_line import command_line
from errata.settings import CoreSettings, unknown_variables
from tests.cases import each
from tests.service import ROOT
from tests.test_chart import EVERYTHING, KUBERNETES, NEEDED

VENV = ROOT / ".venv-chart"
WEB = {"ERRATA_WAREHOUSE_URL", "ERRATA_WAREHOUSE_READ_URL", "ERRATA_STATE_URL", "ERRATA_SECRET"}
OPTIONAL = {"ERRATA_WAREHOUSE_ANALYST_URL", "ERRATA_PREVIOUS_SECRET"}
PIPELINES = {"ERRATA_WAREHOUSE_BUILD_URL", "ERRATA_STATE_URL", "DAGSTER_POSTGRES_URL"}
MIGRATION = WEB | {"ERRATA_WAREHOUSE_ADMIN_URL", "ERRATA_WAREHOUSE_BUILD_URL"}
Render = Callable[[dict[str, Any]], dict[str, Any]]

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("make") is None, reason="Helm's library is installed by make"),
]


def pod_of(manifest: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = manifest["spec"]["template"]["spec"]
    return found


def variables(container: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {one["name"]: one for one in container["env"]}


def from_secret(container: dict[str, Any], *, optional: bool = False) -> set[str]:
    references = [one["valueFrom"]["secretKeyRef"] for one in container["env"] if "valueFrom" in one]
    assert all(one["name"] == "errata" for one in references)
    return {one["key"] for one in references if one.get("optional", False) is optional}


@pytest.fixture(scope="module")
def render() -> Render:
    subprocess.run(["make", f"{VENV.name}/.installed"], cwd=ROOT, check=True)

    def rendered(values: dict[str, Any]) -> dict[str, Any]:
        done = subprocess.run(
            [VENV / "bin" / "python", ROOT / "tests" / "rendered_chart.py", *KUBERNETES],
            input=json.dumps(values),
            stdout=subprocess.PIPE,
            check=True,
            text=True,
        )
        found: dict[str, Any] = json.loads(done.stdout)
        if "manifests" in found:
            found["by_name"] = {f"{one['kind']}/{one['metadata']['name']}": one for one in found["manifests"]}
        return found

    return rendered


@each("given", [NEEDED, EVERYTHING], ids=["needed", "everything"])
def test_helm_and_kubernetes_accept_it(render: Render, given: dict[str, Any]) -> None:
    found = render(given)
    assert found["helm"].startswith("v4.")
    # Only the icon is missing.
    assert [one["error"] for one in found["lint"]] == ["icon is recommended"]
    assert found["invalid"] == []
    assert "refused" not in found


def test_helm_refuses_an_installation_without_its_secret(render: Render) -> None:
    assert "existingSecret" in render({**NEEDED, "existingSecret": ""})["refused"]
    assert "ERRATA_SECRET" in render({**NEEDED, "settings": {"ERRATA_SECRET": "x"}})["refused"]


def test_what_is_there_by_default(render: Render) -> None:
    found = render(NEEDED)["by_name"]
    assert set(found) == {
        *("ConfigMap/shop-errata", "Service/shop-errata", "Deployment/shop-errata-web"),
        *("PodDisruptionBudget/shop-errata-web", "Deployment/shop-errata-pipelines"),
        "Job/shop-errata-migrate",
    }
    web, pipelines = found["Deployment/shop-errata-web"], found["Deployment/shop-errata-pipelines"]
    assert (web["spec"]["replicas"], pipelines["spec"]["replicas"]) == (2, 1)
    # Two at a time would build the same.
    assert pipelines["spec"]["strategy"] == {"type": "Recreate"}
    job = found["Job/shop-errata-migrate"]["metadata"]["annotations"]
    assert job["helm.sh/hook"] == "pre-install,pre-upgrade"


@each("given", [NEEDED, EVERYTHING], ids=["needed", "everything"])
def test_selectors_find_their_pods_and_no_others(render: Render, given: dict[str, Any]) -> None:
    found = render(given)["manifests"]
    labels = [
        one["spec"]["template"]["metadata"]["labels"] for one in found if "template" in one.get("spec", {})
    ]
    web = {"app.kubernetes.io/component": "web"}
    for manifest in found:
        selector = manifest.get("spec", {}).get("selector")
        if selector is None:
            continue
        wanted = selector.get("matchLabels", selector)
        chosen = [one for one in labels if wanted.items() <= one.items()]
        assert len(chosen) == 1
        if manifest["kind"] in ("Service", "PodDisruptionBudget"):
            assert web.items() <= chosen[0].items()
        else:
            assert chosen == [manifest["spec"]["template"]["metadata"]["labels"]]


@each("given", [NEEDED, EVERYTHING], ids=["needed", "everything"])
def test_no_container_may_do_more_than_it_needs(render: Render, given: dict[str, Any]) -> None:
    containers = list(containers_of(render(given)))
    assert len(containers) == 4
    for pod, container in containers:
        assert pod["securityContext"]["runAsNonRoot"] and pod["securityContext"]["runAsUser"] > 0
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
        assert pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {one["mountPath"] for one in container["volumeMounts"]} == {"/tmp", "/var/lib/errata"}
        assert container["resources"]["limits"]["memory"]


@each("given", [NEEDED, EVERYTHING], ids=["needed", "everything"])
def test_each_part_has_the_settings_of_its_node(render: Render, given: dict[str, Any]) -> None:
    found = render(given)["by_name"]
    kind = "StatefulSet" if given is EVERYTHING else "Deployment"
    (web,) = pod_of(found[f"{kind}/shop-errata-web"])["containers"]
    (pipelines,) = pod_of(found["Deployment/shop-errata-pipelines"])["containers"]
    (migrate,) = pod_of(found["Job/shop-errata-migrate"])["containers"]
    assert from_secret(web) == WEB | set(given.get("secretSettings", ()))
    assert from_secret(pipelines) == PIPELINES
    assert from_secret(migrate) == MIGRATION
    assert from_secret(web, optional=True) == from_secret(migrate, optional=True) == OPTIONAL
    shared = found["ConfigMap/shop-errata"]["data"]
    assert shared["ERRATA_BASE_URL"] == given["baseUrl"]
    assert shared.get("ERRATA_WAREHOUSE_CLUSTER") == given.get("cluster")
    assert given.get("settings", {}).items() <= shared.items()
    # The migration comes before the ConfigMap.
    assert "envFrom" not in migrate
    own = {name: one["value"] for name, one in variables(migrate).items() if "value" in one}
    assert own == shared
    for container in (web, pipelines, migrate):
        known = {**shared, **variables(container)}
        assert unknown_variables(CoreSettings, known) == unknown_variables(ApiSettings, known) == []
    assert command_line().parse_args(migrate["args"]).command == "migrate"
    chosen = command_line().parse_args(web["args"])
    assert (chosen.command, chosen.port, chosen.host) == (
        "web",
        web["ports"][0]["containerPort"],
        "0.0.0.0",
    )


def test_a_spool_that_outlives_its_pod_is_on_a_volume_of_its_own(render: Render) -> None:
    found = render(EVERYTHING)
    web = found["by_name"]["StatefulSet/shop-errata-web"]
    (claim,) = web["spec"]["volumeClaimTemplates"]
    assert claim["spec"]["resources"]["requests"]["storage"] == "8Gi"
    pod = pod_of(web)
    assert [one["name"] for one in pod["volumes"]] == ["tmp"]
    (container,) = pod["containers"]
    mounted = {one["name"]: one["mountPath"] for one in container["volumeMounts"]}
    spool = variables(container)["ERRATA_API_SPOOL_PATH"]["value"]
    assert spool.startswith(f"{mounted[claim['metadata']['name']]}/")
    assert "statefulset/shop-errata-web" in found["notes"] and "are lost" not in found["notes"]
    assert "are lost" in render(NEEDED)["notes"]


def test_a_pod_has_time_to_deliver_its_spool(render: Render) -> None:
    pod = pod_of(render({**NEEDED, "web": {"drainSeconds": 30}})["by_name"]["Deployment/shop-errata-web"])
    (container,) = pod["containers"]
    bound = int(container["lifecycle"]["preStop"]["exec"]["command"][1])
    assert 30 < bound < pod["terminationGracePeriodSeconds"]


def test_the_page_installs_what_helm_and_kubernetes_accept(render: Render) -> None:
    page = (ROOT / "docs" / "kubernetes.md").read_text()
    (block,) = re.findall(r"^   ```yaml\n(.*?)^   ```$", page, re.MULTILINE | re.DOTALL)
    found = render(yaml.safe_load(textwrap.dedent(block)))
    assert found["invalid"] == []
    # The release has the name of the chart there, here another.
    assert "statefulset/errata-web" in page and "StatefulSet/shop-errata-web" in found["by_name"]
    written = set(re.findall(r"^   (\w+)=", page, re.MULTILINE))
    assert written == MIGRATION | PIPELINES | {"ERRATA_WAREHOUSE_ANALYST_URL"}


def test_the_host_of_the_ingress_is_that_of_the_pages(render: Render) -> None:
    ingress = render(EVERYTHING)["by_name"]["Ingress/shop-errata"]["spec"]
    assert ingress["rules"][0]["host"] == ingress["tls"][0]["hosts"][0] == "errata.example.com"
    backend = ingress["rules"][0]["http"]["paths"][0]["backend"]["service"]
    assert backend == {"name": "shop-errata", "port": {"name": "http"}}


def test_one_web_node_can_be_drained(render: Render) -> None:
    found = render({**NEEDED, "web": {"replicas": 1}})["by_name"]
    assert not any(name.startswith("PodDisruptionBudget") for name in found)


def test_new_settings_replace_the_pods(render: Render) -> None:
    def checksums(given: dict[str, Any]) -> list[str]:
        return [
            one["spec"]["template"]["metadata"]["annotations"]["checksum/settings"]
            for one in render(given)["manifests"]
            if one["kind"] == "Deployment"
        ]

    before, after = checksums(NEEDED), checksums({**NEEDED, "settings": {"ERRATA_LOG_FORMAT": "json"}})
    assert len({*before}) == len({*after}) == 1 and before != after


def test_runs_of_the_pipelines_are_kept_in_postgresql(render: Render, tmp_path: Path) -> None:
    (prepare,) = pod_of(render(NEEDED)["by_name"]["Deployment/shop-errata-pipelines"])["initContainers"]
    known = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "DAGSTER_HOME": f"{tmp_path}",
        "DAGSTER_POSTGRES_URL": "postgresql://errata:x@postgres:5432/dagster",
    }
    subprocess.run(prepare["command"], cwd=ROOT, env=known, check=True)
    asked = (
        "import sys; from dagster._core.instance.ref import InstanceRef; "
        "print(InstanceRef.from_dir(sys.argv[1]).run_storage_data.config_dict)"
    )
    said = subprocess.run(
        [sys.executable, "-c", asked, str(tmp_path)],
        env=known,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert "DAGSTER_POSTGRES_URL" in said and "'postgres_url'" in said


def containers_of(found: dict[str, Any]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for manifest in found["manifests"]:
        if "template" in manifest.get("spec", {}):
            pod = pod_of(manifest)
            for container in [*pod.get("initContainers", ()), *pod["containers"]]:
                yield pod, container
