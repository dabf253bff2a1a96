"""Events: incidents, competitions, conferences, elections, wars, festivals, awards, laws, documents, projects, arms."""

from training.texts.en_values.compose import capitalised, code, coined, listed, mix, shape, whole
from training.texts.en_values.people import last_name
from training.texts.en_values.places import big_city, country, demonym, natural_feature, region
from training.texts.template import Draw, words

_year = whole(1995, 2027)
_topic = listed("""Climate Change; Machine Learning; Public Health; Artificial Intelligence; Cybersecurity
        Renewable Energy; Education; Human Rights; Robotics; Biotechnology; Data Science; Urban Planning; Trade
        Nuclear Security; Digital Health; Sustainable Development; Cancer Research; Computer Vision
        Space Exploration; Food Security; Water""")
competition = mix(
    listed("""World Cup; FIFA World Cup; Champions League; Premier League; La Liga; Bundesliga; Serie A; Olympics
        Olympic Games; Winter Olympics; Super Bowl; World Series; NBA Finals; Stanley Cup; Wimbledon; US Open
        French Open; Australian Open; Tour de France; Ryder Cup; Masters; Formula One; Monaco Grand Prix
        Six Nations; Ashes; Copa América; Euro 2020; Kentucky Derby; Boston Marathon; Davis Cup; Europa League
        FA Cup; Asian Cup; Indy 500; March Madness; Commonwealth Games; County Championship
        International Mathematical Olympiad; SemEval-2016; ImageNet Challenge; The International
        Eurovision Song Contest; America's Cup; NHL; Davis Cup World Group"""),
    shape(
        """<y> <c> Open; <c> Marathon; <d> Grand Prix; <d> Championship; <l> Cup; <d> Open; <y> World Championships
        <d> Premier League; <c> Chess Tournament; <l> Trophy; <d> Cup; <y> <d> Open; <c> Film Competition
        <d> first division; <y> Summer Olympics""",
        y=_year,
        c=big_city,
        d=demonym,
        l=last_name,
    ),
)
_conference = mix(
    listed("""NeurIPS; ICML; ACL; EMNLP; CVPR; ICCV; AAAI; IJCAI; SIGGRAPH; CHI; ICLR; KDD; WWDC; Google I/O; CES; E3
        Comic-Con; Davos; World Economic Forum; G20 Summit; COP26; TED; Yalta Conference
        Munich Security Conference; ECCV 2022; NAACL-HLT; LREC; Interspeech; SXSW; AWS re:Invent
        Mobile World Congress; UN General Assembly; Bretton Woods Conference"""),
    shape(
        """ACL <y>; NeurIPS <y>; CVPR <y>; International Conference on <t>; <c> Summit; <y> Annual Meeting
        Workshop on <t>; <c> Climate Conference; Global <t> Forum; <t> Symposium; <d> Congress of <t>
        <n>th International Conference on <t>; <w>Con <y>; weekly standup; board meeting; quarterly review
        World Congress on <t>; <c> Peace Conference; <t> Summit <y>; annual general meeting
        <w> Developer Conference""",
        y=_year,
        t=_topic,
        c=big_city,
        d=demonym,
        n=words("4 5 6 7 8 9 10 15 24 30"),
        w=coined,
    ),
)
_election = shape(
    """<y> presidential election; <y> general election; <d> general election; <d> presidential election
        <y> <d> parliamentary election; Brexit referendum; <r> primary; Iowa caucuses; New Hampshire primary
        midterm elections; <y> midterms; Super Tuesday; <c> mayoral election; <r> gubernatorial race
        <y> <r> Senate election; <y> Scottish independence referendum; European Parliament elections
        snap election; local elections; by-election in <c>; <y> U.S. presidential election; Brexit
        runoff election; <o>'s constitutional referendum; <y> federal election
        <y> United Kingdom general election; <d> elections""",
    y=_year,
    d=demonym,
    r=region,
    c=big_city,
    o=country,
)
war = mix(
    listed("""World War II; World War I; WWII; WW1; Vietnam War; Korean War; Gulf War; Cold War; American Civil War
        Iraq War; Falklands War; Crimean War; Boer War; Spanish Civil War; Six-Day War; Yom Kippur War
        Napoleonic Wars; War of 1812; D-Day; Hundred Years' War; Peloponnesian War; Thirty Years' War
        American Revolutionary War; Operation Desert Storm; Battle of Waterloo; Battle of Stalingrad
        Pearl Harbor; Operation Barbarossa; Battle of Hastings; Tet Offensive; Syrian civil war; Crusades
        Seven Years' War; Second Punic War; War on Terror; Opium War; Battle of Gettysburg; Russo-Japanese War
        Second World War; First World War"""),
    shape(
        """Battle of <c>; Siege of <c>; <d> Civil War; Operation <w>; <d>-<e> War; invasion of <o>; Battle of <n>
        Second Battle of <c>; war in <o>; <d> War of Independence; bombing of <c>; fall of <c>; First <d> War
        <d> Revolution""",
        c=big_city,
        d=demonym,
        e=demonym,
        o=country,
        n=natural_feature,
        w=listed(
            "Iron Fist; Red Dawn; Enduring Freedom; Overlord; Market Garden; Desert Fox; Thunderbolt; Torch; Linebacker"
        ),
    ),
)
_festival = mix(
    listed("""Christmas; Easter; Thanksgiving; Halloween; New Year's Eve; New Year's Day; Valentine's Day
        Independence Day; Memorial Day; Labor Day; Veterans Day; Mother's Day; Father's Day; Hanukkah; Passover
        Ramadan; Eid al-Fitr; Diwali; Holi; Chinese New Year; Lunar New Year; Mid-Autumn Festival
        Dragon Boat Festival; Oktoberfest; Carnival; Mardi Gras; St. Patrick's Day; Day of the Dead; Coachella
        Glastonbury; Burning Man; Woodstock; Cannes Film Festival; Sundance; Bastille Day; Boxing Day; Songkran
        Vesak; Black Friday; Good Friday; Yom Kippur; Rosh Hashanah; Fourth of July; Martin Luther King Jr. Day
        Lollapalooza; La Tomatina; Edinburgh Fringe; Anzac Day; Earth Day; Christmas Eve; Nowruz
        Lantern Festival; Cinco de Mayo; Tomorrowland"""),
    shape(
        """<c> Film Festival; <c> Jazz Festival; <c> Pride; <c> Food Festival; <c> Book Fair; <c> Carnival
        <l> Music Festival; <d> Independence Day; <c> Wine Festival; <w> Fest""",
        c=big_city,
        l=last_name,
        d=demonym,
        w=coined,
    ),
)
event = mix(
    listed("""9/11; French Revolution; Great Depression; Chernobyl disaster; Hurricane Katrina; Watergate scandal
        Brexit; COVID-19 pandemic; Black Death; Industrial Revolution; Renaissance; Holocaust; Boston Tea Party
        Apollo 11 landing; Arab Spring; the fall of the Berlin Wall; Great Fire of London; Prague Spring
        Hurricane Sandy; Space Race; Battle of Britain; Black Friday; Met Gala; Wall Street Crash of 1929
        Tiananmen Square protests; Fukushima disaster; Deepwater Horizon oil spill; Live Aid; earthquake; flood
        wildfire; plane crash; protest; data breach; strike; wedding; merger; bankruptcy; product launch
        bombing; shooting; layoffs; coup; ceasefire; charity run; Gamergate; dentist appointment; birthday party
        job fair; open day; hackathon"""),
    shape(
        """<y> <c> earthquake; <c> bombing; <c> attacks; Hurricane <n>; <d> Revolution; <y> <o> floods
        <c> protests; <c> train crash; <y> <c> fire; <l> trial; <c> Marathon; <o> crisis; Typhoon <n>
        <c> Fashion Week; <y> <d> coup; <l> scandal; <w> product launch; <c> riots; Expo <y>""",
        y=_year,
        c=big_city,
        d=demonym,
        o=country,
        l=last_name,
        n=words("Ida Maria Hugo Irma Otis Nadia Felix Laura Haiyan"),
        w=coined,
    ),
    competition,
    _festival,
    war,
)
_award = mix(
    listed("""Nobel Prize; Nobel Peace Prize; Nobel Prize in Literature; Academy Award; Oscar
        Academy Award for Best Picture; Golden Globe; Grammy; Grammy Award; Emmy; Tony Award; BAFTA
        Pulitzer Prize; Booker Prize; Turing Award; Fields Medal; Abel Prize; Palme d'Or; Golden Bear
        Ballon d'Or; MVP; Heisman Trophy; Medal of Honor; Purple Heart; Victoria Cross; Legion of Honour; OBE
        Presidential Medal of Freedom; Hugo Award; Nebula Award; Pritzker Prize; Best Paper Award
        Employee of the Month; gold medal; silver medal; bronze medal; National Book Award; Edgar Award
        Eisner Award; Golden Boot; Rookie of the Year; Mercury Prize; Fulbright Scholarship; Rhodes Scholarship
        Dean's List; Iron Cross; Lasker Award; Order of Merit; Best Actress; Caldecott Medal"""),
    shape(
        """<l> Prize; <l> Medal; Best <b>; <d> Academy Award; <l> Award for Excellence; <y> <l> Award
        <c> Innovation Award; Golden <a> Award; Order of the <a>; <l> Fellowship; <d> Book Award for <b>
        Grammy Award for Best <b>""",
        l=last_name,
        d=demonym,
        y=_year,
        c=big_city,
        b=words("Director Actor Screenplay Newcomer Documentary Album Song Novel Design"),
        a=words("Lion Eagle Rose Elephant Horse Star Leaf"),
    ),
)
_act = listed(
    """Clean Air; Data Protection; Civil Rights; Consumer Protection; Companies; Human Rights; Housing
        Employment; Trade Union; Road Traffic; Food Safety; Patriot; Freedom of Information; Equality
        Bankruptcy; Copyright; Immigration; Child Protection; Energy Policy; Animal Welfare"""
)
law = mix(
    listed("""GDPR; HIPAA; Affordable Care Act; Constitution; First Amendment; Second Amendment; Magna Carta
        Dodd-Frank Act; Sarbanes-Oxley Act; Americans with Disabilities Act; Roe v. Wade; Title IX
        Geneva Convention; Treaty of Versailles; NAFTA; Paris Agreement; Kyoto Protocol; Bill of Rights
        Patriot Act; Obamacare; Fourteenth Amendment; Treaty of Lisbon; Green New Deal
        Brown v. Board of Education; CCPA; Companies Act 2006; Uniform Commercial Code; Penal Code; Oslo Accords
        Good Friday Agreement; Stamp Act"""),
    shape(
        """<a> Act; <a> Act <y>; <a> Act of <y>; Article <n>; Section <n> of the <a> Act; <a> Bill
        Directive <y>/<n>/EU; laws of the State of <r>; <d> Constitution; Treaty of <c>; <n> U.S.C. § <n>
        Resolution <n>; Article <n> of the <d> Penal Code; Proposition <n>; <d> law; Executive Order 13<n>
        <l> v. <m>; <l> Act; Regulation (EU) <y>/<n>""",
        a=_act,
        y=_year,
        n=whole(2, 990),
        r=region,
        d=demonym,
        c=big_city,
        l=last_name,
        m=last_name,
    ),
)
_kind = listed("""Service Agreement; Non-Disclosure Agreement; Employment Contract; Lease Agreement; Purchase Agreement
        Loan Agreement; Annual Report; Invoice; Meeting Minutes; Statement of Work; Terms and Conditions
        Privacy Policy; User Manual; Business Plan; Memorandum of Understanding; Power of Attorney
        Share Purchase Agreement; Distribution Agreement; Licence Agreement; Feasibility Study; Project Charter
        Birth Certificate; Will; Purchase Order; Audit Report; White Paper; Test Plan; Research Proposal
        Consulting Agreement; Sales Contract; Settlement Agreement""")
