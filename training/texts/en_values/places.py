"""Places: countries, regions, cities, addresses, roads, attractions, facilities, nature, and who comes from where."""

from training.texts.en_values.compose import code, coined, listed, mix, shape, whole
from training.texts.en_values.people import last_name
from training.texts.template import Draw, words

country = listed("""Afghanistan; Albania; Algeria; Andorra; Angola; Argentina; Armenia; Australia; Austria; Azerbaijan
        Bahamas; Bahrain; Bangladesh; Barbados; Belarus; Belgium; Belize; Benin; Bhutan; Bolivia
        Bosnia and Herzegovina; Botswana; Brazil; Brunei; Bulgaria; Burkina Faso; Burundi; Cambodia; Cameroon
        Canada; Chad; Chile; China; Colombia; Comoros; Costa Rica; Croatia; Cuba; Cyprus; Czech Republic
        Czechia; Denmark; Djibouti; Dominican Republic; Ecuador; Egypt; El Salvador; Eritrea; Estonia; Eswatini
        Ethiopia; Fiji; Finland; France; Gabon; Gambia; Georgia; Germany; Ghana; Greece; Grenada; Guatemala
        Guinea; Guyana; Haiti; Honduras; Hungary; Iceland; India; Indonesia; Iran; Iraq; Ireland; Israel; Italy
        Ivory Coast; Jamaica; Japan; Jordan; Kazakhstan; Kenya; Kuwait; Kyrgyzstan; Laos; Latvia; Lebanon
        Lesotho; Liberia; Libya; Liechtenstein; Lithuania; Luxembourg; Madagascar; Malawi; Malaysia; Maldives
        Mali; Malta; Mauritania; Mauritius; Mexico; Moldova; Monaco; Mongolia; Montenegro; Morocco; Mozambique
        Myanmar; Namibia; Nepal; Netherlands; the Netherlands; New Zealand; Nicaragua; Niger; Nigeria
        North Korea; North Macedonia; Norway; Oman; Pakistan; Palau; Palestine; Panama; Papua New Guinea
        Paraguay; Peru; Philippines; the Philippines; Poland; Portugal; Qatar; Romania; Russia; Rwanda; Samoa
        San Marino; Saudi Arabia; Senegal; Serbia; Seychelles; Sierra Leone; Slovakia; Slovenia; Somalia
        South Africa; South Korea; South Sudan; Spain; Sri Lanka; Sudan; Suriname; Sweden; Switzerland; Syria
        Tajikistan; Tanzania; Thailand; Togo; Tonga; Tunisia; Turkey; Turkmenistan; Uganda; Ukraine; Uruguay
        Vanuatu; United Arab Emirates; United Kingdom; the United Kingdom; United States; the United States
        Uzbekistan; Venezuela; Vietnam; Yemen; Zambia; Zimbabwe; UK; US; USA; U.S.; the UK; the US; UAE; Britain
        America; Soviet Union; Singapore""")
_demonyms = listed("""Afghan; Albanian; Algerian; American; Argentine; Armenian; Australian; Austrian; Bangladeshi
        Belgian; Bolivian; Brazilian; British; Bulgarian; Cambodian; Cameroonian; Canadian; Chilean; Chinese
        Colombian; Croatian; Cuban; Czech; Danish; Dutch; Egyptian; English; Estonian; Ethiopian; Filipino
        Finnish; French; Georgian; German; Ghanaian; Greek; Hungarian; Icelandic; Indian; Indonesian
        Iranian; Iraqi; Irish; Israeli; Italian; Jamaican; Japanese; Jordanian; Kazakh; Kenyan; Korean
        Kuwaiti; Latvian; Lebanese; Libyan; Lithuanian; Malaysian; Maltese; Mexican; Mongolian; Moroccan
        Nepalese; New Zealander; Nigerian; Norwegian; Pakistani; Palestinian; Peruvian; Polish; Portuguese
        Qatari; Romanian; Russian; Rwandan; Saudi; Scottish; Senegalese; Serbian; Singaporean; Slovak
        Slovenian; Somali; Spanish; South African; South Korean; Sri Lankan; Sudanese; Swedish; Swiss
        Syrian; Taiwanese; Tanzanian; Thai; Tunisian; Turkish; Ugandan; Ukrainian; Uruguayan; Uzbek
        Venezuelan; Vietnamese; Welsh; Yemeni; Zambian; Zimbabwean""")
