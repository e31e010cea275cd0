"""charts/errata without Helm: its values, their schema, and what it has of the program."""

import json
import re
from typing import Any

import jsonschema
import pytest
import yaml

from errata import __version__
from tests.cases import each
from tests.service import ROOT
from tests.test_docker import instruction

CHART = ROOT / "charts" / "errata"
# The oldest that Chart.yaml allows, and the newest that there are schemas of.
KUBERNETES = ("1.27", "1.37")
NEEDED = {
    "image": {"repository": "registry.example.com/errata"},
    "baseUrl": "https://errata.example.com",
    "existingSecret": "errata",
}
EVERYTHING = {
    **NEEDED,
    "image": {**NEEDED["image"], "tag": "7", "pullSecrets": ["registry"]},  # type: ignore[dict-item]
    "cluster": "errata",
    "secretSettings": ["ERRATA_MAIL_PASSWORD"],
    "settings": {"ERRATA_TRUSTED_PROXIES": "10.0.0.0/8", "ERRATA_LOG_FORMAT": "json"},
    "web": {
        "replicas": 3,
        "readiness": "health",
        "workers": 2,
        "spool": {"persistent": True, "size": "8Gi", "storageClassName": "fast"},
        "minAvailable": "50%",
        "podAnnotations": {"example.com/team": "shop"},
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "shop", "operator": "Exists"}],
        "affinity": {"podAntiAffinity": {}},
    },
    "service": {"type": "LoadBalancer", "port": 8080, "annotations": {"example.com/name": "errata"}},
    "ingress": {
        "enabled": True,
        "className": "nginx",
        "annotations": {"a/b": "c"},
        "tlsSecret": "certificate",
    },
}


def values() -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load((CHART / "values.yaml").read_text())
    return found


def test_the_chart_has_the_version_of_the_program() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    assert chart["appVersion"] == __version__
    assert chart["version"] == re.sub(r"(?=[abr])", "-", __version__, count=1)
    assert chart["kubeVersion"] == f">={KUBERNETES[0]}.0-0"


def test_the_image_runs_as_the_user_of_the_dockerfile() -> None:
    assert f"{values()['podSecurityContext']['runAsUser']}" == instruction("server", "USER")


def test_the_schema_has_every_value_and_wants_those_without_a_default() -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    jsonschema.Draft7Validator.check_schema(schema)
    validator = jsonschema.Draft7Validator(schema)
    assert set(values()) == set(schema["properties"]) - {"global"}
    for name, value in values().items():
        assert schema["properties"][name]["type"] != "object" or isinstance(value, dict)
        inner = schema["properties"][name].get("properties")
        if inner is not None:
            assert set(value) == set(inner)
    wanted = sorted(".".join(map(str, error.path)) for error in validator.iter_errors(values()))
    assert wanted == ["baseUrl", "existingSecret", "image.repository"]
    validator.validate({**values(), **NEEDED})
    validator.validate(EVERYTHING)


@each(
    "wrong",
    [
        {"imagee": {}},
        {"baseUrl": "https://errata.example.com/"},
        {"settings": {"ERRATA_SECRET": "in plain sight"}},
        {"settings": {"ERRATA_WAREHOUSE_URL": "http://user:password@host"}},
        {"settings": {"ERRATA_MAIL_PASSWORD": "in plain sight"}},
        {"settings": {"ERRATA_LOG_REQUESTS": True}},
        {"settings": {"PATH": "/bin"}},
        {"web": {"replicas": 0}},
        {"web": {"readiness": "always"}},
        {"cluster": "two words"},
    ],
    ids=str,
)
def test_wrong_values_are_refused_by_the_schema(wrong: dict[str, Any]) -> None:
    schema = json.loads((CHART / "values.schema.json").read_text())
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft7Validator(schema).validate({**NEEDED, **wrong})


def test_probes_ask_for_a_file_that_is_there() -> None:
    asked = set(re.findall(r"path: (/\S+),", (CHART / "templates" / "web.yaml").read_text()))
    assert asked == {"/static/icon.svg", "/api/health"}
    assert (ROOT / "dashboards" / "static" / "icon.svg").exists()
