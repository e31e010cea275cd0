"""What the metadata of an archive must say."""

import re
from collections.abc import Iterator

from packaging.requirements import Requirement

from release.archive import Archive
from release.distributions import DISTRIBUTIONS

NAMES = {distribution.name for distribution in DISTRIBUTIONS}
EXPRESSION = "Apache-2.0"
PYTHONS = ("3.11", "3.12", "3.13")
CLASSIFIERS = ("Typing :: Typed", *(f"Programming Language :: Python :: {one}" for one in PYTHONS))
RELATIVE_LINK = re.compile(r"\]\((?!https?:|#)([^)]*)\)")


def metadata_problems(archive: Archive, version: str) -> Iterator[str]:
    fields, name = archive.metadata, archive.path.name
    for field, value in (("Name", archive.distribution.name), ("Version", version)):
        if fields[field] != value:
            yield f"{name} has {field} {fields[field]}, not {value}"
    yield from (f"{name}: {problem}" for problem in _license_problems(archive))
    classifiers = fields.get_all("Classifier", [])
    yield from (f"{name} lacks the classifier {one}" for one in CLASSIFIERS if one not in classifiers)
    for needed in map(Requirement, fields.get_all("Requires-Dist", [])):
        if needed.name in NAMES and str(needed.specifier) != f"=={version}":
            yield f"{name} needs {needed}, not version {version}"
    yield from (f"{name}: {problem}" for problem in _description_problems(archive))


def _license_problems(archive: Archive) -> Iterator[str]:
    fields = archive.metadata
    first = (fields["License-Expression"] or "").split(" AND ")[0]
    if first != EXPRESSION:
        yield f"the license expression begins with {first or 'nothing'}, not {EXPRESSION}"
    listed = fields.get_all("License-File", [])
    yield from (f"no License-File {one}" for one in archive.distribution.licenses if one not in listed)
    held = {path.partition(".dist-info/licenses/")[2] or path for path in archive.files}
    yield from (f"{one} is listed as a license, and isn't there" for one in listed if one not in held)


def _description_problems(archive: Archive) -> Iterator[str]:
    fields = archive.metadata
    text = fields.get_payload(decode=True)
    description = text.decode() if isinstance(text, bytes) else ""
    if not description.strip() or fields["Description-Content-Type"] != "text/markdown":
        yield "no long description as Markdown"
    yield from (
        f"the long description links to {link}, which only the repository has"
        for link in RELATIVE_LINK.findall(description)
    )