region = mix(
    listed("""California; Texas; New York State; Florida; Ohio; Illinois; Georgia; Michigan; Oregon; Nevada; Alaska
        Hawaii; Montana; Utah; Colorado; Arizona; New Mexico; Kansas; Nebraska; Iowa; Missouri; Minnesota
        Wisconsin; Louisiana; Maine; Alabama; Mississippi; Tennessee; Kentucky; Virginia; West Virginia
        North Carolina; South Carolina; Pennsylvania; Massachusetts; Vermont; New Hampshire; Connecticut
        Rhode Island; New Jersey; Maryland; Delaware; Idaho; Wyoming; Washington State; Oklahoma; Arkansas
        Indiana; North Dakota; South Dakota; Ontario; Quebec; British Columbia; Alberta; Nova Scotia; Manitoba
        New South Wales; Victoria; Queensland; Tasmania; Bavaria; Saxony; Lower Saxony; Hesse; Tuscany; Lombardy
        Sicily; Catalonia; Andalusia; Galicia; Brittany; Normandy; Provence; Kent; Yorkshire; Cornwall; Devon
        Surrey; Scotland; Wales; Northern Ireland; Punjab; Kerala; Gujarat; Tamil Nadu; Maharashtra; West Bengal
        Guangdong; Sichuan; Hokkaido; Okinawa; Kyushu; Java; Bali; Sumatra; Jalisco; Oaxaca; Minas Gerais; Bahia
        Gauteng; Western Cape; Kurdistan; Crimea; Donbas; Silesia; Flanders; Wallonia; Tyrol; Xinjiang; Tibet
        Zhejiang; Jiangsu; Yunnan; Rajasthan; Kano State"""),
    listed("""Orange County; Cook County; Cumbria; Essex County; Santa Clara County; County Cork; Östergötland County
        Hunan; Kyoto Prefecture; Khyber Pakhtunkhwa; Hampshire; Los Angeles County; Shandong Province
        Gaza Strip; West Bank; CA; TX; NY; Midwest; New England; the Balkans; Scandinavia; Silicon Valley
        the Basque Country; Helmand Province; Aceh"""),
)
_cities = """New York; Los Angeles; Chicago; Houston; Phoenix; Philadelphia; San Antonio; San Diego; Dallas; San Jose
        Austin; Seattle; Denver; Boston; Detroit; Nashville; Memphis; Portland; Las Vegas; Baltimore; Milwaukee
        Albuquerque; Tucson; Fresno; Sacramento; Kansas City; Atlanta; Omaha; Miami; Oakland; Minneapolis; Tulsa
        Cleveland; Tampa; New Orleans; Honolulu; Anchorage; Pittsburgh; Cincinnati; St. Louis; Orlando; Buffalo
        Madison; Boise; Salt Lake City; Richmond; San Francisco; Washington, D.C.; Palo Alto; Ann Arbor
        Santa Fe; El Paso; Savannah; Charleston; Toronto; Montreal; Vancouver; Calgary; Ottawa; Winnipeg
        Halifax; Edmonton; Mexico City; Guadalajara; Monterrey; Tijuana; Havana; Kingston; Bogotá; Medellín
        Lima; Quito; Santiago; Buenos Aires; Rosario; Montevideo; Asunción; La Paz; São Paulo; Rio de Janeiro
        Salvador; Brasília; Recife; Caracas; London; Manchester; Birmingham; Leeds; Liverpool; Glasgow
        Edinburgh; Bristol; Sheffield; Cardiff; Belfast; Newcastle; Nottingham; Oxford; Cambridge; Brighton
        York; Bath; Dublin; Cork; Galway; Paris; Lyon; Marseille; Toulouse; Nice; Bordeaux; Lille; Strasbourg
        Nantes; Berlin; Munich; Hamburg; Frankfurt; Cologne; Stuttgart; Düsseldorf; Leipzig; Dresden; Heidelberg
        Bonn; Vienna; Salzburg; Graz; Zurich; Geneva; Basel; Bern; Rome; Milan; Naples; Turin; Florence; Venice
        Bologna; Palermo; Verona; Madrid; Barcelona; Valencia; Seville; Bilbao; Málaga; Lisbon; Porto; Amsterdam
        Rotterdam; The Hague; Utrecht; Eindhoven; Brussels; Antwerp; Ghent; Bruges; Luxembourg City; Copenhagen
        Aarhus; Stockholm; Gothenburg; Malmö; Oslo; Bergen; Helsinki; Tampere; Reykjavik; Tallinn; Riga; Vilnius
        Warsaw; Kraków; Gdańsk; Wrocław; Prague; Brno; Bratislava; Budapest; Bucharest; Cluj-Napoca; Sofia
        Belgrade; Zagreb; Split; Ljubljana; Sarajevo; Skopje; Tirana; Athens; Thessaloniki; Istanbul; Ankara
        Izmir; Antalya; Moscow; Saint Petersburg; Kazan; Novosibirsk; Kyiv; Lviv; Odesa; Kharkiv; Minsk
        Chisinau; Tbilisi; Yerevan; Baku; Almaty; Astana; Tashkent; Samarkand; Tehran; Isfahan; Baghdad; Basra
        Mosul; Damascus; Aleppo; Beirut; Amman; Jerusalem; Tel Aviv; Haifa; Gaza; Riyadh; Jeddah; Mecca; Dubai
        Abu Dhabi; Doha; Muscat; Manama; Kuwait City; Sanaa; Cairo; Alexandria; Tripoli; Tunis; Algiers
        Casablanca; Marrakesh; Rabat; Dakar; Accra; Lagos; Abuja; Kano; Nairobi; Mombasa; Kampala; Kigali
        Addis Ababa; Dar es Salaam; Lusaka; Harare; Johannesburg; Cape Town; Durban; Pretoria; Luanda; Kinshasa
        Khartoum; Mogadishu; Antananarivo; Kabul; Kandahar; Karachi; Lahore; Islamabad; Peshawar; Delhi
        New Delhi; Mumbai; Bangalore; Chennai; Kolkata; Hyderabad; Pune; Jaipur; Ahmedabad; Kochi; Varanasi
        Kathmandu; Dhaka; Colombo; Yangon; Bangkok; Chiang Mai; Phuket; Hanoi; Ho Chi Minh City; Da Nang
        Phnom Penh; Vientiane; Kuala Lumpur; Penang; Singapore; Jakarta; Surabaya; Bandung; Manila; Cebu; Davao
        Beijing; Shanghai; Guangzhou; Shenzhen; Chengdu; Hangzhou; Wuhan; Nanjing; Xi'an; Chongqing; Tianjin
        Suzhou; Qingdao; Harbin; Hong Kong; Macau; Taipei; Kaohsiung; Tokyo; Osaka; Kyoto; Yokohama; Nagoya
        Sapporo; Fukuoka; Hiroshima; Kobe; Seoul; Busan; Incheon; Daegu; Ulaanbaatar; Sydney; Melbourne
        Brisbane; Perth; Adelaide; Canberra; Hobart; Darwin; Auckland; Wellington; Christchurch; Suva
        Port Moresby"""
