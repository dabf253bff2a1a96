"""The one kind of error a user is meant to see: a code, one plain sentence, and what to do next.

Anything else that escapes is a fault of ours: callers turn it into `internal` and log the traceback.
"""

from engine.messages import ERRORS, render


class WorkbenchError(Exception):
    """An error with a code of `engine.messages.ERRORS`; `details` fill the sentence and the hint."""

    def __init__(self, code: str, **details: object) -> None:
        self.code = code
        self.details = details
        sentence, hint = ERRORS[code]
        self.message = render(sentence, details)
        self.hint = render(hint, details)
        super().__init__(f"{self.message} {self.hint}")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by code and details, so that the error survives a process border."""
        return (_rebuild, (self.code, self.details))


def _rebuild(code: str, details: dict[str, object]) -> WorkbenchError:
    return WorkbenchError(code, **details)


class Cancelled(WorkbenchError):  # noqa: N818 - a stop is not an error
    """The user stopped the run; not a failure."""

    def __init__(self) -> None:
        super().__init__("cancelled")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle as itself."""
        return (Cancelled, ())
