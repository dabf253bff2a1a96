"""Contacts and codes: phones, e-mails, web addresses, handles, identifiers of many kinds, plates, flights."""

import random
import unicodedata

from training.texts.en_values.compose import code, coined, listed, lowered, mix, shape, whole
from training.texts.en_values.people import first_name, last_name
from training.texts.template import Draw, words


def _plain(draw: Draw) -> Draw:
    """The value in small letters from a to z."""

    def plain(rng: random.Random) -> str:
        letters = unicodedata.normalize("NFKD", draw(rng).lower())
        return "".join(letter for letter in letters if "a" <= letter <= "z")

    return plain


_first, _last, _coined = _plain(first_name), _plain(last_name), lowered(coined)
_thing = words(
    "pixel ninja cat coffee moon wolf star rider gamer chef runner geek panda tiger dragon ghost "
    "sunny luna blue dark travel yoga book photo music tech foodie happy crazy lazy mountain ocean "
    "coder pirate queen wizard rocket"
)
_mail_host = mix(
    words(
        "gmail.com gmail.com yahoo.com outlook.com hotmail.com icloud.com proton.me aol.com gmx.de "
        "live.com mail.ru qq.com"
    ),
    shape(
        """<c>.com; <c>.org; <c>.co.uk; <c>.io; <c>.net; mail.<c>.com; <c>.edu; <c>.de; <c>-group.com
        <l>consulting.com; cs.<c>.edu""",
        c=_coined,
        l=_last,
    ),
)
_email = shape(
    """<f>.<l>@<h>; <f>.<l>@<h>; <f><l>@<h>; <f>@<h>; <f>_<l>@<h>; <i><l>@<h>; <f><n>@<h>; <l>.<f>@<h>
        <r>@<c>.com; <r>@<c>.org; <t><n>@<h>; <f>-<l>@<h>; <i>.<l>@<h>; <r>.<p>@<c>.com; <f><l><n>@<h>
        <t>.<t><n>@<h>; <F>.<L>@<c>.com; <r>@<c>.co.uk; <f>+<t>@<h>""",
    f=_first,
    l=_last,
    h=_mail_host,
    i=code("~"),
    n=whole(1, 2009),
    c=_coined,
    t=_thing,
    F=first_name,
    L=_plain(last_name),
    p=words("us uk eu asia"),
    r=words(
        "info support sales contact hr press help billing office admin orders jobs careers service "
        "enquiries hello team returns"
    ),
)
_page = words(
    "about products news blog contact help careers docs login pricing download events shop support "
    "offers catalog faq privacy"
)
_tld = words("com com com org net io co.uk de edu gov app dev shop fr info eu ca com.au ai me")
_url = shape(
    """www.<c>.<t>; www.<c>.<t>; https://<c>.<t>; https://www.<c>.<t>/<p>; http://<c>.<t>/<p>; <c>.<t>
        <c>.<t>/<p>; https://<p>.<c>.<t>; bit.ly/<k>; https://t.co/<k>; https://www.<c>.<t>/<p>/<w>-<v>
        https://github.com/<w>/<c>; youtu.be/<k>; https://www.<c>.<t>/<p>?id=<n>; <p>.<c>.<t>/<w>
        http://www.<c>.<t>/<p>.html; https://en.wikipedia.org/wiki/<C>; https://<c>.<t>/<n>/<p>/<w>
        https://docs.<c>.<t>/v<d>/<p>; ftp://ftp.<c>.<t>; https://forms.gle/<k>""",
    c=mix(_coined, _last, shape("<a><b>; the<a>; <a>-<b>", a=_thing, b=_thing)),
    t=_tld,
    p=_page,
    k=code("%~@#~~@; @~#~~%@"),
    w=_thing,
    v=_thing,
    n=whole(100, 99999),
    d=whole(1, 5),
    C=coined,
)
_phone = code("""(%##) ###-####; (%##) %##-####; %##-%##-####; %##-%##-####; %##.%##.####; +1 %##-%##-####
        +1 (%##) %##-####; 1-800-%##-####; +44 20 #### ####; 020 7### ####; +44 7### ######; 07### ######
        07#########; +49 30 %#######; 0### %######; +33 1 ## ## ## ##; 06 ## ## ## ##; +86 138 #### ####
        +91 98### #####; 13%########; +61 4## ### ###; 04## ### ###; +81 3-####-####; 555-####; 555-01##
        +34 6## ### ###; +39 02 ### ####; +353 1 ### ####; %#########; +46 70 ### ## ##; +55 11 9####-####
        +65 #### ####; 1-888-%##-#### ext. ###; +971 4 ### ####; %##-####; 0800 ### ####; +7 495 ###-##-##
        +41 44 ### ## ##""")