_state_code = words("CA TX NY FL OH IL GA MI OR NV CO AZ WA MA PA NJ VA NC MN WI TN MO MD IN UT KS CT NM LA ID")
_towns = shape(
    """<a><b>; <a><b>; <a><b>; New <a><b>; Port <l>; Fort <l>; <l>ville; <l> Springs; Lake <l>; Mount <l>
        St. <f>; <l> Falls""",
    a=words(
        "Ash Brook Clear Cedar Elm Fair Green Glen Haw Kings Maple Mill North Oak Pine River Rose Spring Stone Wood"
    ),
    b=words("ton field ford ville wood dale bury port side view mont ham stead bridge brook haven land"),
    l=last_name,
    f=words("Albans Andrews Helens Ives Austell Cloud Charles Paul"),
)
_big_city = listed(_cities)
city = mix(*[_big_city] * 7, _towns)
_tree = words(
    "Oak Maple Cedar Pine Elm Birch Willow Walnut Chestnut Juniper Magnolia Park Lake River Hill Church Mill High"
)
_street_kind = words("Street St Avenue Ave Road Rd Lane Drive Dr. Boulevard Blvd Court Place Terrace Way St. Crescent")
_us_road = shape(
    "<l> <k>; <t> <k>; <t> <k>; <n> <k>; <d> <n> <k>; <d> <t> <k>; <l> <k>",
    l=last_name,
    t=_tree,
    k=_street_kind,
    d=words("North South East West N. W."),
    n=words("1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th 11th 12th 14th 21st 42nd First Second Third Main Washington"),
)
_europe_road = listed("""Rue de Rivoli; Avenue Montaigne; Rue Saint-Honoré; Hauptstraße; Friedrichstraße; Bahnhofstrasse
    Goethestraße; Via Roma; Via Garibaldi; Via Nazionale; Calle de Alcalá; Calle Mayor; Gran Vía; Paseo de la Reforma
    Avenida Paulista; Rua Augusta; Damrak; Keizersgracht; Kungsgatan; Istiklal Caddesi; Nevsky Prospekt; Váci utca""")
