"""What becomes of an error that ends a piece of work: a sentence for the user, and nothing that keeps memory."""

from engine.errors import WorkbenchError


def as_workbench_error(error: BaseException) -> WorkbenchError:
    """The error as a user may read it."""
    if isinstance(error, WorkbenchError):
        return error
    said = str(error).lower()
    memory = isinstance(error, MemoryError) or "out of memory" in said or "can't allocate memory" in said
    return WorkbenchError("out_of_memory") if memory else WorkbenchError("internal", kind=type(error).__name__)


def forget_frames(error: BaseException) -> None:
    """Cut an error that is kept loose from the frames it passed through: their variables hold the model."""
    seen: list[BaseException] = []
    ahead: list[BaseException | None] = [error]
    while ahead:
        one = ahead.pop()
        if one is not None and one not in seen:
            seen.append(one)
            one.__traceback__ = None
            ahead += [one.__context__, one.__cause__]
