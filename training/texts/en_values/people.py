"""People: names of many cultures in many forms, and what describes a person."""

import random

from training.texts.en_values.compose import code, listed, lowered, mix, shape, whole
from training.texts.template import Draw, words

_ENGLISH_FIRST = words(
    "James Mary John Patricia Robert Jennifer Michael Linda William Elizabeth David Barbara Richard "
    "Susan Joseph Jessica"
    " Thomas Sarah Charles Karen Daniel Nancy Matthew Lisa Anthony Betty Mark Sandra Donald Ashley Steven Emily Andrew"
    " Paul Donna Joshua Michelle Kenneth Carol Kevin Amanda Brian Melissa George Deborah Timothy Stephanie Edward Laura"
    " Rebecca Jason Helen Jeffrey Sharon Ryan Cynthia Jacob Kathleen Gary Amy Nicholas Angela Eric Shirley Jonathan"
    " Anna"
    " Stephen Brenda Larry Pamela Justin Emma Scott Nicole Brandon Samantha Benjamin Katherine Samuel Christine Gregory"
    " Olivia Noah Ava Liam Sophia Mason Isabella Ethan Mia Logan Charlotte Lucas Amelia Oliver Harper Henry Grace Owen"
    " Chloe Nathan Ruby Dylan Alice Connor Hannah Toby Freya Callum Imogen Rhys Siobhan Declan Niamh Hugh Beatrice Maya"
    " Tyler Zoe Marcus Naomi Derek Priscilla Trevor Hazel Curtis Violet Jordan Taylor Morgan Casey Riley Drew Max Leo"
)
_ENGLISH_LAST = words(
    "Smith Johnson Williams Brown Jones Miller Davis Wilson Anderson Taylor Thomas Moore Jackson Martin Lee Thompson"
    " White Harris Clark Lewis Robinson Walker Young Allen King Wright Scott Hill Green Adams Baker Nelson Carter"
    " Mitchell Roberts Turner Phillips Campbell Parker Evans Edwards Collins Stewart Morris Murphy Cook Rogers Morgan"
    " Cooper Reed Bailey Bell Kelly Howard Ward Cox Richardson Watson Brooks Wood Bennett Gray Hughes Price Myers Long"
    " Foster Sanders Ross Morales Powell Sullivan Russell Jenkins Perry Butler Barnes Fisher Henderson Coleman Simmons"
    " Patterson Jordan Reynolds Hamilton Graham Wallace Woods Cole West Owens Freeman Webb Tucker Burns Crawford Mason"
    " Hawthorne Whitaker Pemberton Ashworth Blackwood Fairchild Holloway Langley Marlowe Prescott Sinclair Thornton"
    " Winslow McCarthy O'Connor O'Brien MacDonald McIntyre Fitzgerald Gallagher Kavanagh Llewellyn Cavendish Baxter"
    " Hobbs Finch Pryor Strickland Vaughn Yates Crane Dalton Ellison Garrett Hastings Keller Lockwood Mercer Norwood"
)
_FIRST_BY_CULTURE = (
    "Carlos María José Lucía Juan Carmen Luis Sofía Javier Valentina Miguel Camila Diego Gabriela Alejandro Paula Rosa"
    " João Beatriz Rafael Inês Thiago Mariana",
    "Pierre Camille Jean Élodie Louis Margaux Antoine Claire Julien Manon Étienne Amélie François Chloé Mathieu Léa",
    "Hans Greta Lukas Anke Jürgen Heike Stefan Katrin Matthias Ursula Felix Lena Wolfgang Sabine Maximilian Johanna"
    " Lars Astrid Sven Ingrid Magnus Freja Erik Linnea Pieter Anouk Bram Sanne",
    "Giulia Marco Francesca Alessandro Chiara Luca Elena Matteo Federica Giovanni Bianca Lorenzo Paola",
    "Ivan Olga Dmitri Natalia Sergei Irina Alexei Tatiana Mikhail Svetlana Piotr Agnieszka Tomasz Katarzyna Jakub Zofia"
    " Oleksandr Oksana Andriy Kateryna Milan Jelena Goran Ana Nikola Petra",
    "Wei Fang Jing Ming Xiaoming Li Hao Yan Jun Mei Xin Yuchen Zihan Jianguo Haoran Siyu Tianyi Yiming Ruolan Qiang",
    "Haruto Yuki Kenji Sakura Takashi Aiko Hiroshi Naoko Daichi Emi Satoshi Keiko Ren Hinata",
    "Min-jun Seo-yeon Ji-hoon Ha-eun Sung-ho Soo-jin Hyun-woo Eun-ji Dong-hyun Yuna",
    "Amit Priya Rahul Anjali Vikram Sunita Arjun Kavita Sanjay Neha Rohan Deepa Suresh Lakshmi Aarav Meera Imran"
    " Ayesha",
    "Mohammed Fatima Ahmed Layla Omar Aisha Hassan Zainab Yusuf Noor Khalid Mariam Tariq Salma Karim Leila Reza Shirin",
    "Chinedu Ngozi Kwame Ama Oluwaseun Folake Thabo Lerato Tendai Wanjiku Kofi Amina Babajide Zanele Abebe Selam",
    "Nguyen Linh Minh Thu Anh Siti Budi Dewi Agus Putri Maricel Jomar Somchai Malee Aung Thida",
    "Moshe Yael Avi Noa Mehmet Elif Emre Zeynep Dimitris Eleni Giorgos Katerina Levan Nino Aram Ani",
)
_LAST_BY_CULTURE = (
    "García Rodríguez Martínez Hernández López González Pérez Sánchez Ramírez Torres Flores Rivera Gómez Díaz Silva"
    " Santos Oliveira Pereira Costa Almeida Ferreira Fernández-Vega",
    "Dubois Moreau Laurent Lefèvre Girard Rousseau Fontaine Mercier Chevalier Blanchard Beaumont Garnier Marchand",
    "Müller Schmidt Schneider Fischer Weber Wagner Becker Hoffmann Schäfer Koch Zimmermann Krüger Lindqvist Johansson"
    " Nilsen Andersen Jensen Bergström Hansen Visser Jansen Bakker",
    "Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Conti De-Luca Moretti",
    "Ivanov Petrova Smirnov Volkov Sokolov Kuznetsova Morozov Kowalski Nowak Wiśniewska Zieliński Shevchenko Kovalenko"
    " Bondarenko Novák Horváth Popescu Jovanović Petrović Horvat",
    "Wang Li Zhang Liu Chen Yang Huang Zhao Wu Zhou Xu Sun Ma Zhu Hu Guo He Lin Gao Luo Zheng Ouyang",
    "Tanaka Suzuki Sato Takahashi Watanabe Yamamoto Nakamura Kobayashi Ito Kato Yoshida Mori Fujimoto",
    "Kim Lee Park Choi Jung Kang Cho Yoon Jang Lim Han Shin",
    "Sharma Patel Singh Kumar Gupta Reddy Iyer Nair Mehta Chopra Das Banerjee Khan Rao Joshi Desai Malik Hussain",
    "Al-Farsi Haddad Khalil Mansour Nasser El-Sayed Rahman Abbasi Hosseini Qureshi Aziz Saleh Farouk Darwish Ahmadi",
    "Okafor Adeyemi Mensah Boateng Nkosi Dlamini Mwangi Otieno Kamau Diallo Traoré Tesfaye Okonkwo Abubakar Moyo"
    " Ndlovu",
    "Nguyen Tran Le Pham Santoso Wijaya Hidayat Reyes Cruz Bautista Dela-Cruz Suwan Htun",
    "Cohen Levi Mizrahi Yılmaz Demir Kaya Papadopoulos Georgiou Nikolaidis Beridze Petrosyan Grigoryan",
)
_CULTURES = tuple((words(first), words(last)) for first, last in zip(_FIRST_BY_CULTURE, _LAST_BY_CULTURE, strict=True))


