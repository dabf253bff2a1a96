"""Organisations: companies, banks, stocks, agencies, schools, hospitals, media, parties, teams, bands, units."""

from training.texts.en_values.compose import code, coined, listed, mix, shape, whole
from training.texts.en_values.people import last_name
from training.texts.en_values.places import big_city, city, country, demonym, region
from training.texts.template import Draw, words

_known = listed("""Apple; Microsoft; Google; Amazon; Meta; Tesla; Nvidia; Intel; AMD; IBM; Oracle; Samsung; Sony; Toyota
        Honda; Ford; General Motors; Volkswagen; BMW; Siemens; Bosch; SAP; Philips; Nokia; Ericsson; Nestlé
        Unilever; Danone; L'Oréal; LVMH; Coca-Cola; PepsiCo; McDonald's; Starbucks; Walmart; Target; Costco
        IKEA; H&M; Zara; Nike; Adidas; Puma; Disney; Netflix; Spotify; Uber; Airbnb; Twitter; LinkedIn; Facebook
        PayPal; Visa; Mastercard; Boeing; Airbus; Lockheed Martin; Raytheon; ExxonMobil; Shell; BP; Chevron
        TotalEnergies; Pfizer; Moderna; AstraZeneca; Novartis; Roche; Bayer; Johnson & Johnson; Procter & Gamble
        3M; Caterpillar; John Deere; FedEx; UPS; DHL; Maersk; Delta Air Lines; United Airlines; Lufthansa
        Ryanair; Huawei; Alibaba; Tencent; Baidu; Xiaomi; Lenovo; TSMC; Foxconn; Hyundai; LG; Hitachi; Panasonic
        Mitsubishi; SoftBank; Tata Motors; Infosys; Reliance; Gazprom; Petrobras; Vale; Rolls-Royce; Vodafone
        AT&T; Verizon; Comcast; OpenAI; SpaceX; Salesforce; Adobe; Cisco; Dell; HP; Qualcomm; Enron
        Lehman Brothers; Kodak; Blackstone; Deloitte; KPMG; PwC; Accenture""")
