"""A call that cannot be interrupted, made interruptible: it runs in a thread of its own while the caller
waits.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

from engine.errors import Cancelled

T = TypeVar("T")


def run(call: Callable[[], T], stop: threading.Event, tick: Callable[[], None], seconds: float = 0.1) -> T:
    """The result of `call`, with `tick` called every `seconds` meanwhile.

    Raises:
        Cancelled: `stop` was set. The thread is left behind and ends when its call does.
    """
    results: list[T] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(call())
        except BaseException as error:  # handed to the caller, whatever it is
            errors.append(error)

    thread = threading.Thread(target=work, name="fetch", daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(seconds)
        if stop.is_set():
            raise Cancelled
        tick()
    if errors:
        raise errors[0]
    return results[0]
