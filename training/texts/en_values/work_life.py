"""Work and life: jobs, degrees, majors, skills, certificates, origins, beliefs, services, tasks."""

from training.texts.en_values.compose import capitalised, coined, listed, lowered, mix, shape, whole
from training.texts.en_values.people import plain_name
from training.texts.en_values.places import big_city, demonym, region
from training.texts.template import Draw, words

_trade = listed(
    """Software; Mechanical; Electrical; Civil; Data; DevOps; Network; Chemical; Sales; Quality; Process
        Machine Learning; Field Service; Security; Structural; Hardware; Cloud; Test; Design"""
)
_area = listed(
    """Marketing; Sales; Product; Project; Operations; Finance; HR; Brand; Account; Office; Store; Warehouse
        Supply Chain; IT; Regional; Program; Risk; Customer Success; Plant; Branch; Construction; Restaurant
        Procurement; Communications; Engineering; Technology"""
)
_plain_job = listed("""teacher; nurse; doctor; lawyer; accountant; engineer; architect; chef; waiter; waitress
        bartender
        barista; cashier; driver; truck driver; pilot; flight attendant; electrician; plumber; carpenter
        mechanic; welder; farmer; fisherman; gardener; cleaner; security guard; police officer; firefighter
        soldier; journalist; editor; translator; interpreter; librarian; photographer; graphic designer
        actor; singer; dancer; professor; lecturer; researcher; scientist; biologist; chemist; economist
        psychologist; therapist; social worker; dentist; surgeon; pharmacist; veterinarian; paramedic
        midwife; secretary; receptionist; judge; prosecutor; diplomat; ambassador; senator; president
        prime minister; mayor; minister; spokesman; spokeswoman; head coach; captain; goalkeeper; midfielder
        striker; manager; CEO; CFO; CTO; COO; chairman; founder; co-founder; director; consultant; analyst
        intern; freelancer; real estate agent; hairdresser; tailor; baker; butcher; plasterer; postman
        detective; astronaut; bishop; priest; Pope; king; queen; governor; secretary of state
        vice president; chief executive; managing director; board member; executive chef; tour guide
        babysitter; web developer; data scientist; copywriter; paralegal; bus driver; personal trainer
        coach; attorney general""")
job_title = mix(
    _plain_job,
    _plain_job,
    capitalised(_plain_job),
    shape(
        """<t> Engineer; Senior <t> Engineer; Junior <t> Engineer; <a> Manager; <a> Director; Head of <a>
        VP of <a>; Director of <a>; Chief <a> Officer; <a> Assistant; <a> Coordinator; Senior <a> Manager
        <a> Specialist; Lead <t> Engineer; <a> Analyst; <a> Intern; Senior <p>; assistant <p>; former <p>
        deputy <p>; Professor of <m>; Principal <t> Engineer; <m> teacher; Associate Professor
        Assistant Professor; Vice President of <a>; Executive Assistant to the <a> Director; <a> Associate
        Research Scientist; <a> Executive; retired <p>; <l> <p>; Full Stack Developer; Frontend Developer
        iOS Developer; UX Designer; Postdoctoral Fellow""",
        t=_trade,
        a=_area,
        p=_plain_job,
        l=demonym,
        m=words("History Physics English Chemistry Economics Music Law"),
    ),
)
major = listed("""Computer Science; Mathematics; Physics; Chemistry; Biology; Economics; Finance; Accounting; Marketing
        Business Administration; Law; Medicine; Nursing; Psychology; Sociology; History; Philosophy
        English Literature; Linguistics; Political Science; International Relations; Journalism; Education
        Architecture; Civil Engineering; Mechanical Engineering; Electrical Engineering; Chemical Engineering
        Software Engineering; Biomedical Engineering; Data Science; Statistics; Information Systems
        Environmental Science; Geology; Geography; Anthropology; Art History; Fine Arts; Graphic Design; Music
        Theatre; Film Studies; Agriculture; Materials Science; Aerospace Engineering; Industrial Design
        Supply Chain Management; Hospitality Management; Public Health; Social Work; Molecular Biology
        Applied Mathematics; Artificial Intelligence; Cybersecurity; Human Resource Management; Pharmacy
        Dentistry; Veterinary Medicine; French; Modern Languages; Criminology; Communication Studies
        Electronic Engineering; Information Technology; Creative Writing; Neuroscience; Biochemistry
        Urban Planning; Fashion Design; Classics; Theology; Women's Studies; Astronomy; Quantitative Finance""")
