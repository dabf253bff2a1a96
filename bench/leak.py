"""When does a planted leak raise the alarm, and does a clean run raise none?

    python -m bench.leak [--model offline] [--mib 1] [--rate 3] [--seconds 75] [--clean 500] [--clean-rate 6]

The requests of `bench.soak`, each different, are asked at a steady rate. First a clean run of `clean` requests, then,
in the same process after another load, tensors of `mib` MiB are kept for every request. Every piece of advice is
printed with the second it was first given. Exits with 1 where the clean run raised the alarm, or the leak did not
within 60 seconds. It measures no speed.
"""

import argparse
import sys
import time
from typing import Any

from bench.soak import requests
from engine.run.batch import Request
from engine.run.workbench import Workbench
from engine.settings import load_settings
from engine.types import ClassifyRequest

ALARMS = {"advice_leak", "advice_growth"}
SOON = 60.0


def run(workbench: Workbench, asked: list[Request], rate: float, mib: float) -> float | None:
    """Ask, keep tensors, and look for advice every second; when the alarm came, in seconds."""
    import torch

    workbench.unload().result()
    workbench.load().result()
    kept: list[Any] = []
    said: dict[str, float] = {}
    began = looked = time.perf_counter()
    for number, request in enumerate(asked):
        ticket = workbench.classify(request) if isinstance(request, ClassifyRequest) else workbench.extract(request)
        ticket.result()
        if mib:
            kept.append(torch.ones(int(mib * 2**18)))  # zeros would take no memory before they are written to
        passed = time.perf_counter() - began
        if time.perf_counter() - looked >= 1:
            looked = time.perf_counter()
            for note in workbench.monitor.advice():
                if note.code not in said:
                    said[note.code] = passed
                    print(f"  {passed:5.1f} s, request {number + 1}: {note.text}", flush=True)
        time.sleep(max(0.0, (number + 1) / rate - passed))
    rss = [one.rss / 2**20 for one in workbench.monitor.samples(time.perf_counter() - began)]
    print(f"  {time.perf_counter() - began:.0f} s, {rss[0]:.0f} to {rss[-1]:.0f} MiB, at most {max(rss):.0f} MiB")
    return min((when for code, when in said.items() if code in ALARMS), default=None)


def main() -> int:
    """Both runs; 0 where both went as they should."""
    options = argparse.ArgumentParser()
    options.add_argument("--model", default="offline")
    options.add_argument("--mib", type=float, default=1.0)
    options.add_argument("--rate", type=float, default=3.0)
    options.add_argument("--seconds", type=float, default=75.0)
    options.add_argument("--clean", type=int, default=500)
    options.add_argument("--clean-rate", type=float, default=6.0)
    given = options.parse_args()
    asked = list(requests(given.clean + int(given.seconds * given.rate)))
    workbench = Workbench(load_settings(model=given.model))
    print(f"clean: {given.clean} requests, {given.clean_rate:g} a second")
    clean = run(workbench, asked[: given.clean], given.clean_rate, 0)
    print(f"leak: {given.mib:g} MiB kept for every request, {given.rate:g} requests a second")
    leak = run(workbench, asked[given.clean :], given.rate, given.mib)
    workbench.close()
    for name, when in (("clean run", clean), ("leak", leak)):
        print(f"{name}: {'no alarm' if when is None else f'alarm after {when:.0f} s'}")
    return 0 if clean is None and leak is not None and leak <= SOON else 1


if __name__ == "__main__":
    sys.exit(main())