def _pair(rng: random.Random) -> tuple[str, str]:
    """A given name and a surname, most often of one culture."""
    if rng.random() < 0.45:
        return _ENGLISH_FIRST(rng), _ENGLISH_LAST(rng)
    first, last = rng.choice(_CULTURES)
    if rng.random() < 0.1:
        first = _ENGLISH_FIRST
    return first(rng), last(rng).replace("De-", "De ").replace("Dela-", "Dela ")


def first_name(rng: random.Random) -> str:
    """A single given name."""
    return _pair(rng)[0]


def last_name(rng: random.Random) -> str:
    """A single surname."""
    return _pair(rng)[1]


def plain_name(rng: random.Random) -> str:
    """A given name and a surname."""
    return " ".join(_pair(rng))


_FORMS = shape(
    """<f> <i>. <l>; <f> <i>. <l>; <i>. <l>; <i>. <i>. <l>; <f> <g> <l>; <f> <l>-<m>; <f> <l> Jr.; <f> <l> III; <l>, <f>
    <f> van <l>; <f> van der <l>; <f> de <l>; <f> von <l>; <f> al-<l>; <f> bin <l>; <i>.<i>. <l>; <f>-<g> <l>; <l>, <i>.
    <f> "<n>" <l>; <f> <l> <m>; <f> <i> <l>; <l> <i>.; <f> <l>, PhD""",
    f=first_name,
    g=first_name,
    l=last_name,
    m=last_name,
    i=code("@"),
    n=words("Buddy Red Doc Tex Sonny Duke Ace Bunny Skip Lefty Chip Junior Mac Slim"),
)
_title = words("Mr. Mrs. Ms. Dr. Prof. Mr Mrs Ms Dr Miss Sir Dame Captain Professor Rev. Judge Sgt. Lady Father Uncle")
_titled = shape("<t> <l>; <t> <l>; <t> <f> <l>", t=_title, f=first_name, l=last_name)
full_name = mix(plain_name, plain_name, plain_name, plain_name, plain_name, _FORMS)
person = mix(*[full_name] * 7, first_name, last_name, _titled)
lower_person = lowered(mix(first_name, first_name, last_name, plain_name))