_octet = whole(1, 254)
_ip = mix(
    *[
        shape(
            """<o>.<o>.<o>.<o>; <o>.<o>.<o>.<o>; 192.168.<o>.<o>; 10.<o>.<o>.<o>; 172.16.<o>.<o>; <o>.<o>.<o>.0/24
        <o>.<o>.<o>.<o>:8080""",
            o=_octet,
        )
    ]
    * 3,
    code("2001:db8::^^^^; fe80::^^^^:^^^^:^^^^:^^^^; 2001:0db8:85a3:^^^^:^^^^:8a2e:^^^^:^^^^; ::1; 2a02:^^^^:^^^^::^"),
)
_username = shape(
    """@<f><l>; @<t>_<u>; <t><u><n>; <f>_<l>; <f><n>; @<f>.<l>; xX_<t>_Xx; <t>.<u>; u/<t><n>; @<t><n>; <i><l>
        <f>_the_<t>; @<c>; @<c>_official; <t>_<n>; <t>-<u>; @<f><n>; @real<F>; the<t><u>; <f>.<l><n>; @The<C>
        <F><n>; @<f>_<t>; <i><i><l><n>; <t>lover<n>; @<c>HQ; <L><F>; admin; root; jdoe; guest<n>""",
    f=_first,
    l=_last,
    t=_thing,
    u=_thing,
    n=whole(1, 2010),
    i=code("~"),
    c=_coined,
    C=coined,
    F=words("Alex Sam Kim Max Rose Leo Nina Omar Jane"),
    L=words("Dark Mr Ms Big Lil DJ"),
)
_topic = listed("""love; fashion; photography; travel; MondayMotivation; ThrowbackThursday; BlackLivesMatter; MeToo
        ClimateAction; COVID19; StayHome; AI; MachineLearning; WorldCup; Oscars; SuperBowl; NowPlaying
        FridayFeeling; foodporn; fitness; OOTD; Brexit; SaveThePlanet; SundayFunday; giveaway; smallbusiness
        WomenInSTEM; Bitcoin; GameOfThrones; tbt; nofilter; vegan; RIP; Election2024; MentalHealthAwareness
        Eurovision; BookTok; hiring""")
_hashtag = shape(
    "#<t>; #<t>; #<C>; #<a><b>; #<c>; #<F>For<n>; #Save<C>; #<C><n>; #<a>life; #Team<F>; #<a>gram; #Justice4<F>",
    t=_topic,
    C=coined,
    c=_coined,
    a=_thing,
    b=_thing,
    F=words("Emma Leo Britney Maya Jack Ana Kai"),
    n=words("2024 2025 2026 2023 2020 Peace"),
)
_identifier = code("""INV-####-###; INV-20%%-####; ######; ########; EMP-####; EMP####; REF-@@#####; SN: @@########
        @@######; GB#########; DE#########; %#-#######; #-####-####-#; 978-#-##-######-#; SKU-####-@@
        T-#####; CVE-202#-#####; ^^^^^^^^-^^^^-4^^^-a^^^-^^^^^^^^^^^^; MRN ######; US%#######B2
        ISSN ####-###%; @###-##-@@; RFC-####; #####-@; REF/202#/####; case #####; TKT-#####; %##########
        POL-#######; 10.####/@@.202#.#####; INC#######; @@@-####; HTTP 50%; 0x^^^^^^^^; BUG-%###; JIRA-%##
        ICD-10 @##.%; 2@@-###""")
