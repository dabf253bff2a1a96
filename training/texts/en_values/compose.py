"""Ways to put values together: from lists, from shapes with parts, from codes, from coined words."""

import random
import re

from training.texts.template import Draw, one_of

_PART = re.compile(r"<(\w+)>")
_STARTS = "Al Ar Av Bel Bri Cal Cor Cy Del Dex El Ex Fen Flo Gal Hal Hel In Jun Kal Ken Lum Lyn Mar Mer Mon Nex Nor"
_STARTS += " Nov Om Or Pal Per Quan Ra Ri Sal Sol Syn Tal Tel Tor Tri Ul Va Ver Vi Wel Xen Yor Zan Zen Zy"
_MIDDLES = [
    "a",
    "e",
    "i",
    "o",
    "u",
    "al",
    "an",
    "ar",
    "el",
    "en",
    "er",
    "i",
    "in",
    "ir",
    "ol",
    "on",
    "or",
    "ta",
    "te",
    "ti",
    "to",
    "va",
    "ve",
    "vi",
]
_ENDS = "bia cor da dia dor dyne gen go ia ic ion ix la len lis lux ma mira na nex nia no on ora ra ria ro ta tech"
_ENDS += " tek tra va via vo wen x ya yx za zen"


def listed(values: str) -> Draw:
    """Draws one of the values evenly; values are parted by semicolons and by lines."""
    return one_of(*(value.strip() for value in values.replace("\n", ";").split(";") if value.strip()))


def mix(*draws: Draw) -> Draw:
    """Draws from one of the draws, chosen evenly; a draw that is named twice is chosen twice as often."""
    return lambda rng: rng.choice(draws)(rng)


def shape(patterns: str, **parts: Draw) -> Draw:
    """Draws one of the patterns, parted by semicolons and by lines, and a value for every <part> in it."""
    pick = listed(patterns)
    return lambda rng: _PART.sub(lambda part: parts[part[1]](rng), pick(rng))


def whole(low: int, high: int, step: int = 1) -> Draw:
    """Draws a whole number from low to high, both included."""
    return lambda rng: str(rng.randrange(low, high + 1, step))


def grouped(low: int, high: int, step: int = 1) -> Draw:
    """Draws a whole number written with commas between thousands."""
    return lambda rng: f"{rng.randrange(low, high + 1, step):,}"


def decimal(low: float, high: float, places: int = 1) -> Draw:
    """Draws a number with the given count of decimal places."""
    return lambda rng: f"{rng.uniform(low, high):.{places}f}"


def code(patterns: str) -> Draw:
    """Draws one of the patterns: # is a digit, % a digit from 1, @ a capital, ~ a small letter, ^ a hex digit."""
    sets = {
        "#": "0123456789",
        "%": "123456789",
        "@": "ABCDEFGHJKLMNPQRSTUVWXYZ",
        "~": "abcdefghijklmnopqrstuvwxyz",
        "^": "0123456789abcdef",
    }
    pick = listed(patterns)
    return lambda rng: "".join(rng.choice(sets.get(sign, sign)) for sign in pick(rng))


def coined(rng: random.Random) -> str:
    """A coined name of one word, such as Novadyne."""
    middle = rng.choice(_MIDDLES) if rng.random() < 0.5 else ""
    return rng.choice(_STARTS.split()) + middle + rng.choice(_ENDS.split())


def lowered(draw: Draw) -> Draw:
    """Draws the value in small letters."""
    return lambda rng: draw(rng).lower()


def capitalised(draw: Draw) -> Draw:
    """Draws the value with its first letter as a capital."""

    def capital(rng: random.Random) -> str:
        value = draw(rng)
        return value[:1].upper() + value[1:]

    return capital


def joined(draw: Draw, least: int, most: int, between: str = ", ") -> Draw:
    """Draws several different values written one after the other."""

    def several(rng: random.Random) -> str:
        values = dict.fromkeys(draw(rng) for _ in range(rng.randint(least, most)))
        return between.join(values)

    return several