_named_road = listed("""Interstate 95; I-405; Route 66; US-101; Highway 61; the M25; M1 motorway; A40; Autobahn A8
        State Route 520; Pacific Coast Highway; Fifth Avenue; Broadway; Wall Street; Baker Street; Oxford Street
        Abbey Road; Sunset Boulevard; Champs-Élysées; Nanjing Road; Orchard Road; Pan-American Highway
        Trans-Canada Highway; Karakoram Highway; Ring Road""")
road = mix(_us_road, _us_road, _us_road, _europe_road, _named_road)
_house = whole(1, 9999)
_low = whole(1, 220)
_zip = code("#####")
_uk_code = code("@%% #@@; @@% #@@; @@%# #@@; @%# #@@; @% #@@")
_unit = shape(
    "Apt <n>; Suite <n>; Unit <s>; Floor <f>; Apt. <s>; #<n>; Flat <f>; <f>th Floor",
    n=whole(100, 990),
    s=code("#@; %@; %"),
    f=whole(4, 19),
)
address = shape(
    """<h> <r>; <h> <r>, <c>; <h> <r>, <c>, <s> <z>; <h> <r>, <c>, <s> <z>; <h> <r>, <u>, <c>, <s> <z>
        <h> <r> <u>, <c>; <h> <r>, <c>, <s>; <u>, <n> <r>, <c> <k>; <n> <r>, <c> <k>; <n> <r>, <c> <k>, UK
        <n>, <e>, <b>; <e> <n>, <z> <b>; <e> <n>, <b>, <o>; No. <n> <r>, <b>, <o>; P.O. Box <h>, <c>, <s> <z>
        <h> <r>, <b>, <o>; <n> <r>; <n>/<m> <r>, <b> <z>; Building <m>, <n> <r>, <b>, <o>
        <u>, <h> <r>, <c>, <s> <z>, USA; <h> <r>, <s>; Plot <n>, <r>, <b>""",
    h=_house,
    n=_low,
    m=whole(1, 30),
    r=_us_road,
    c=city,
    s=_state_code,
    z=_zip,
    u=_unit,
    k=_uk_code,
    e=_europe_road,
    b=_big_city,
    o=country,
)
postcode = mix(_zip, code("#####-####"), _uk_code, code("@%@ #@#; %@@ #@; ######; %### @@; ####; ###-####"))
_landmarks = listed("""Eiffel Tower; the Louvre; Statue of Liberty; Big Ben; Tower of London; Colosseum; Sagrada Família
        Taj Mahal; Great Wall of China; Machu Picchu; Golden Gate Bridge; Times Square; Central Park
        Grand Canyon; Niagara Falls; Hagia Sophia; Buckingham Palace; Stonehenge; Acropolis; Parthenon; Alhambra
        Petra; Angkor Wat; Forbidden City; Sydney Opera House; Burj Khalifa; Christ the Redeemer
        Brandenburg Gate; Neuschwanstein Castle; Versailles; Notre-Dame; Vatican Museums; British Museum
        Metropolitan Museum of Art; Smithsonian; Disneyland; Universal Studios; Hyde Park; Uffizi Gallery
        Alcatraz; Yellowstone National Park; Yosemite; Borobudur; Fushimi Inari Shrine; Tokyo Skytree
        Table Mountain; London Eye; Prado""")
