"""A program of `.venv-chart`: the chart with values from stdin, rendered and judged, as JSON.

`lint`: Helm's findings. `manifests`: what Helm renders. `invalid`: what the schemas of Kubernetes say of
them, for each version among the arguments. `refused`: why Helm renders nothing.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import helm_python
import kubernetes_validate
import yaml

CHART = Path(__file__).parents[1] / "charts" / "errata"
RELEASE, NAMESPACE = "shop", "monitoring"


def main() -> None:
    values = json.load(sys.stdin)
    found: dict[str, Any] = {"helm": helm_python.helm_sdk_version()}
    found["lint"] = helm_python.lint(CHART, values, strict=True)["messages"]
    try:
        with helm_python.Chart.load(CHART) as chart:
            chart.validate_schema(values)
            texts = chart.render(values, name=RELEASE, namespace=NAMESPACE)
    except helm_python.HelmError as error:
        found["refused"] = str(error)
    else:
        found["manifests"] = list(_manifests(texts))
        found["notes"] = next(text for name, text in texts.items() if name.endswith("NOTES.txt"))
        found["invalid"] = [
            said
            for manifest in found["manifests"]
            for version in sys.argv[1:]
            for said in _problems(manifest, version)
        ]
    json.dump(found, sys.stdout)


def _manifests(texts: dict[str, str]) -> Iterator[dict[str, Any]]:
    for name, text in texts.items():
        if name.endswith(".yaml"):
            yield from filter(None, yaml.safe_load_all(text))


def _problems(manifest: dict[str, Any], version: str) -> Iterator[str]:
    try:
        kubernetes_validate.validate(manifest, version, strict=True)
    except kubernetes_validate.ValidationError as error:
        yield f"{manifest['kind']} by {version}: {'.'.join(map(str, error.path))}: {error.message}"


if __name__ == "__main__":
    main()
