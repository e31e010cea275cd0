"""What the modules of a mart that Python makes say, and which questions they ask."""

import re

from errata.warehouse import sql
from errata.warehouse.python_marts import PythonMart, path_of


def text_of(made: PythonMart) -> str:
    return "".join(path_of(module).read_text() for module in (made.module, *made.aided_by))


def questions_of(made: PythonMart) -> set[str]:
    return set(sql.queries()).intersection(re.findall(r'"(\w+)"', text_of(made)))