degree = shape(
    """Bachelor's degree; bachelor's; Master's degree; master's; PhD; Ph.D.; MBA; BSc; B.Sc.; B.S.; BA; B.A.
        MSc; M.S.; MA; M.A.; MD; JD; LLB; LLM; M.Phil.; EdD; doctorate; high school diploma; associate degree
        GED; BEng; MEng; B.Tech; M.Tech; Diploma; Bachelor of Science; Bachelor of Arts; Master of Science
        DPhil; MFA; Master of Arts; Master of Business Administration; Doctor of Philosophy
        Bachelor of Engineering; Bachelor; Master; undergraduate; postgraduate diploma; Bachelor of Laws
        Bachelor of Commerce; BFA; A levels; B.Ed.; Executive MBA; college degree; HND; Bachelor of Nursing
        Master of Public Health; honorary doctorate; Bachelor of <m>""",
    m=major,
)
_skill_list = listed("""Python; Java; C++; SQL; JavaScript; Excel; Photoshop; AutoCAD; project management
        public speaking
        leadership; teamwork; communication; communication skills; problem solving; time management
        negotiation; customer service; copywriting; data analysis; machine learning; deep learning
        financial modeling; budgeting; forecasting; SEO; Google Analytics; social media management
        graphic design; video editing; photography; cooking; swimming; playing the piano; driving; typing
        fluent English; Spanish (conversational); Agile; Scrum; Kubernetes; Docker; AWS; Azure; Linux; Git
        React; Node.js; HTML/CSS; Tableau; Power BI; SAP; SPSS; R; first aid; welding; carpentry
        bookkeeping; event planning; critical thinking; creativity; attention to detail; adaptability
        conflict resolution; mentoring; web development; network administration; penetration testing
        natural language processing; technical writing; translation; interpreting; market research
        cold calling; CRM; risk assessment; quality control; lean manufacturing; Six Sigma
        forklift operation; patient care; phlebotomy; lesson planning; curriculum design; horse riding
        chess; knitting; public relations; contract negotiation; Microsoft Office; supply chain planning
        CI/CD; REST APIs; TensorFlow; strong analytical skills; multitasking""")
_certificate = mix(
    listed("""PMP; CPA; CFA; CFA Level II; CISSP; CCNA; AWS Certified Solutions Architect; driver's license
        driving licence; commercial driver's license; TOEFL; IELTS 7.5; GRE; GMAT; Scrum Master
        Certified ScrumMaster; Six Sigma Green Belt; Six Sigma Black Belt; ISO 9001; ISO 27001
        teaching certificate; nursing license; RN license; bar admission; pilot's license; first aid certificate
        CPR certification; food handler's permit; work permit; ACCA; CompTIA Security+; ITIL Foundation; PRINCE2
        Google Analytics Certification; Microsoft Certified: Azure Fundamentals; TEFL; CELTA
        real estate license; forklift licence; HSK 5; JLPT N2; DELF B2; LEED AP; OSHA 30; Series 7; CMA
        business license; liquor license; marriage certificate; birth certificate; FAA Part 107; CE marking
        Organic certification; FSC certification; Energy Star; Fairtrade; building permit; residence permit
        Oracle Certified Professional; RHCE; SHRM-CP; Cisco CCNP; CISA; CEH; EMT-B; Cambridge Advanced"""),
    shape(
        """Certified <a> Professional; <t> Engineer license; Certificate in <m>; <a> Management Certification
        Diploma in <m>; <w> Certified Administrator; <r> teaching license""",
        a=_area,
        t=_trade,
        m=major,
        w=coined,
        r=region,
    ),
)
ethnicity = mix(
    demonym,
    listed("""African American; Black; White; Caucasian; Hispanic; Latino; Asian; Asian American; Native American
        Pacific Islander; Han Chinese; Uyghur; Tibetan; Kurdish; Kurds; Jewish; Jews; Arab; Arabs; Roma; Maori
        Inuit; Aboriginal; Cherokee; Navajo; Apache; Sioux; Zulu; Xhosa; Yoruba; Igbo; Hausa; Hutu; Tutsi
        Maasai; Tamil; Sinhalese; Punjabi; Bengali; Pashtun; Hazara; Tajik; Uzbeks; Rohingya; Hmong; Sami
        Basque; Catalan; Slavic; Celts; Anglo-Saxon; Persian; Berber; Tuareg; South Asian; Middle Eastern
        mixed race; biracial; Latina; Berbers; Cajun; Karen; Turkic; Mongols; Ashkenazi; Mestizo; Afro-Caribbean
        British Asian; Somali; Chechens"""),
)
_religion = listed("""Christianity; Islam; Judaism; Hinduism; Buddhism; Sikhism; Taoism; Shinto; Catholicism
        Protestantism; Christian; Muslim; Jewish; Hindu; Buddhist; Sikh; Catholic; Roman Catholic
        Protestant; Baptist; Methodist; Lutheran; Presbyterian; Anglican; Mormon; Quaker; Amish
        Jehovah's Witnesses; Greek Orthodox; Sunni; Sunni Islam; Shia; Shiite; Sufism; Zen Buddhism; Jainism
        Bahá'í; Zoroastrianism; Confucianism; Scientology; atheist; agnostic; Christians; Muslims; Hindus
        Jews; Catholics; Evangelical; Pentecostal; Church of England; Southern Baptist; Hasidic
        Orthodox Judaism; Tibetan Buddhism; Eastern Orthodox; Druze; Yazidi; paganism; Wicca; Rastafari""")
