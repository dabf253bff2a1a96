"""The sidebar's chip: what this process holds now, its peak, and how much of the limit or of the machine that is.

Where torch uses a GPU there is a line for it. It looks at the monitor's newest sample and measures nothing itself.
"""

from html import escape

from engine.model.memory import human_bytes
from engine.observe.types import Missing, Sample
from ui.engine import workbench
from ui.i18n import t

_FULL, _HIGH = 0.9, 0.75
"""Shares from which on the bar warns."""
_STYLE = """<style>
.wb-chip{padding:.5rem .7rem .6rem;border-radius:.5rem;font-size:.8125rem;line-height:1.4;
  background:color-mix(in srgb,currentColor 6%,transparent);font-variant-numeric:tabular-nums}
.wb-chip>div{display:flex;justify-content:space-between;gap:.6rem;align-items:baseline}
.wb-chip>div+div{margin-top:.5rem}
.wb-chip b{font-size:1rem;font-weight:600}
.wb-chip small{opacity:.75;font-size:.75rem}
.wb-chip i{display:block;height:.3rem;margin:.3rem 0 .2rem;border-radius:.15rem;overflow:hidden;
  background:color-mix(in srgb,currentColor 14%,transparent)}
.wb-chip i>i{margin:0;background:#0d9488;min-width:3px}
.wb-chip .wb-high>i{background:#d97706}
.wb-chip .wb-full>i{background:#dc2626}
</style>"""


def memory_chip() -> str:
    """The chip's markup."""
    monitor, limit = workbench().monitor, workbench().settings.max_memory
    samples = monitor.samples(_newest())
    info = workbench().state().info
    estimate = t("model.estimated", size=human_bytes(info.memory)) if info is not None and info.memory else ""
    return chip_html(samples[-1] if samples else monitor.now(), limit, estimate)


def _newest() -> float:
    """Seconds within which there is a sample."""
    return 2 * workbench().settings.sample_seconds


def chip_html(sample: Sample, limit: int | None, estimate: str = "") -> str:
    """A line for the process, and one for each GPU whose memory is known.

    limit: of the GPU where there is one. estimate: what is said of the model's size on hover.
    """
    gpus = [gpu for gpu in sample.gpus if not isinstance(gpu.reserved, Missing) and not isinstance(gpu.total, Missing)]
    own_limit = None if gpus else limit
    total = own_limit or sample.system_total
    of = "budget" if own_limit else "machine"
    peak = t("chip.peak", size=human_bytes(sample.peak))
    lines = [_line(t("chip.title"), sample.rss, total, of, peak)]
    for gpu in gpus:
        reserved, all_of_it = gpu.reserved, gpu.total
        if isinstance(reserved, int) and isinstance(all_of_it, int):
            of = "budget" if limit else "gpu"
            lines.append(_line(f"GPU {gpu.index}", reserved, limit or all_of_it, of, ""))
    title = f' title="{escape(estimate)}"' if estimate else ""
    return f'{_STYLE}<div class="wb-chip" data-testid="memory-chip"{title}>{"".join(lines)}</div>'


def _line(name: str, held: int, total: int, of: str, beside: str) -> str:
    share = held / total if total else 0.0
    level = "wb-full" if share >= _FULL else "wb-high" if share >= _HIGH else ""
    said = t(f"chip.of_{of}", share=f"{share:.0%}", limit=human_bytes(total))
    small = f"<small>{escape(beside)}</small>" if beside else ""
    return (
        f"<div><span>{escape(name)} <b>{human_bytes(held)}</b></span>{small}</div>"
        f'<i class="{level}" role="meter" aria-label="{escape(name)}" aria-valuemin="0" aria-valuemax="100" '
        f'aria-valuenow="{min(100, round(share * 100))}" aria-valuetext="{escape(said)}">'
        f'<i style="width:{min(1.0, share):.1%}"></i></i><small>{escape(said)}</small>'
    )
