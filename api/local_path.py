"""The target of a sign-in: a page of this service and nothing else."""

from urllib.parse import urlsplit


def local_path(path: str) -> str:
    """The path if it is one of ours, else the first page."""
    parts = urlsplit(path.replace("\\", "/"))
    is_local = (
        path.startswith("/")
        and not path.startswith(("//", "/\\"))
        and not parts.netloc
        and path.isprintable()
    )
    return path if is_local else "/"
