"""English values for the slots of templates: a filler for each concept, and a few for narrower kinds of values."""

from training.texts.en_values import (
    contacts,
    events,
    goods,
    medicine,
    numbers,
    organisations,
    people,
    places,
    reviews,
    science,
    times,
    work_life,
    works,
)
from training.texts.template import Filler, words

# Fillers that are not named after the concept their values are marked with.
_CONCEPTS = {
    "first_name": "person",
    "last_name": "person",
    "lower_person": "person",
    "short_company": "company",
    "full_company": "company",
    "date_full": "date",
    "date_relative": "date",
    "date_year": "date",
    "plain_number": "number",
    "emoji": "",
}
_EMOJI = words(
    "😀 😂 🤣 😍 😭 😊 🙏 👍 👏 🔥 🎉 💯 ❤️ 💔 😡 🤔 🙄 😎 🥳 😅 ✨ 🎂 🚀 👀 💪 ☕ 🍕 🌞 🎶 📷 😢 🤷 🙌 😱 🥰"
)
_MODULES = (
    people,
    places,
    organisations,
    times,
    numbers,
    contacts,
    goods,
    works,
    events,
    medicine,
    work_life,
    science,
    reviews,
)
_DRAWS = {name: draw for module in _MODULES for name, draw in module.VALUES.items()} | {"emoji": _EMOJI}

FILLERS: dict[str, Filler] = {name: Filler(_CONCEPTS.get(name, name), draw) for name, draw in _DRAWS.items()}