def _known(values: str, often: int = 1) -> Draw:
    """One of the known people, or, as many times as `often` says, one who is made up."""
    return mix(listed(values), *[plain_name] * often)


_politician = _known("""Barack Obama; Angela Merkel; Emmanuel Macron; Joe Biden; Donald Trump; Theresa May
        Justin Trudeau
        Narendra Modi; Winston Churchill; Abraham Lincoln; Nelson Mandela; Margaret Thatcher; Indira Gandhi
        Lula da Silva; Jacinda Ardern; Shinzo Abe; Vladimir Putin; Volodymyr Zelenskyy; Nancy Pelosi
        John F. Kennedy; Kofi Annan; Rishi Sunak; Keir Starmer; Olaf Scholz; Pedro Sánchez; Giorgia Meloni
        Charles de Gaulle; Ursula von der Leyen; Recep Tayyip Erdoğan; Hillary Clinton; Mitch McConnell
        Bernie Sanders; Mikhail Gorbachev; Thomas Jefferson""")
_athlete = _known("""Lionel Messi; Cristiano Ronaldo; Serena Williams; Roger Federer; LeBron James; Usain Bolt; Messi
    Michael Jordan; Simone Biles; Tiger Woods; Michael Phelps; Kylian Mbappé; Novak Djokovic; Stephen Curry; Tom Brady
    Lewis Hamilton; Megan Rapinoe; Virat Kohli; Shohei Ohtani; Naomi Osaka; Muhammad Ali; Pelé; Diego Maradona; Neymar
    Zinedine Zidane; Rafael Nadal; Katie Ledecky; Max Verstappen; Eliud Kipchoge; Yao Ming; Mohamed Salah; Sam Kerr""")
_artist = _known("""Taylor Swift; Beyoncé; Adele; Ed Sheeran; Rihanna; Drake; Elvis Presley; Madonna; David Bowie
        Prince; Michael Jackson; Billie Eilish; Bob Dylan; Stevie Wonder; Vincent van Gogh; Pablo Picasso
        Claude Monet; Lady Gaga; Frida Kahlo; Johann Sebastian Bach; Ludwig van Beethoven
        Wolfgang Amadeus Mozart; Miles Davis; Nina Simone; Björk; Kendrick Lamar; Aretha Franklin
        Johnny Cash; Bruno Mars; Andy Warhol; Rembrandt; Yo-Yo Ma; Shakira; Eminem; Sia; Ella Fitzgerald
        Frank Sinatra; Tupac Shakur; DJ Shadow; Norah Jones; Lil Wayne; Dua Lipa; The Weeknd; Leonard Cohen""")