_id_number = mix(
    code(
        """###-##-####; ###-##-####; @########; @@#######; #########; ######19########%#; @#######; ########@
        @@ ## ## ## @; #### #### ####; @@@@@####@; ###.###.###-##; AB######C"""
        "%#########; %##-%##-###"
    ),
    code("###-##-####; @########; ###########; ########-#; ##-#######; 11010519%#0%1####X"),
)
_card = code("""4### #### #### ####; 5### #### #### ####; 4###-####-####-####; 4###############; 37## ###### #####
        62## #### #### #### ###; GB## BARC #### #### #### ##; DE## #### #### #### #### ##
        FR## #### #### #### #### #### ###; ##########; ########; ####-####-####; ************####
        **** **** **** ####; NL## INGB #### #### ##; ending in ####; %###########; CH## #### #### #### #### #
        ES## #### #### #### #### ####; ###-######-#; xxxx-xxxx-xxxx-####; 6222###############""")
_order = code(
    """#######; #####; PO-#####; PO-202#-####; ORD-#######; ORD#########; ###-#######-#######
        ###-#######-#######; SO-######; #%####; @@@######; WEB-######; B-########; PO ######; @@####@; #@@#####
        R########; 202#0%##-####; A%#-#######; OD##########; ORDER-####-@@; BK########; 20230%1#######
        PO 4500######"""
)
_tracking = code("""1Z###@@##########; 1Z999AA##########; 9400 1### #### #### #### ##; ############; ##########
        @@#########GB; @@#########US; SF#############; JD#############; RR#########CN; TBA############
        @@@@#######; MSKU#######; ####-####-####; YT################; JJD################; %#############
        EE#########HK; MAEU#########; LX#########DE""")
_contract = code("""CT-202#-###; CON-####-##; Contract-#####; C-####/202#; AGR-20##-####; HT-202#0%##-##; No. ####-@@
        @@/####/20##; MSA-202#-##; SA-#####; LEASE-####; W@@@-##-@-####; @@-@@-####; CN######; 202#-@@-###
        FA####-##-@-####; KTR-######; EMP/####/2#; PSA-####; #####/202#; AG##-######""")
_plate = code(
    """@@@ ####; #@@@###; @@## @@@; @@##@@@; @@-###-@@; @-@@ ####; @@@-####; @@@ ###; ###-@@@; B-@@ ####
        M-@@ ###; KA-##-@@-####; DL #@@@ ####; ##-@@-##; #### @@@; @@ ### @@; S@@ ####@; @@@ ##@
        W@ #####; @###@@; @@@####; HH @@ ####; @@ #####; LD## @@@"""
)
_transport = mix(
    code("""AA%##; UA %###; BA%##; DL%###; LH %##; AF%##; EK%##; SQ%#; CA%###; MU%###; QF%; FR%###; U2 %###; KL%###
        TK %##; QR%##; NH%##; G%###; D%##; K%##; ICE %##; TGV %###; IC %###; IR %#; RE%; S%; JL%#; MH370; VS%#
        WN%###; B6 %##; AC%##; EI%##; G%; Z%#; T%##"""),
    shape(
        """Flight <n>; bus <b>; Amtrak <n>; Eurostar <n>; Bus <b>; line <l>; Nozomi <b>; Acela <n>; the <b> bus
        United <n>; Delta flight <n>; train <n>; Route <b>; Tram <l>; Line <l>; Acela Express""",
        n=whole(101, 9399),
        b=whole(2, 199),
        l=whole(1, 19),
    ),
)
VALUES: dict[str, Draw] = {
    "phone": _phone,
    "email": _email,
    "url": _url,
    "ip_address": _ip,
    "username": _username,
    "hashtag": _hashtag,
    "identifier": _identifier,
    "id_number": _id_number,
    "bank_card": _card,
    "order_number": _order,
    "tracking_number": _tracking,
    "contract_number": _contract,
    "licence_plate": _plate,
    "transport_number": _transport,
}
