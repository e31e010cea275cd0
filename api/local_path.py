"""Where a sign-in leads: to a page of this service and nowhere else."""

from urllib.parse import urlsplit


def local_path(path: str) -> str:
    """The path where it leads to a page of ours, else the first page."""
    parts = urlsplit(path.replace("\\", "/"))
    is_local = (
        path.startswith("/")
        and not path.startswith(("//", "/\\"))
        and not parts.netloc
        and path.isprintable()
    )
    return path if is_local else "/"
