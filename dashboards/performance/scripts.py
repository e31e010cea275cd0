"""Names by which people know files, scripts and the parts of vitals."""

from errata.performance.causes import Cause

PART_WORDS = {
    Cause.INP: {
        "input_delay_ms": "Input delay",
        "processing_ms": "Processing",
        "presentation_ms": "Presentation",
    },
    Cause.LCP: {
        "ttfb_ms": "TTFB",
        "load_delay_ms": "Load delay",
        "load_duration_ms": "Load time",
        "render_delay_ms": "Render delay",
    },
    Cause.CLS: {},
}

STEPS_SHOWN = 2


def element_name(selector: str) -> str:
    """The end of a selector."""
    return " > ".join(selector.split(" > ")[-STEPS_SHOWN:])


def file_name(url: str) -> str:
    """The end of a URL."""
    path = url.partition("://")[2].partition("/")[2] if "://" in url else url.lstrip("/")
    return path.rstrip("/").rpartition("/")[2] if "." in path.rpartition("/")[2] else f"/{path}"


def frame_name(invoker: str, file: str) -> str:
    """What called the script of a frame; of a script that was just loaded, its file."""
    if invoker and invoker != file:
        return invoker
    return file_name(file) if file else "Unknown script"


def script_name(invoker: str, file: str) -> str:
    """What called a script, and its file."""
    name = frame_name(invoker, file)
    return f"{name} in {file_name(file)}" if file and name == invoker else name
