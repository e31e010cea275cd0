"""CycloneDX's own schema of a bill of materials."""

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

from release.errors import ReleaseRefused


def refuse_invalid(name: str, text: str) -> None:
    if error := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        raise ReleaseRefused(f"{name} isn't valid CycloneDX: {error}")
