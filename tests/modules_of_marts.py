"""What the modules of a mart that Python makes say."""

from errata.warehouse.python_marts import PythonMart, path_of


def text_of(made: PythonMart) -> str:
    return "".join(path_of(module).read_text() for module in made.modules)
