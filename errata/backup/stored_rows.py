"""How many rows the engine's copy of a database has, by table: from the counts that it keeps with each part.

The engine's index of a copy names every file with its checksum. A file that is also in the base, or twice in
the copy, is stored once.
"""

import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

INDEX = ".backup"


def stored_rows(chain: Sequence[Path]) -> Counter[str]:
    """`chain`: the folders of a copy and its bases, newest first. Tables without rows are left out."""
    rows: Counter[str] = Counter()
    if not chain:
        return rows
    contents: dict[str, int] = {}
    for folder in reversed(chain):
        counts = _counts(folder)
        for _, checksum, file in counts:
            if file is not None:
                contents[checksum] = int((folder / file).read_text())
    for table, checksum, _ in counts:
        rows[table] += contents[checksum]
    return rows


def _counts(folder: Path) -> list[tuple[str, str, str | None]]:
    """Table, checksum and stored file, if it is not in the base, of the row count of each part."""
    found = []
    for file in ElementTree.parse(folder / INDEX).iterfind("./contents/file"):
        parts = (file.findtext("name") or "").split("/")
        if len(parts) == 5 and parts[0] == "data" and parts[4] == "count.txt":
            is_stored = file.findtext("use_base") != "true"
            stored = (file.findtext("data_file") or "/".join(parts)) if is_stored else None
            found.append((f"{parts[1]}.{parts[2]}", file.findtext("checksum") or "", stored))
    return found
