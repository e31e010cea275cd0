"""A file of a secret store that holds one key."""

from pathlib import Path

_LONGEST_BYTES = 4096


class SecretFileProblem(ValueError):
    """What is wrong with the file, with its remedy; never what it holds."""


def key_in(path: Path) -> str:
    """The key without the newline that may end it; its form is checked by the caller."""
    try:
        with path.open("rb") as file:
            content = file.read(_LONGEST_BYTES + 1)
    except FileNotFoundError as error:
        raise SecretFileProblem(
            f"{path} doesn't exist; use the path of a file that contains only the key"
        ) from error
    except OSError as error:
        remedy = "give the shipper's user read access to it"
        raise SecretFileProblem(f"{path} can't be read ({error.strerror}); {remedy}") from error
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        raise SecretFileProblem(f"{path} is not text; it must contain only the key") from error
    if len(content) > _LONGEST_BYTES:
        raise SecretFileProblem(f"{path} is too long for a key; it must contain only the key")
    key = text.removesuffix("\n").removesuffix("\r")
    if not key:
        raise SecretFileProblem(f"{path} is empty; it must contain the key")
    return key
