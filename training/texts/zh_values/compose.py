"""Draws put together from other draws."""

import random

from training.texts.template import Draw, one_of


def listed(values: str) -> Draw:
    """Draws one of the values evenly: parted by white space; an underscore in a value stands for a blank."""
    return one_of(*(one.replace("_", " ") for one in values.split()))


def joined(*parts: Draw | str) -> Draw:
    """Draws every part and writes them one after the other; a string stands for itself."""
    return lambda rng: "".join(part if isinstance(part, str) else part(rng) for part in parts)


def mixed(*shares: tuple[int, Draw]) -> Draw:
    """Draws from one of the draws, chosen by its share."""
    weights, draws = [share for share, _ in shares], [draw for _, draw in shares]
    return lambda rng: rng.choices(draws, weights)[0](rng)


def either(*draws: Draw) -> Draw:
    """Draws from one of the draws, chosen evenly."""
    return lambda rng: rng.choice(draws)(rng)


def sometimes(share: float, draw: Draw) -> Draw:
    """Draws a value in this share of the cases, else the empty string."""
    return lambda rng: draw(rng) if rng.random() < share else ""


def between(low: int, high: int, step: int = 1, form: str = "") -> Draw:
    """Draws a whole number from low to high, written in the format `form`: "02d", ","."""
    return lambda rng: format(rng.randrange(low, high + 1, step), form)


def decimal(low: float, high: float, places: int = 1) -> Draw:
    """Draws a number from low to high with this many places."""
    return lambda rng: f"{rng.uniform(low, high):.{places}f}"


def characters(alphabet: str, count: int) -> Draw:
    """Draws this many characters of the alphabet."""
    return lambda rng: "".join(rng.choices(alphabet, k=count))


def digits(count: int) -> Draw:
    """Draws this many digits."""
    return characters("0123456789", count)


def letters(count: int) -> Draw:
    """Draws this many capital letters."""
    return characters("ABCDEFGHJKLMNPQRSTUVWXYZ", count)


def several(draw: Draw, low: int, high: int, separator: str) -> Draw:
    """Draws a value low to high times, parted by the separator."""

    def drawn(rng: random.Random) -> str:
        return separator.join(draw(rng) for _ in range(rng.randint(low, high)))

    return drawn