_actor = _known("""Tom Hanks; Meryl Streep; Leonardo DiCaprio; Denzel Washington; Cate Blanchett; Brad Pitt; Emma Stone
        Viola Davis; Robert De Niro; Scarlett Johansson; Morgan Freeman; Natalie Portman; Shah Rukh Khan
        Jackie Chan; Audrey Hepburn; Marlon Brando; Kate Winslet; Idris Elba; Ryan Gosling; Zendaya
        Steven Spielberg; Christopher Nolan; Alfred Hitchcock; Quentin Tarantino; Greta Gerwig; Bong Joon-ho
        Akira Kurosawa; Keanu Reeves; Judi Dench; Will Smith""")
_writer = _known("""William Shakespeare; Jane Austen; George Orwell; J. K. Rowling; Stephen King; Ernest Hemingway
    Toni Morrison; Gabriel García Márquez; Haruki Murakami; Leo Tolstoy; Emily Dickinson; Robert Frost; Margaret Atwood
    Mark Twain; Agatha Christie; Virginia Woolf; Franz Kafka; Chimamanda Ngozi Adichie; Salman Rushdie; J.R.R. Tolkien
    Fyodor Dostoevsky; Maya Angelou; Charles Dickens; Oscar Wilde; Kazuo Ishiguro; Sylvia Plath; Homer; Victor Hugo""")
_scientist = _known("""Albert Einstein; Marie Curie; Isaac Newton; Charles Darwin; Stephen Hawking; Ada Lovelace
        Nikola Tesla; Alan Turing; Richard Feynman; Galileo Galilei; Niels Bohr; Rosalind Franklin
        Jane Goodall; Geoffrey Hinton; Euclid; Katalin Karikó; Louis Pasteur; Max Planck
        Srinivasa Ramanujan; Emmy Noether; Carl Friedrich Gauss; Yoshua Bengio; Dmitri Mendeleev
        Barbara McClintock; Tu Youyou; Jennifer Doudna; Francis Crick; Leonhard Euler; Michael Faraday""")
_professor = shape("Dr. <n>; Professor <n>; Prof. <n>; <n>; <n>", n=plain_name)
_patient = mix(full_name, full_name, _titled, shape("<i>.<i>.; Patient <i>; <f> <i>.", i=code("@"), f=first_name))
_ages = whole(1, 96)
_age = shape(
    """<a>; <a>; <a> years old; <a>-year-old; <a> year old; <a> years; aged <a>; <s> years old; <m> months old; <d>s
    <b>; mid-<d>s; early <d>s; late <d>s; <a> yrs; <a> y/o; <m>-month-old; over <d>; under 18; <c>-<e>; <s>""",
    a=_ages,
    m=whole(2, 23),
    d=words("20 30 40 50 60 70 80"),
    c=whole(18, 35),
    e=whole(36, 64),
    s=words("three five seven nine twelve sixteen nineteen thirty-two forty forty-one fifty-six sixty seventy-eight"),
    b=words("teenager middle-aged elderly newborn toddler"),
)
_gender = listed(
    "male; female; Male; Female; man; woman; M; F; boy; girl; non-binary; transgender; men; women; MALE; FEMALE"
)
VALUES: dict[str, Draw] = {
    "person": person,
    "first_name": first_name,
    "last_name": last_name,
    "lower_person": lower_person,
    "politician": _politician,
    "athlete": _athlete,
    "artist": mix(_artist, _artist, first_name),
    "actor": _actor,
    "writer": mix(_writer, _writer, _FORMS),
    "scientist": mix(_scientist, _professor),
    "recipient": mix(full_name, full_name, full_name, _titled),
    "sender": mix(full_name, full_name, full_name, _titled),
    "patient": _patient,
    "age": _age,
    "gender": _gender,
}
