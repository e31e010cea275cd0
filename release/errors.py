"""Why a version isn't released."""


class ReleaseRefused(Exception):
    """Names each problem on a line of its own."""

    def __init__(self, *problems: str) -> None:
        self.problems = problems
        super().__init__("\n".join(problems))
