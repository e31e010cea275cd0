"""A bill of materials of a distribution, as CycloneDX 1.6: what an installation has, with locked hashes."""

import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from release.distributions import Distribution
from release.environment import OURS, Installed
from release.locked import Locked

# Of the server; `dev` is for who changes it.
EXTRAS = {
    "errata-server": ("geo", "pdf", "postgres", "s3", "sourcemaps"),
    "errata-shipper": ("otlp",),
    "errata-wire": ("otlp", "zstd"),
}
LICENSE_CLASSIFIER = "License :: OSI Approved :: "
Components = Mapping[str, Installed]


def bill_of_materials(
    distribution: Distribution, version: str, chosen: Iterable[Installed], locked: Locked, created: str
) -> dict[str, Any]:
    """`chosen`: everything that pip would install with all extras; what only extras bring is optional."""
    components = {_normalized(one.name): one for one in chosen}
    own = components.pop(distribution.name)
    required = set(_reached(own, components, ()))
    reached = sorted(set(_reached(own, components, EXTRAS.get(distribution.name, ()))))
    everything = {**components, distribution.name: own}
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, f'{_reference(own)}#{own.sha256}')}",
        "version": 1,
        "metadata": {
            "timestamp": created,
            "component": _component(own, locked),
            "properties": [{"name": "errata:python", "value": "{}.{}".format(*sys.version_info)}],
        },
        "components": [
            _component(components[name], locked) | {"scope": "required" if name in required else "optional"}
            for name in reached
        ],
        "dependencies": [
            {"ref": _reference(everything[name]), "dependsOn": sorted(_references(name, everything))}
            for name in sorted([distribution.name, *reached])
        ],
    }


def text_of(bill: dict[str, Any]) -> str:
    return json.dumps(bill, indent=1, sort_keys=True) + "\n"


def _component(one: Installed, locked: Locked) -> dict[str, Any]:
    hashes = (one.sha256,) if one.name in OURS else locked.hashes_of(one.name, one.version)
    found: dict[str, Any] = {
        "type": "application" if one.name in {"errata-server", "errata-shipper"} else "library",
        "bom-ref": _reference(one),
        "name": one.name,
        "version": one.version,
        "purl": _reference(one),
        "hashes": [{"alg": "SHA-256", "content": sha256} for sha256 in hashes],
    }
    licenses = _licenses(one.metadata)
    return found | ({"licenses": licenses} if licenses else {})


def _licenses(metadata: Mapping[str, Any]) -> list[dict[str, Any]]:
    """By the expression, else by classifiers, else by a field that some fill with a whole text."""
    if expression := metadata.get("license_expression"):
        return [{"expression": expression}]
    classifiers = metadata.get("classifier", ())
    names = {
        one.removeprefix(LICENSE_CLASSIFIER) for one in classifiers if one.startswith(LICENSE_CLASSIFIER)
    }
    first_line = (metadata.get("license") or "").strip().partition("\n")[0]
    return [{"license": {"name": name}} for name in sorted(names or {first_line} - {""})]


def _references(name: str, everything: Components) -> set[str]:
    extras = EXTRAS.get(name, ())
    return {_reference(everything[one]) for one in _needed(everything[name], extras) if one in everything}


def _reached(own: Installed, components: Components, extras: tuple[str, ...]) -> Iterator[str]:
    """Names of what an installation with these extras needs, directly or not."""
    waiting, seen = [(own, extras)], set[tuple[str, tuple[str, ...]]]()
    while waiting:
        one, wanted = waiting.pop()
        for name, its_extras in _needed(one, wanted).items():
            if name in components and (name, its_extras) not in seen:
                seen.add((name, its_extras))
                waiting.append((components[name], its_extras))
                yield name


def _needed(installed: Installed, extras: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    found = dict[str, tuple[str, ...]]()
    for needed in map(Requirement, installed.metadata.get("requires_dist", ())):
        if needed.marker is None or any(needed.marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            name = _normalized(needed.name)
            found[name] = tuple(sorted({*found.get(name, ()), *needed.extras}))
    return found


def _normalized(name: str) -> str:
    return str(canonicalize_name(name))


def _reference(one: Installed) -> str:
    return f"pkg:pypi/{_normalized(one.name)}@{one.version}"