_political = listed("""Democrat; Republican; Independent; Conservative; Liberal; Labour; Communist; CPC member
        Party member; member of the Communist Party; non-partisan; Socialist; registered Democrat
        registered Republican; Libertarian; Green; Tory; unaffiliated; Social Democrat
        Member of the Communist Youth League; Masses; far-right; left-wing; centrist; nonaligned
        card-carrying member; Probationary Party member; independent; Labour Party member; Lib Dem
        SNP member; right-wing; undecided""")
_language_pair = words("English-French English-to-Spanish German-English Chinese-to-English")
_service = mix(
    listed("""Netflix; Spotify; Apple Music; YouTube Music; Pandora; Deezer; Tidal; Hulu; Disney+; Amazon Prime
        HBO Max; Uber; Lyft; DoorDash; Uber Eats; Google Drive; Dropbox; iCloud; AWS Lambda; Amazon S3; PayPal
        Venmo; Apple Pay; Zelle; room service; laundry service; airport shuttle; free Wi-Fi; valet parking
        dry cleaning; car rental; house cleaning; babysitting; dog walking; home delivery; express shipping
        gift wrapping; tax preparation; legal advice; web hosting; technical support; IT consulting
        translation services; catering; wedding planning; interior design; pest control; lawn mowing; oil change
        tire rotation; haircut; manicure; massage; life insurance; travel insurance; car insurance
        online banking; mortgage; freight forwarding; warehousing; payroll processing; market research
        security services; event photography; plumbing repair; 24-hour front desk; breakfast; gym; spa; Wi-Fi
        moving service; tutoring; recycling collection; broadband; mobile roaming; Google Play Music; SoundCloud
        Netease Music; Groove Shark"""),
    shape(
        "<w> Cloud; <w> Pay; <w>+; <p> translation; <c> airport transfer; <w> Music; <w> Premium",
        w=coined,
        p=_language_pair,
        c=big_city,
    ),
)
_research_task = listed("""machine translation; named entity recognition; NER; sentiment analysis; question answering
        text summarization; image classification; object detection; semantic segmentation; speech recognition
        relation extraction; text classification; coreference resolution; dependency parsing
        part-of-speech tagging; face recognition; image captioning; language modeling; link prediction
        anomaly detection; recommendation; information retrieval; pose estimation; visual question answering
        fraud detection; natural language inference; speech synthesis; entity linking; word sense disambiguation
        time series forecasting; image super-resolution; optical character recognition; reading comprehension
        dialogue generation; keyphrase extraction; event extraction; semantic role labeling; video captioning
        document classification; path planning""")
_to_do = shape(
    """buy groceries; call <p>; send the report to <p>; book a flight to <c>; pick up the kids
        water the plants; pay the rent; finish the presentation; review the contract
        schedule a meeting with <p>; renew the passport; fix the login bug; update the website; order <n> chairs
        email <p>; walk the dog; clean the garage; take out the trash; prepare the quarterly budget
        write unit tests; call the dentist; submit the expense report; draft the press release
        update the slides; collect the dry cleaning; back up the server; reply to <p>; book the meeting room
        train new staff; order toner; do the laundry; print <n> copies; interview <n> candidates
        manage client accounts; prepare invoices; confirm the venue; share the minutes
        collect customer feedback; maintain the database; develop sales strategy; supervise a team of <n>
        follow up with <p>; translate the manual; check the inventory; clean the kitchen; get a haircut
        buy milk; finalize the design""",
    p=plain_name,
    c=big_city,
    n=whole(2, 50),
)
VALUES: dict[str, Draw] = {
    "job_title": job_title,
    "degree": mix(
        degree, degree, degree, shape("<d> in <m>", d=words("BA BSc MSc MA PhD B.S. M.S. Master's Bachelor's"), m=major)
    ),
    "major": mix(major, major, lowered(major)),
    "skill": mix(_skill_list, _skill_list, capitalised(_skill_list)),
    "certificate": _certificate,
    "ethnicity": ethnicity,
    "religion": _religion,
    "political_status": _political,
    "service": _service,
    "task": mix(_research_task, _to_do),
}