attraction = mix(
    _landmarks,
    shape(
        """<c> Zoo; <c> Botanical Garden; <l> Museum; <c> Museum of Art; <l> House; <c> Aquarium; <c> Castle
        <l> Memorial; <l> National Park; <c> Cathedral; <l> Gardens; Museum of <c>; <c> Old Town; <l> Lighthouse
        <l> Park; <c> Science Museum""",
        c=city,
        l=last_name,
    ),
)
facility = mix(
    listed("""Heathrow Airport; JFK Airport; O'Hare; Wembley Stadium; Madison Square Garden; Old Trafford; Camp Nou
        Pentagon; Grand Central Terminal; King's Cross Station; Brooklyn Bridge; Hoover Dam
        Empire State Building; White House; Kremlin; Changi Airport; Panama Canal; Suez Canal; Staples Center
        Burj Al Arab; Three Gorges Dam; Guantanamo Bay; Empire Stadium; Chernobyl nuclear power plant
        Royal Albert Hall; Carnegie Hall; Trump Tower; Shinjuku Station; Öresund Bridge; Gare du Nord"""),
    shape(
        """<c> International Airport; <c> Airport; <l> Stadium; <l> Arena; <c> Central Station; <l> Library
        <l> Hall; <c> Port; <c> Convention Center; <l> Bridge; <c> Town Hall; <l> Tower; <l> Dam; Terminal <n>
        <c> bus station; <l> Tunnel; <c> Courthouse; <l> Community Center; <l> Shopping Mall; <c> Sports Complex
        <l> Building; <l> Theatre; Gate <n>; <c> Power Station; <l> Air Base; <c> Prison; <l> Square station
        <l> Field; <c> Metro; <l> Plaza; <l> Cemetery""",
        c=city,
        l=last_name,
        n=whole(1, 40),
    ),
)
natural_feature = mix(
    listed("""Amazon River; Nile; Mississippi River; Yangtze; Danube; Rhine; Thames; Ganges; Mekong; Lake Superior
        Lake Victoria; Mount Everest; Kilimanjaro; Mont Blanc; Mount Fuji; K2; Alps; Himalayas; Andes
        Rocky Mountains; Sahara; Gobi Desert; Pacific Ocean; Atlantic; Mediterranean Sea; Black Sea; Baltic Sea
        South China Sea; Gulf of Mexico; Persian Gulf; Red Sea; Great Barrier Reef; Lake Baikal; Lake Geneva
        Vesuvius; Mauna Loa; Bay of Bengal; Strait of Hormuz; Madagascar; Greenland; Sicily; Iceland
        Galápagos Islands; Caspian Sea; English Channel; Cape Horn; Black Forest; Loch Ness; Dead Sea
        Congo Basin"""),
    shape(
        """<l> River; River <w>; Mount <l>; Lake <l>; <l> Creek; <l> Island; <l> Valley; <l> Bay; <l> Glacier
        Cape <l>; <l> Falls; <l> Hills""",
        l=last_name,
        w=coined,
    ),
)
location = mix(
    country,
    country,
    region,
    city,
    city,
    city,
    natural_feature,
    attraction,
    facility,
    road,
    listed(
        """Europe; Asia; Africa; North America; South America; Middle East; Southeast Asia; Latin America; Brooklyn
        Soho; Harlem; downtown; the West Coast; Camden; Chinatown; Manhattan; Montmartre; Shibuya; Notting Hill
        Antarctica; Eastern Europe"""
    ),
)
_city_region = shape("<c>, <r>; <c>, <o>; <c>", c=city, r=region, o=country)
_astronomical = mix(
    listed("""Mars; Venus; Jupiter; Saturn; Mercury; Neptune; Uranus; Pluto; the Moon; Sun; Europa; Titan; Ganymede
        Ceres; Sirius; Betelgeuse; Polaris; Vega; Alpha Centauri; Proxima Centauri; Andromeda Galaxy; Milky Way
        Orion; Crab Nebula; Io; Phobos; Halley's Comet; Sagittarius A*; Ursa Major; Cassiopeia
        Large Magellanic Cloud; Bennu; Enceladus; Triton; Rigel; Earth"""),
    code("Kepler-%##b; NGC %###; HD %####; M%#; TRAPPIST-1e; TOI-%##; GJ %##b; PSR B%###+##; UGC %###; Gliese %##"),
    shape("<l>'s Comet; asteroid <l>; <w>; comet <l>", l=last_name, w=coined),
)
_native = mix(_city_region, city, city, region, country)
_nationality = mix(_demonyms, _demonyms, _demonyms, _demonyms, shape("<c> citizen; <c> national", c=_demonyms), country)
_language = mix(
    listed("""English; Polish; Greek; Turkish; Thai; Vietnamese; Ukrainian; Czech; Danish; Finnish; Hungarian
        Norwegian; Swedish; Romanian; Dutch; Russian; Japanese; Korean; Portuguese; Italian; German; Serbian
        Croatian; Bulgarian; Slovak; Estonian; Latvian; Georgian; Nepali; Sinhala; Telugu; Marathi; Gujarati
        Punjabi; Indonesian; Mongolian; Armenian; Albanian; Somali; Icelandic; Lithuanian Mandarin; Cantonese
        Hindi; Arabic; French; Spanish; Swahili; Bengali; Urdu; Tamil; Latin; Hebrew; Farsi; Persian; Catalan
        Welsh; Irish; Gaelic; Zulu; Yoruba; Hausa; Amharic; Tagalog; Malay; Burmese; Khmer; Pashto; Esperanto
        Sanskrit; Old English; Quechua; Basque; Afrikaans; Yiddish; Brazilian Portuguese; Simplified Chinese
        Ancient Greek"""),
    listed(
        """English; French; Spanish; German; Italian; Portuguese; Russian; Japanese; Korean; Chinese; Arabic
        Turkish; Dutch; Polish"""
    ),
)
VALUES: dict[str, Draw] = {
    "location": location,
    "country": country,
    "region": region,
    "city": city,
    "address": address,
    "road": road,
    "attraction": attraction,
    "facility": facility,
    "natural_feature": natural_feature,
    "native_place": _native,
    "astronomical_object": _astronomical,
    "nationality": _nationality,
    "language": _language,
    "postcode": postcode,
}
demonym = _demonyms
big_city = _big_city