document = mix(
    _kind,
    shape(
        """<w> <k>; <k> <y>; <f>.pdf; <f>_<y>.docx; <f>-v<n>.xlsx; <f>_final.pptx; <k> v<n>.0; Master <k>
        Schedule <n>; Appendix <a>; Exhibit <a>; Amendment No. <n>; <f>.txt; README.md; <f>.csv; <f>_<n>.jpg
        report.pdf; <y> Budget; Form W-<n>; <f>_draft<n>.doc; Form 10-K; Amended and Restated <k>
        <k> between the parties; <y> Annual Report; A Survey of <t>; On the Limits of <t>; <t>: A Review""",
        w=coined,
        k=_kind,
        y=_year,
        n=whole(1, 9),
        a=words("A B C D E"),
        t=_topic,
        f=words(
            "report invoice budget minutes contract resume CV notes proposal agenda photo scan summary "
            "presentation thesis schedule config backup"
        ),
    ),
)
_project = mix(
    listed("""Manhattan Project; Apollo program; Human Genome Project; Belt and Road Initiative; Marshall Plan
        Crossrail; HS2; Big Dig; Project Gutenberg; Artemis program; New Deal; Erasmus; Horizon 2020
        Three Gorges Dam project; ITER; Keystone XL; Nord Stream 2; Medicaid; Medicare; Project Mercury
        website redesign; office relocation; ERP rollout; mobile app development; data migration
        Teach for America; Peace Corps; Mars Exploration Program"""),
    shape(
        """Project <w>; Project <a>; <c> Metro Line <n>; <c> Airport expansion; <w> migration
        <c> Waterfront Redevelopment; <t> Initiative; <l> Bridge replacement; <c> Smart City project; <w> <n>.0
        <r> Wind Farm; <t> Program; Operation <a>; <c> Housing Scheme; <w> pipeline; <o> Solar Park
        <c> Light Rail""",
        w=coined,
        a=words("Phoenix Titan Falcon Aurora Neptune Apollo Bluebird Sunrise Lighthouse Orion Kestrel"),
        c=big_city,
        n=whole(1, 9),
        t=_topic,
        l=last_name,
        r=region,
        o=country,
    ),
)
_weapon = mix(
    listed("""AK-47; M16; AR-15; Glock 17; Uzi; Beretta M9; Kalashnikov; rifle; pistol; shotgun; machine gun; grenade
        hand grenades; RPG-7; mortar; howitzer; landmines; Tomahawk cruise missile; Patriot missile; Stinger
        Javelin; HIMARS; Scud missiles; atomic bomb; hydrogen bomb; torpedo; car bomb; roadside bomb; IED
        dynamite; C-4; TNT; sarin; mustard gas; nuclear weapons; chemical weapons; cluster munitions; knife
        sword; machete; bow; crossbow; spear; revolver; Colt .45; sniper rifle; ballistic missile
        Hellfire missiles; Exocet; flamethrower; bayonet; tear gas; napalm; musket; S-400; Iron Dome
        air strikes; Molotov cocktails; semi-automatic rifle; katana; rocket launcher; anti-tank missile
        Kinzhal; V-2 rocket; longbow; suicide vest; artillery shells; 9mm handgun"""),
    code(
        """M%#; M%##; AGM-%##; AIM-%##; Type %# rifle; MP%; FN-%###; RPG-%#; S-%00; KAB-%##; BGM-%##; PL-%#; DF-%#
        @K-%##"""
    ),
)
_platform = mix(
    listed("""F-16; F-35 Lightning II; F-22 Raptor; Su-27; MiG-29; B-52; B-2 Spirit; Eurofighter Typhoon; Rafale
        Spitfire; Apache helicopter; Black Hawk; Chinook; Abrams tank; Leopard 2; T-72; T-90; Challenger 2
        Bradley; Humvee; USS Nimitz; USS Enterprise; HMS Victory; Bismarck; Yamato; USS Gerald R. Ford
        Virginia-class submarine; Arleigh Burke-class destroyer; U-boat; aircraft carrier; destroyer; frigate
        submarine; fighter jet; bomber; tank; armored personnel carrier; MQ-9 Reaper; Bayraktar TB2
        Predator drone; A-10 Thunderbolt; P-51 Mustang; C-130 Hercules; Liaoning; J-20; Merkava; Sherman tank
        Moskva"""),
    shape(
        """USS <l>; HMS <w>; <l>-class frigate; <d> warship; F/A-<n> Hornet; Su-<n>; T-<n> tank; MiG-<n>; INS <w>
        USS <c>; C-<n>; Mi-<n> helicopter; UH-<n>; <c>-class destroyer; BTR-<n>""",
        l=last_name,
        w=words("Valiant Resolute Daring Invincible Vikrant Arrow Triumph"),
        d=demonym,
        n=whole(10, 95),
        c=big_city,
    ),
)
VALUES: dict[str, Draw] = {
    "event": mix(event, event, event, capitalised(event)),
    "competition": competition,
    "conference": _conference,
    "election": _election,
    "war": war,
    "festival": _festival,
    "award": _award,
    "law": law,
    "document": document,
    "project": _project,
    "weapon": _weapon,
    "military_platform": _platform,
}