_field = words(
    "Systems Technologies Software Labs Foods Logistics Energy Partners Solutions Pharmaceuticals "
    "Robotics Media Motors Industries Analytics Networks Airlines Biotech Electronics Textiles "
    "Consulting Dynamics Materials Shipping Semiconductors Interactive Healthcare Chemicals Mining "
    "Properties Studios Ventures Capital Trading Steel Retail Travel Construction Furniture "
    "Instruments Outdoor Publishing Engineering Bakery Cosmetics Packaging Aerospace Security"
)
_natural = words(
    "Blue Red Silver Golden Green North Iron Bright Clear Swift Summit Harbor Crescent Pioneer "
    "Liberty Atlas Orion Evergreen Pacific Atlantic Northern Southern United Global First Apex "
    "Vertex Horizon Phoenix Falcon Eagle Lotus"
)
_noun = words(
    "River Stone Wave Leaf Peak Bridge Fox Wolf Harbor Field Oak Star Ridge Forge Wing Lake Anchor Path Bay Spark Crown"
)
invented = shape(
    """<w>; <w>; <w> <f>; <w> <f>; <n> <f>; <n><m>; <n> <m> <f>; <l> <f>; <l> & <k>; <c> <f>; <n> <m>; <w>.io
        <l> Brothers""",
    w=coined,
    f=_field,
    n=_natural,
    m=_noun,
    l=last_name,
    k=last_name,
    c=big_city,
)
short_company = mix(_known, _known, invented)
full_company = shape(
    """<i>, Inc.; <i> Inc.; <i> Ltd; <i> Ltd.; <i> GmbH; <i> AG; <i> LLC; <i> Corporation; <i> Corp.; <i> Group
        <i> Holdings; <l> & Sons; <l> & Sons Ltd; <l>, <k> & Co.; <i> PLC; <i> S.A.; <i> Co., Ltd.; <i> Pte Ltd
        <i> B.V.; <i> S.p.A.; <i> AB; <l> & <k> LLP; <c> <f> Co., Ltd.; <i> International Ltd; <i> Limited
        <i> Pvt. Ltd.; <i> Holdings plc; <o> Inc.; <o> Corp.; <i> Group Inc.; <l> <f> Pty Ltd; <i> KK
        <i> Company""",
    i=invented,
    l=last_name,
    k=last_name,
    c=big_city,
    f=_field,
    o=_known,
)
company = mix(short_company, short_company, full_company)
_bank = mix(
    listed("""HSBC; JPMorgan Chase; Bank of America; Wells Fargo; Citibank; Goldman Sachs; Barclays; Deutsche Bank
        UBS; BNP Paribas; Santander; ING; Lloyds Bank; NatWest; Standard Chartered; Credit Suisse; Bank of China
        ICBC; Mizuho Bank; DBS Bank; Chase; State Bank of India; HDFC Bank; Royal Bank of Canada; TD Bank
        Westpac; ANZ; Commerzbank; UniCredit; Revolut; Monzo; Nordea; Société Générale; Capital One; US Bank
        Morgan Stanley; European Central Bank; Bank of England; PNC; Rabobank; Sberbank"""),
    shape(
        """Bank of <c>; First National Bank of <c>; <c> Savings Bank; <l> Bank; <r> Credit Union; <c> Commercial Bank
    HSBC, <c> Branch; Citibank, N.A.; National Bank of <o>; <w> Bank; <c> Community Bank; Barclays <c>""",
        c=city,
        l=last_name,
        r=region,
        o=country,
        w=coined,
    ),
)
_stock = mix(
    listed("""AAPL; MSFT; GOOGL; AMZN; TSLA; NVDA; META; NFLX; INTC; AMD; BABA; JPM; BAC; DIS; KO; PEP; XOM; BA; F; GM
        T; GE; IBM; ORCL; $TSLA; $AAPL; $GME; $AMC; NASDAQ: MSFT; NYSE: DIS; LON: BARC; BRK.B; 0700.HK; 9988.HK
        600519.SS; 7203.T; SPY; QQQ; VOO; S&P 500 ETF; Vanguard Total Stock Market; Apple; Tesla; Nvidia
        Microsoft; GameStop; Coca-Cola; Berkshire Hathaway"""),
    code("@@@; @@@@; $@@@@; NYSE: @@@; NASDAQ: @@@@; @@@.L; ####.HK; ######.SZ"),
    shape("<i>; <i> Holdings; <i> Bond Fund", i=invented),
)
_topic = words(
    "Health Education Finance Justice Transport Defense Energy Labor Agriculture Commerce Culture Tourism Environment"
)
government_agency = mix(
    listed("""FBI; CIA; NASA; NSA; FDA; EPA; IRS; SEC; FCC; FTC; Pentagon; Congress; Senate; House of Representatives
        Supreme Court; NHS; Federal Reserve; State Department; White House; Department of Justice; Scotland Yard
        Home Office; European Commission; MI6; European Parliament; Bundestag; House of Commons; Kremlin
        Centers for Disease Control and Prevention; Mossad; Interpol; U.S. Census Bureau
        Department of Homeland Security; Reserve Bank of India; HM Treasury; NOAA; FEMA; Ofcom; Knesset"""),
    shape(
        """Ministry of <t>; Department of <t>; <c> Police Department; <c> City Council; <r> Department of <t>
        <d> government; <o>'s Ministry of <t>; <d> Ministry of <t>; <c> District Court; Court of Appeals
        <r> Supreme Court; <c> Fire Department; Federal Agency for <t>; National <t> Commission; <t> Ministry
        <c> Tax Office; <d> parliament; <r> Board of <t>; <d> army""",
        t=_topic,
        c=city,
        r=region,
        o=country,
        d=demonym,
    ),
)
school = mix(
    listed("""Harvard University; Stanford University; MIT; Yale; Princeton University; Oxford
        University of Cambridge; UCLA; Caltech; UC Berkeley; Columbia University; Cornell; Duke University
        Johns Hopkins University; Carnegie Mellon University; NYU; LSE; Imperial College London; ETH Zurich
        University of Tokyo; Tsinghua University; Peking University; IIT Bombay; Eton College
        National University of Singapore; Sorbonne; McGill University; University of Toronto; Juilliard School
        INSEAD; Georgia Tech"""),
    shape(
        """University of <c>; <c> University; <c> State University; <r> Institute of Technology; <l> College
        <l> High School; <c> Elementary School; <l> Academy; St. <f>'s School; <c> Community College
        <l> Middle School; <l> University; <c> Law School; Technical University of <b>; <c> Grammar School
        <l> School of Business; University of <r>; University of <b>; <l> Primary School""",
        c=city,
        r=region,
        l=last_name,
        b=big_city,
        f=words("Mary John Paul Andrew Joseph Patrick Anne"),
    ),
)
hospital = mix(
    listed("""Mayo Clinic; Cleveland Clinic; Johns Hopkins Hospital; Massachusetts General Hospital
        Mount Sinai Hospital; Charité; St Thomas' Hospital; Great Ormond Street Hospital
        Cedars-Sinai Medical Center; UCSF Medical Center; Karolinska Hospital"""),
    shape(
        """<c> General Hospital; St. <f>'s Hospital; <l> Medical Center; <c> Children's Hospital; <c> Clinic
        <l> Memorial Hospital; <c> University Hospital; <l> Family Clinic; <r> Regional Medical Center
        <l> Dental Clinic; <c> Health Center; <l> Eye Clinic; Royal <c> Infirmary; <w> Health
        <c> Community Hospital; Mercy Hospital <c>; <c> Cancer Center""",
        c=city,
        l=last_name,
        r=region,
        w=coined,
        f=words("Mary Jude Luke Vincent Joseph Francis Elizabeth"),
    ),
)
media = mix(
    listed("""BBC; CNN; Reuters; Associated Press; AP; AFP; The New York Times; The Washington Post; The Guardian
        Fox News; NBC; ABC News; CBS; Bloomberg; Financial Times; The Wall Street Journal; Al Jazeera; Le Monde
        Der Spiegel; El País; Xinhua; Kyodo News; NPR; The Economist; Time magazine; USA Today
        Los Angeles Times; TechCrunch; The Verge; Sky News; Politico; Vox; BuzzFeed; Haaretz; Daily Mail
        The Times of India; South China Morning Post; TASS; Deutsche Welle; MSNBC; ESPN; Channel 4; Yle; NHK
        RTÉ"""),
    shape(
        """<c> Times; <c> Daily News; The <c> Herald; <c> Post; Radio <c>; The <c> Gazette; <c> Tribune
        <d> state television; <l> Weekly; Channel <n>; <c> Observer; <d> Broadcasting Corporation
        The <c> Chronicle; <c> FM""",
        c=city,
        d=demonym,
        l=last_name,
        n=whole(2, 13),
    ),
)
_party = mix(
    listed("""Democratic Party; Republican Party; Labour; Labour Party; Conservative Party; Tories; Liberal Democrats
        Green Party; GOP; Likud; Christian Democratic Union; CDU; SPD; AfD; BJP; Indian National Congress
        African National Congress; ANC; Communist Party; PRI; Fianna Fáil; Sinn Féin; Scottish National Party
        Fidesz; Law and Justice; Podemos; Five Star Movement; Liberal Party; UKIP"""),
    shape(
        """<d> Socialist Party; <d> Democratic Party; Party of <v>; <v> Party; Movement for <v>; <d> Workers' Party
        United <v> Front; People's <v> Party; <d> Green Party; National <v> Alliance; <d> Liberal Party""",
        d=demonym,
        v=words(
            "Freedom Unity Progress Justice Reform Democracy Liberty Renewal Peace Development Labour Independence"
        ),
    ),
)
sports_team = mix(
    listed("""Manchester United; Real Madrid; Barcelona; Liverpool; Arsenal; Chelsea; Bayern Munich; Juventus
        AC Milan; Ajax; Celtic; PSG; Los Angeles Lakers; Chicago Bulls; Boston Celtics; Golden State Warriors
        New York Yankees; Boston Red Sox; Dallas Cowboys; New England Patriots; Green Bay Packers
        Toronto Maple Leafs; All Blacks; Mumbai Indians; Boca Juniors; Flamengo; Ferrari; Manchester City
        Inter Milan; Borussia Dortmund; Tottenham; Everton; Leeds United; Essex; Surrey; Yorkshire; Dodgers
        Cubs"""),
    shape(
        """<c> United; <c> City; FC <c>; <c> <a>; <c> <a>; <c> <a>; <c> Rovers; <c> FC; the <a>; <o>
        <o> women's team; <o> U-21; Dynamo <c>; <c> Wanderers; <c> Athletic; Sporting <c>; <a>
        <d> national team; <c> Rangers; Team <l>; <l> Racing""",
        c=big_city,
        o=country,
        d=demonym,
        l=last_name,
        a=words(
            "Tigers Bears Hawks Lions Wolves Sharks Kings Knights Raptors Bulls Panthers Pirates Giants "
            "Rockets Storm Bandits Comets"
        ),
    ),
)
band = mix(
    listed("""The Beatles; Queen; Pink Floyd; Led Zeppelin; Coldplay; Radiohead; Nirvana; U2; Metallica; AC/DC; ABBA
        BTS; Blackpink; Blur; The Rolling Stones; Fleetwood Mac; Daft Punk; Oasis; Arctic Monkeys; Foo Fighters
        Green Day; Linkin Park; Red Hot Chili Peppers; Gorillaz; The Who; R.E.M.; Muse; One Direction
        Spice Girls; Kraftwerk; Genesis; The Doors; Depeche Mode; Tame Impala; Rush"""),
    shape(
        """The <n> <m>s; <n> <m>; The <m>s; <l> Quartet; <c> Symphony Orchestra; <c> Philharmonic; <w>
        The <l> Brothers; The <l> Trio; <l> and the <m>s; <c> Chamber Choir; <n> <m> Collective; Black <m>
        Dead <m>s; Midnight <m>""",
        n=_natural,
        m=_noun,
        l=last_name,
        c=big_city,
        w=coined,
    ),
)
_group = listed("""Taliban; Al-Qaeda; ISIS; Hamas; Hezbollah; protesters; students; teachers; refugees; Rohingya Muslims
        farmers; senior citizens; the Kardashians; Hells Angels; the Mafia; Crips; senior management; volunteers
        shareholders; dock workers; first-time buyers; G7; G20; the Beat Generation; women voters; veterans
        Ku Klux Klan; Anonymous; coal miners; the Avengers; Boy Scouts; nurses; local residents
        a family of five; parents; a group of hikers; small business owners; migrant workers; the jury
        young adults""")
