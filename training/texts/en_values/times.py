"""Dates, times of day and durations in the forms that texts write them in."""

import random

from training.texts.en_values.compose import code, decimal, listed, mix, shape, whole
from training.texts.template import Draw, words

_month = words("January February March April May June July August September October November December")
_short_month = words("Jan Feb Mar Apr May Jun Jul Aug Sep Sept Oct Nov Dec Jan. Feb. Aug. Sept. Oct. Nov. Dec.")
_weekday = words("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
_short_day = words("Mon Tue Wed Thu Fri Sat Sun")
_season = words("spring summer autumn fall winter")
_day = whole(1, 28)
_year = mix(whole(1990, 2027), whole(1990, 2027), whole(1995, 2026), whole(1850, 2040))


def _two(low: int, high: int) -> Draw:
    """A number of two digits."""
    return lambda rng: f"{rng.randint(low, high):02d}"


def _ordinal(rng: random.Random) -> str:
    """A day of the month with its ordinal ending."""
    day = rng.randint(1, 31)
    ending = "th" if 11 <= day <= 13 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return f"{day}{ending}"


_parts = {
    "m": _month,
    "s": _short_month,
    "d": _day,
    "y": _year,
    "w": _weekday,
    "x": _short_day,
    "o": _ordinal,
    "a": _two(1, 12),
    "b": _two(1, 28),
    "c": whole(1, 12),
    "e": _two(0, 26),
    "n": _season,
}
date_full = shape(
    """<d> <m> <y>; <m> <d>, <y>; <m> <d>, <y>; <y>-<a>-<b>; <c>/<d>/<y>; <a>/<b>/<y>; <d>.<c>.<y>; <b>.<a>.<y>
        <o> <m> <y>; <m> <o>, <y>; <s> <d>, <y>; <d> <s> <y>; <d>-<s>-<y>; <w>, <m> <d>, <y>; <w> <d> <m> <y>
        the <o> of <m>, <y>; <b>/<a>/<e>; <x>, <d> <s> <y>; <y>/<a>/<b>; <y><a><b>; <c>-<d>-<e>; <m> <d> <y>
        <w>, <d> <m> <y>; <b>-<a>-<y>""",
    **_parts,
)
date_year = mix(
    _year,
    _year,
    _year,
    shape(
        "the <d>; <d>; late <d>; the early <d>; FY<y>; <y>/<e>; the year <y>",
        d=code("19%0s; 2010s; the %0s"),
        **{k: _parts[k] for k in "ye"},
    ),
    whole(1066, 1899),
)
_count = words("two three four five six ten 2 3 4 6 20")
_unit = words("days weeks months years")
date_relative = mix(
    listed("""yesterday; today; tomorrow; last week; next week; this week; last month; next month; last year
        this year; next year; tonight; this morning; yesterday evening; tomorrow morning; the day after tomorrow
        the day before yesterday; this weekend; last night; last weekend; a week ago; a month ago; a year ago
        this quarter; next quarter; last quarter; recently; now; earlier this year; later this month
        the previous day; the following year; a decade ago; last century; end of the month; the same day
        at present; Yesterday; Today; Tomorrow; Last week; Last year; tmrw; currently; the past few weeks
        the next two days; early next year"""),
    shape(
        """last <w>; next <w>; this <w>; <w>; <w>; last <m>; next <m>; this <n>; last <n>; next <n>
        <c> <u> ago; <c> <u> later; in <c> <u>; <c> <u> from now; the past <c> <u>; the last <c> <u>
        <w> morning; <w> night; <w> evening; <w> afternoon; early <m>; <c> <u> earlier; every <w>
        the first <w> of <m>; within <c> <u>; coming <w>; mid-<m>; next <w> morning""",
        c=_count,
        u=_unit,
        w=_weekday,
        m=_month,
        n=_season,
    ),
)
_date_part = shape(
    """<m> <y>; <m> <y>; <m> <d>; <d> <m>; <m> <o>; <m>; <w>; the <o>; <s> <d>; <n> <y>; <n> of <y>; Q<q> <y>
        <y>-<a>; <a>/<y>; <c>/<d>; early <y>; late <y>; mid-<y>; end of <y>; the <o> of <m>; <w>, <m> <d>
        <w> the <o>; Q<q>; the <h> quarter of <y>; <s> <y>; H1 <y>; the <r> century; <m>-<m> <y>; <m> to <m> <y>
        <y>-<z>; between <y> and <z>; from <m> <d> to <m> <o>; 10-<b> <m>; FY <y>; <x> <d> <s>
        from <y> to <z>; Christmas <y>; <y> season; <m> <d> - <d>; week of <m> <d>; the morning of <m> <d>""",
    q=whole(1, 4),
    h=words("first second third fourth"),
    r=words("17th 18th 19th 20th 21st"),
    z=whole(2005, 2030),
    **_parts,
)
date = mix(date_full, date_full, _date_part, _date_part, date_relative, date_year)
_birth_parts = {**_parts, "y": whole(1932, 2015)}
birth_date = mix(
    *[
        shape(
            """<d> <m> <y>; <m> <d>, <y>; <y>-<a>-<b>; <a>/<b>/<y>; <b>.<a>.<y>; <b>/<a>/<y>; <s> <d>, <y>
        <m> <o>, <y>; <d> <s> <y>; <c>/<d>/<y>; <d>-<s>-<y>; <y><a><b>""",
            **_birth_parts,
        )
    ]
    * 3,
    shape("<y>; <m> <y>; <m> <d>; <s> <y>; <o> <m>; <y>-<a>", **_birth_parts),
)
_minute = words("00 00 15 30 30 45 05 10 20 40 50 55 12 27 38 49")
_clock = {
    "h": whole(1, 12),
    "k": whole(1, 11),
    "H": _two(0, 23),
    "i": _minute,
    "j": _minute,
    "S": _two(0, 59),
    "p": words("am pm AM PM a.m. p.m."),
    "w": words("six seven eight nine ten eleven three four five"),
    "z": words("GMT EST PST UTC CET ET BST JST IST CEST EDT"),
    "n": words("morning afternoon evening"),
}
time = mix(
    *[
        shape(
            """<h>:<i> <p>; <h>:<i><p>; <h> <p>; <h><p>; <H>:<i>; <H>:<i>; <H>:<i>:<S>; <h> o'clock; <w> o'clock
        <h>.<i> <p>; <h>:<i>; <h>:<i> <p> <z>; <H>:<i> <z>; half past <w>; quarter to <w>; quarter past <w>
        <h> <p> to <k> <p>; <H>:<i>-<H>:<j>; <h><p>-<k><p>; <h>:<i> - <k>:<j> <p>; <H>h<i>; <H><i> hours
        around <h> <p>; <h> in the <n>; <w> in the <n>; ten to <w>; <H>:<i> to <H>:<j>""",
            **_clock,
        )
    ]
    * 6,
    listed("""noon; midnight; midday; dawn; dusk; sunset; sunrise; early morning; lunchtime; late afternoon; tonight
        this evening; morning; evening; 7ish; the crack of dawn; rush hour; bedtime; the middle of the night
        afternoon; sundown; 24 hours; closing time"""),
)
_spans = words(
    "seconds minutes hours days weeks months years months years hours days quarters semesters decades nights"
)
duration = mix(
    shape(
        """<n> <s>; <n> <s>; <n> <s>; <w> <s>; <w> <s>; <n> hours and <m> minutes; <k>h <m>m; <m> min; <n> hrs
        <d> hours; <d> years; <k>-<v> <s>; <k> to <v> <s>; a <v>-year; <n>-month; <n>-year
        <k> years and <v> months; <n> business days; <n> working days; half an hour; more than <w> <s>
        nearly <w> <s>; less than <n> <s>; <m> mins; an hour and a half; <w> and a half <s>; <w> (<n>) <s>
        <n> calendar days; a <c> of weeks; several <s>; a few <s>; <k>:<m>:<m>; <m>s; <n>ms; <w> full <s>
        the next <n> <s>; over <n> <s>; <n>yrs; <n> days""",
        n=whole(2, 60),
        s=_spans,
        w=words("two three four five six seven eight nine ten twelve fifteen eighteen twenty thirty"),
        m=whole(10, 59),
        k=whole(1, 4),
        v=whole(5, 11),
        d=decimal(1, 9),
        c=words("couple matter"),
    ),
    listed("""a year; a month; a week; an hour; a decade; a whole day; all day; overnight; the whole summer
        half a year; a fortnight; one year; the entire season; one week; a century; six-month; all week
        a long time; lifetime; half a day; a day and a half; all night"""),
)
VALUES: dict[str, Draw] = {
    "date": date,
    "date_full": date_full,
    "date_relative": date_relative,
    "date_year": date_year,
    "birth_date": birth_date,
    "time": time,
    "duration": duration,
}
