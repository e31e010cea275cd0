"""Names by which people know files and scripts."""


def file_name(url: str) -> str:
    """The end of a URL."""
    path = url.partition("://")[2].partition("/")[2] if "://" in url else url.lstrip("/")
    return path.rstrip("/").rpartition("/")[2] if "." in path.rpartition("/")[2] else f"/{path}"


def script_name(invoker: str, function: str, file: str) -> str:
    """What ran: its function and what called it; of a script that was just loaded, its file."""
    where = file_name(file) if file else ""
    if not invoker or invoker.partition("?")[0] == file:
        return where or function or "unknown script"
    return invoker if not where else f"{invoker} in {where}"