_ordinal = words("1st 2nd 3rd 5th 7th 10th 11th 25th 82nd 101st 173rd First Third Fifth Seventh Eighth")
military_unit = mix(
    listed("""U.S. Army; US Navy; Royal Air Force; Royal Navy; Marine Corps; Red Army; Wehrmacht; Luftwaffe
        Delta Force; Navy SEALs; SAS; Israel Defense Forces; IDF; People's Liberation Army
        French Foreign Legion; Revolutionary Guard; Republican Guard; Waffen-SS; Wagner Group; Azov Battalion
        Gurkhas; Peshmerga; Continental Army; Seventh Fleet; National Guard; Coldstream Guards; KFOR"""),
    shape(
        """<o> Infantry Division; <o> Armored Brigade; <o> Airborne Division; <o> Battalion; <o> Fleet
        <o> Cavalry Regiment; <d> army; <d> Navy; <d> Air Force; <o> Fighter Squadron; <o> <d> Division
        <o> Artillery Regiment; Task Force <n>; <d> troops; <o> Corps""",
        o=_ordinal,
        d=demonym,
        n=whole(3, 150),
    ),
)
_department = mix(
    listed("""Human Resources; HR; Finance; Marketing; Sales; Engineering; R&D; Legal; IT; Customer Service
        Operations; Procurement; Accounting; Quality Assurance; Public Relations; Logistics; Product Management
        Research and Development; Compliance; Security; Design; Information Technology; Internal Audit
        Business Development; Payroll; Customer Success; Data Science; Facilities; Treasury"""),
    shape(
        """Department of <s>; <s> Department; <s> department; <f> team; <f> Division; Office of the <h>
        <f> department; School of <s>""",
        s=words(
            "Physics History Chemistry Economics Mathematics Philosophy Biology Linguistics Psychology "
            "Engineering Statistics Music"
        ),
        f=words(
            "Sales Marketing Finance Legal Support Platform Growth Cloud Retail Security Design Purchasing "
            "Warehouse Editorial"
        ),
        h=words("President Dean Registrar Chancellor CEO CFO Provost Ombudsman"),
    ),
)
_body = mix(
    listed("""United Nations; UN; NATO; WHO; World Health Organization; European Union; EU; UNICEF; UNESCO; Red Cross
        Greenpeace; OPEC; IMF; World Bank; WTO; Amnesty International; FIFA; UEFA; NBA; NFL; IOC; African Union
        ASEAN; Oxfam; WWF; Human Rights Watch; PLO; IRA; Doctors Without Borders; Salvation Army; Rotary Club
        Wikimedia Foundation; Gates Foundation; Royal Society; PETA; ACLU; NRA"""),
    shape(
        """<l> Foundation; <c> Historical Society; <d> Football Association; International <t> Association
        <c> Rotary Club; <l> Institute; Institute for <t> Research; <d> Red Cross; <c> Chamber of Commerce
        <d> Academy of Sciences; National <t> Council; <t> Workers Union""",
        l=last_name,
        c=city,
        d=demonym,
        t=_topic,
    ),
)
organization = mix(
    _body, _body, _body, company, company, government_agency, school, sports_team, hospital, media, _party, _bank
)
VALUES: dict[str, Draw] = {
    "organization": organization,
    "company": company,
    "short_company": short_company,
    "full_company": full_company,
    "bank": _bank,
    "stock": _stock,
    "government_agency": government_agency,
    "school": school,
    "hospital": hospital,
    "media": media,
    "political_party": _party,
    "sports_team": sports_team,
    "band": band,
    "group": _group,
    "military_unit": military_unit,
    "party_a": mix(full_company, full_company, full_company, school, hospital, government_agency),
    "party_b": mix(full_company, full_company, full_company, full_company, invented),
    "department": _department,
}
