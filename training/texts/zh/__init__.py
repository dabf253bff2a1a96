"""Templates of Chinese texts by domain."""

from training.texts.zh import (
    chat,
    contracts,
    customer_service,
    cvs,
    e_commerce,
    encyclopaedia,
    entertainment,
    medical,
    news,
    news_finance,
    office,
    plain,
    social_media,
    sports,
)

TEMPLATES: dict[str, tuple[str, ...]] = {
    "news_finance": news_finance.TEMPLATES,
    "news": news.TEMPLATES,
    "sports": sports.TEMPLATES,
    "entertainment": entertainment.TEMPLATES,
    "customer_service": customer_service.TEMPLATES,
    "contracts": contracts.TEMPLATES,
    "e_commerce": e_commerce.TEMPLATES,
    "cvs": cvs.TEMPLATES,
    "medical": medical.TEMPLATES,
    "chat": chat.TEMPLATES,
    "social_media": social_media.TEMPLATES,
    "encyclopaedia": encyclopaedia.TEMPLATES,
    "office": office.TEMPLATES,
    "plain": plain.TEMPLATES,
}

_CONCRETE = """
    person organization company bank stock government_agency school hospital media political_party sports_team band
    military_unit country region city address road attraction natural_feature astronomical_object ethnicity religion
    language political_status date birth_date time money price salary percent phone email url ip_address username
    hashtag id_number bank_card order_number tracking_number contract_number licence_plate transport_number postcode
    model_number brand software website game movie tv_show book song album poem artwork periodical playlist
    programming_language algorithm competition conference election war festival award law disease drug restaurant hotel
    chemical element protein weapon military_platform
"""
"""What the fixed part of no template names."""

_ALSO = {
    "news_finance": "location job_title duration",
    "news": "location duration age gender",
    "sports": "location athlete",
    "entertainment": "location artist",
    "customer_service": "rating",
    "contracts": "location job_title gender age nationality",
    "cvs": "location job_title degree major gender age nationality native_place skill certificate",
    "medical": "symptom dosage medical_department age gender duration",
    "encyclopaedia": "nationality",
    "office": "department",
    "plain": (
        "location facility artist athlete politician actor writer scientist recipient sender patient party_a party_b "
        "nationality native_place age gender degree major certificate identifier rating vehicle dosage cuisine drink "
        "instrument project document music_genre literary_genre creative_work miscellaneous theory color size"
    ),
}
"""What a domain's templates always mark besides."""

_OPEN = {
    "sports": "company organization",  # brands that act, national teams
    "entertainment": "company organization",  # brands that act
    "e_commerce": "company organization",  # brands that act
    "social_media": "company organization person",  # brands that act, nicknames
    "customer_service": "company organization price",  # couriers by their brand, sums that are prices
    "contracts": "company price",  # parties, rents
    "news_finance": "company price brand",  # buyers by their brand, sums that are prices
    "office": "company price",  # parties, sums that are prices
    "cvs": "country city region",  # nationalities, native places
    "encyclopaedia": "country city region",  # nationalities, native places
    "medical": "city region chemical",  # native places, drugs
    "news": "price chemical",  # sums that are prices, drugs
    "chat": "company organization",  # brands that act
}
"""What a domain's templates may hold without a mark."""

KNOWN: dict[str, frozenset[str]] = {
    domain: frozenset(f"{_CONCRETE} {_ALSO.get(domain, '')}".split()) - frozenset(_OPEN.get(domain, "").split())
    for domain in TEMPLATES
}
"""By domain, the concepts that its templates mark whenever they occur."""
