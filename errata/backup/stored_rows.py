"""How many rows the engine's copy of a database has, by table: from the counts that it keeps with each part.

The engine's index of a copy names every file with its checksum. A content that is also in the base, or twice
in the copy, is stored once: a count in any file that says the same, such as "0" of a part without rows.
"""

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from errata.backup.place import BackupPlace

INDEX = ".backup"


def stored_rows(place: BackupPlace, chain: Sequence[str], section: str) -> Counter[str]:
    """`chain`: a backup and its bases, newest first. Tables without rows are left out."""
    rows: Counter[str] = Counter()
    counts: list[tuple[str, str]] = []
    contents: dict[str, int] = {}
    for name in chain:
        (index,) = place.local_files(name, [f"{section}/{INDEX}"])
        files = _files(index)
        if name == chain[0]:
            counts = [(table, checksum) for path, checksum, _ in files if (table := _counted(path))]
        missing = {checksum for _, checksum in counts} - contents.keys()
        stored = {checksum: file for _, checksum, file in files if file and checksum in missing}
        local = place.local_files(name, [f"{section}/{file}" for file in stored.values()])
        contents |= {checksum: int(path.read_text()) for checksum, path in zip(stored, local, strict=True)}
    for table, checksum in counts:
        rows[table] += contents[checksum]
    return rows


def _counted(path: str) -> str:
    """The table whose part's rows a file counts."""
    parts = path.split("/")
    is_count = len(parts) == 5 and parts[0] == "data" and parts[4] == "count.txt"
    return f"{parts[1]}.{parts[2]}" if is_count else ""


def _files(index: Path) -> list[tuple[str, str, str]]:
    """Path and checksum of each file, and where it is stored, if it is not in the base."""
    found = []
    for file in ElementTree.parse(index).iterfind("./contents/file"):
        path = file.findtext("name") or ""
        is_stored = file.findtext("use_base") != "true"
        stored = (file.findtext("data_file") or path) if is_stored else ""
        found.append((path, file.findtext("checksum") or "", stored))
    return found
