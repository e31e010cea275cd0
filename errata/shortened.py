"""Text that has to fit."""


def shortened(text: str, longest: int) -> str:
    """The text, at most so long: an ellipsis stands for what does not fit."""
    return text if len(text) <= longest else f"{text[: max(0, longest - 1)]}…"
