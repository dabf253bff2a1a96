"""English templates by domain, and what their texts are known to hold."""

from training.texts.en import (
    chat,
    contracts,
    customer_service,
    cvs,
    e_commerce,
    encyclopaedia,
    entertainment,
    forum,
    medical,
    news,
    news_finance,
    office,
    plain,
    social_media,
    sports,
    voice_commands,
)

TEMPLATES: dict[str, tuple[str, ...]] = {
    "chat": chat.TEMPLATES,
    "contracts": contracts.TEMPLATES,
    "customer_service": customer_service.TEMPLATES,
    "cvs": cvs.TEMPLATES,
    "e_commerce": e_commerce.TEMPLATES,
    "encyclopaedia": encyclopaedia.TEMPLATES,
    "entertainment": entertainment.TEMPLATES,
    "forum": forum.TEMPLATES,
    "medical": medical.TEMPLATES,
    "news": news.TEMPLATES,
    "news_finance": news_finance.TEMPLATES,
    "office": office.TEMPLATES,
    "plain": plain.TEMPLATES,
    "social_media": social_media.TEMPLATES,
    "sports": sports.TEMPLATES,
    "voice_commands": voice_commands.TEMPLATES,
}

# Named and formatted things: no template of any domain writes one into its fixed text.
_ALWAYS = frozenset(
    {
        "person",
        "organization",
        "address",
        "nationality",
        "ethnicity",
        "religion",
        "language",
        "birth_date",
        "money",
        "price",
        "salary",
        "percent",
        "phone",
        "email",
        "url",
        "ip_address",
        "username",
        "hashtag",
        "id_number",
        "bank_card",
        "order_number",
        "tracking_number",
        "contract_number",
        "licence_plate",
        "transport_number",
        "postcode",
        "model_number",
        "brand",
        "periodical",
        "playlist",
        "award",
        "disease",
        "drug",
        "programming_language",
        "algorithm",
        "military_platform",
        "astronomical_object",
        "protein",
    }
)
# The same, for the domains that do not mark a value of them with a wider concept.
_ORGANIZATIONS = frozenset(
    {"bank", "government_agency", "school", "hospital", "media", "political_party", "sports_team", "band"}
)
_PLACES = frozenset({"country", "region", "city", "road", "natural_feature"})
_WORKS = frozenset({"movie", "tv_show", "book", "song", "album", "poem", "artwork"})
_EVENTS = frozenset({"election", "war", "festival"})
# Things that everyday words may also name, for the domains whose fixed text keeps clear of them.
_DATES = frozenset({"date", "time"})
_LIFE = frozenset({"animal", "plant", "chemical", "element"})
_REST = frozenset(
    {
        "company",
        "location",
        "attraction",
        "weapon",
        "product",
        "device",
        "software",
        "website",
        "game",
        "competition",
        "conference",
        "military_unit",
        "certificate",
        "degree",
        "major",
        "symptom",
        "medical_test",
        "medical_department",
        "cuisine",
        "restaurant",
        "hotel",
        "rating",
        "music_genre",
        "literary_genre",
        "instrument",
        "gender",
        "age",
        "political_status",
        "creative_work",
        "color",
        "material",
        "food",
        "drink",
        "weather",
        "quantity",
        "dosage",
        "law",
        "event",
        "stock",
    }
)

KNOWN: dict[str, frozenset[str]] = {
    "chat": _ALWAYS | _WORKS,
    "contracts": _ALWAYS | _WORKS | _EVENTS | _LIFE | _DATES | {"rating", "weather", "music_genre", "game"},
    "customer_service": _ALWAYS | _PLACES | _WORKS | _EVENTS | _LIFE | {"time", "hotel", "restaurant", "rating"},
    "cvs": _ALWAYS | _WORKS | _EVENTS | _LIFE | _DATES | {"gender", "degree", "major", "certificate"},
    "e_commerce": _ALWAYS | _ORGANIZATIONS | _PLACES | _WORKS | _EVENTS | {"hotel", "restaurant", "color", "material"},
    "encyclopaedia": _ALWAYS | {"time", "degree", "certificate", "instrument"},
    "entertainment": _ALWAYS | _ORGANIZATIONS | {"company", "game", "rating"},
    "forum": _ALWAYS | _PLACES | _WORKS | {"election", "war", "rating", "hotel", "restaurant"},
    "medical": _ALWAYS
    | _ORGANIZATIONS
    | _PLACES
    | _WORKS
    | _EVENTS
    | {"date", "company", "hotel", "restaurant", "game"},
    "news": _ALWAYS | _WORKS | {"animal", "restaurant"},
    "news_finance": _ALWAYS | _PLACES | _WORKS | _EVENTS | _LIFE | {"restaurant", "hotel", "gender"},
    "office": _ALWAYS | _ORGANIZATIONS | _WORKS | _EVENTS | _LIFE | {"date", "hotel", "restaurant", "rating", "law"},
    "plain": _ALWAYS | _ORGANIZATIONS | _PLACES | _WORKS | _EVENTS | _LIFE | _REST,
    "social_media": _ALWAYS | _WORKS | {"gender"},
    "sports": _ALWAYS | _WORKS | _EVENTS | _LIFE | {"restaurant", "hotel", "competition"},
    "voice_commands": _ALWAYS | _LIFE | {"rating", "restaurant", "cuisine", "hotel", "instrument"},
}
