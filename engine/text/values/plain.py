"""A value before it is read: one width, no invisible characters, single blanks. It does not read it."""

import re
import unicodedata

ANY_CASE = re.ASCII | re.IGNORECASE
"""Without ASCII, İ would match i and find no entry in a table of names; and 5元 would be one word."""

LONGEST = 100
"""Characters of a number, an amount, a date or a phone number; a longer text is none of them."""

_RAISED = ("<super>", "<sub>", "<circle>", "<fraction>")


def plain(text: str, longest: int = LONGEST) -> str:
    """NFKC, format characters out, blanks and line ends collapsed; empty where the text is longer than `longest`.

    A raised or circled digit after a digit is set off, for 10² is not 102.

    >>> plain(" １２，５００\\u200b\\u3000元 "), plain("10²"), plain("5m²")
    ('12,500 元', '10^2', '5m2')
    """
    if len(text) > longest:
        return ""
    marked = "".join(
        f"^{char}" if before.isdigit() and unicodedata.decomposition(char).startswith(_RAISED) else char
        for before, char in zip(" " + text, text, strict=False)
    )
    seen = "".join(char for char in unicodedata.normalize("NFKC", marked) if unicodedata.category(char) != "Cf")
    return " ".join(seen.split()) if len(seen) <= 2 * longest else ""  # NFKC makes up to 18 characters of one
