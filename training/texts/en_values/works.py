"""Works: games, films, shows, books, songs, albums, poems, artworks, journals, playlists, genres, instruments."""

from training.texts.en_values.compose import coined, listed, lowered, mix, shape, whole
from training.texts.en_values.people import first_name, last_name, plain_name
from training.texts.en_values.places import big_city, demonym
from training.texts.template import Draw, words

_adj = words(
    "Last Silent Broken Hidden Dark Golden Lost Burning Secret Endless Frozen Crimson Forgotten Wild "
    "Invisible Sacred Beautiful Bitter Distant Little"
)
_noun = words(
    "Garden River Shadow Kingdom Heart Winter Summer Ocean Mirror Dream Night House Stranger Letter "
    "Storm Moon Road Star Empire Fire Bridge Child Memory Promise"
)
_many = words(
    "Shadows Stars Secrets Wolves Dreams Lies Ghosts Thieves Angels Rivers Bones Roses Kings "
    "Monsters Strangers Mountains Sisters Hours"
)
_verb = words("Remember Forget Follow Save Chasing Finding Saving Losing Killing Leaving Dancing Breaking")
title = shape(
    """The <a> <n>; The <a> <n>; <n> of <m>; The <n> of <m>; <a> <m>; A <n> of <m>; <v> <f>; The <f> <n>
        The <n>; <n> in <c>; Beyond the <n>; <f> and the <n>; When the <n> Falls; The <l> Affair
        The <m> of <c>; <n>; <m> and <M>; Under the <a> <n>; Where the <m> Sleep; <f>; A <a> <n>
        Before the <n>; <v> the <n>; My <a> <n>; No <n> for <m>; The <n> <k>; <d> Days in <c>
        How to <w> a <n>; The Girl with the <a> <n>""",
    a=_adj,
    n=_noun,
    m=_many,
    M=_many,
    f=first_name,
    l=last_name,
    c=big_city,
    v=_verb,
    k=words("Keeper Thief Maker Hunter Collector Reader Express"),
    d=whole(2, 100),
    w=words("Build Lose Love Steal Paint"),
)
game = mix(
    listed("""Minecraft; Fortnite; League of Legends; The Legend of Zelda; Super Mario Bros.; Grand Theft Auto V
        Call of Duty; Overwatch; Tetris; Pac-Man; The Witcher 3; Elden Ring; Dark Souls; Halo; Doom; Portal 2
        The Sims; World of Warcraft; Counter-Strike; Valorant; Dota 2; Animal Crossing; Pokémon Go; Among Us
        Candy Crush; FIFA 23; Red Dead Redemption 2; Cyberpunk 2077; God of War; Skyrim; Stardew Valley; Hades
        Final Fantasy VII; Monopoly; Catan; Scrabble; Chess; Ticket to Ride; Baldur's Gate 3; Resident Evil 4
        Metal Gear Solid; Angry Birds; Genshin Impact; Street Fighter II; Sonic the Hedgehog; Half-Life
        Assassin's Creed; Wordle; Uncharted; StarCraft"""),
    shape(
        """<w>: <t>; <w> Quest; <t> <n>; <w> Online; <a> Souls; <w> Legends; <t>; Super <w> World; Tales of <w>
        <w> Racing <n>""",
        w=coined,
        t=title,
        a=_adj,
        n=whole(2, 6),
    ),
)
movie = mix(
    listed("""The Godfather; Titanic; Avatar; Inception; The Dark Knight; Pulp Fiction; Forrest Gump; The Matrix
        Star Wars; Jurassic Park; Jaws; Casablanca; Citizen Kane; Psycho; Parasite; Frozen; Toy Story; Up
        The Lion King; Schindler's List; Gladiator; Interstellar; Fight Club; Goodfellas
        The Shawshank Redemption; Black Panther; Avengers: Endgame; La La Land; Get Out; Amélie; Spirited Away
        Seven Samurai; Oppenheimer; Barbie; Dune; Alien; Rocky; Blade Runner; E.T.; Back to the Future
        Gone with the Wind; Roman Holiday; Harry Potter and the Chamber of Secrets; Top Gun: Maverick
        No Country for Old Men; Moonlight; Shrek; Finding Nemo; Spider-Man 2; Mad Max: Fury Road"""),
    title,
    shape(
        "<t> <n>; <t>: <s>; <f> & <g>; <t> (<y>)",
        t=title,
        s=title,
        n=whole(2, 4),
        f=first_name,
        g=first_name,
        y=whole(1940, 2025),
    ),
)
tv_show = mix(
    listed("""Friends; Breaking Bad; Game of Thrones; The Office; The Simpsons; Seinfeld; Stranger Things; The Crown
        Sherlock; Doctor Who; The Sopranos; The Wire; Mad Men; Lost; House of Cards; Black Mirror; Downton Abbey
        ER; House; Grey's Anatomy; The Big Bang Theory; Squid Game; Money Heist; Narcos; Succession; Ted Lasso
        The Mandalorian; Saturday Night Live; Jeopardy!; MasterChef; Survivor; American Idol; The Voice
        Top Gear; Planet Earth; Sesame Street; Naruto; One Piece; Attack on Titan; Star Trek; The X-Files
        Family Guy; Better Call Saul; Fleabag; Peaky Blinders; The Daily Show; Westworld; Law & Order
        CSI: Miami; Dexter; Chernobyl; South Park; The West Wing; 60 Minutes"""),
    title,
    shape(
        """<c> PD; <l> & <k>; The <l>s; Good Morning <c>; <c> Hospital; <t>, Season <n>; The <f> <l> Show; <d> Idol
        Real Housewives of <c>""",
        c=big_city,
        l=last_name,
        k=last_name,
        f=first_name,
        t=title,
        n=whole(1, 9),
        d=demonym,
    ),
)
book = mix(
    listed("""Pride and Prejudice; 1984; To Kill a Mockingbird; The Great Gatsby; Moby-Dick; War and Peace
        Crime and Punishment; Don Quixote; Ulysses; Hamlet; Macbeth; The Odyssey; Jane Eyre; Wuthering Heights
        Frankenstein; Dracula; The Catcher in the Rye; Lord of the Flies; Brave New World; The Hobbit
        The Lord of the Rings; Harry Potter and the Philosopher's Stone; The Da Vinci Code; Sapiens
        Thinking, Fast and Slow; A Brief History of Time; Beloved; Emma; Dune; On the Origin of Species
        The Alchemist; Life of Pi; The Hunger Games; Twilight; Gone Girl; Becoming; Educated; Norwegian Wood
        The Art of War; The Bible; The Selfish Gene; Introduction to Algorithms; Little Women; Watchmen
        The Stranger"""),
    title,
    title,
    shape(
        """A History of <c>; Introduction to <s>; The <l> Method; <t>: A Novel; Principles of <s>
        <s> for Beginners; The Life of <p>; The Art of <s>; Handbook of <s>; <t>, Volume <n>""",
        c=big_city,
        l=last_name,
        t=title,
        p=plain_name,
        s=words(
            "Economics Chemistry Statistics Cooking Psychology Marketing Philosophy Photography Negotiation Genetics"
        ),
        n=whole(1, 4),
    ),
)
song = mix(
    listed("""Bohemian Rhapsody; Imagine; Hey Jude; Yesterday; Billie Jean; Thriller; Like a Rolling Stone
        Hotel California; Smells Like Teen Spirit; Purple Rain; Hallelujah; Let It Be; Shape of You
        Rolling in the Deep; Hello; Bad Guy; Blinding Lights; Shake It Off; Despacito; Halo; Wonderwall; Creep
        Stairway to Heaven; Dancing Queen; I Will Always Love You; Lose Yourself; Umbrella; Viva la Vida
        Sweet Child o' Mine; Take On Me; Happy; Clair de Lune; Moonlight Sonata; Symphony No. 9; Für Elise
        Boléro; The Four Seasons; Summertime; Fly Me to the Moon; What a Wonderful World; Jolene; Ring of Fire
        No Woman, No Cry; Redemption Song; Amazing Grace; Jingle Bells; Happy Birthday; Old Town Road
        Uptown Funk"""),
    title,
    shape(
        """<v> You; <a> Love; Dear <f>; <f>; Goodbye, <c>; <v> the <n>; Dancing with <m>; I Need Your <n>
        Symphony No. <k>; Sonata in <q>; <n> (feat. <p>); Oh <f>; Take Me to <c>; Concerto No. <k> in <q>
        Hey <f>; <n> Blues""",
        v=_verb,
        a=_adj,
        f=first_name,
        c=big_city,
        n=_noun,
        m=_many,
        k=whole(1, 9),
        p=plain_name,
        q=listed("D minor; A major; C-sharp minor; E-flat major; G major"),
    ),
)
album = mix(
    listed(
        """Abbey Road; Thriller; The Dark Side of the Moon; Back in Black; Rumours; Nevermind; OK Computer
        Kind of Blue; Pet Sounds; 25; 1989; Lemonade; To Pimp a Butterfly; The Wall; Born to Run; Purple Rain
        Random Access Memories; Blue; Sgt. Pepper's Lonely Hearts Club Band; London Calling; Graceland; Folklore
        Blonde; Thank U, Next; Jagged Little Pill; Back to Black; Currents
        The Joshua Tree; Led Zeppelin IV; Ray of Light; Parachutes"""
    ),
    title,
    shape(
        """<n>s & <m>; <w>; The <l> Sessions; Live at <c>; Greatest Hits; <t> (Deluxe Edition); <y>; <a>; <w> EP
        Songs for <f>; The Best of <p>; Live in <c>""",
        n=_noun,
        m=_many,
        w=coined,
        l=last_name,
        c=big_city,
        t=title,
        y=whole(1970, 2024),
        a=_adj,
        f=first_name,
        p=plain_name,
    ),
)
_poem = mix(
    listed("""The Road Not Taken; The Raven; Ozymandias; If—; Daffodils; The Waste Land; Howl; Still I Rise; Daddy
        Sonnet 18; Ode to a Nightingale; Because I could not stop for Death; The Tyger; Kubla Khan; Jabberwocky
        Beowulf; Invictus; Stopping by Woods on a Snowy Evening; Do not go gentle into that good night
        Dulce et Decorum Est; Paradise Lost; The Love Song of J. Alfred Prufrock; Annabel Lee; Leaves of Grass
        The Iliad; Divine Comedy; Funeral Blues; She Walks in Beauty"""),
    shape(
        """Ode to <n>; To <f>; Sonnet <k>; Elegy for <f>; <n>; Lines Written in <c>; The <a> <n>; Song of the <n>
        On <m>; <t>""",
        n=_noun,
        f=first_name,
        k=whole(2, 154),
        c=big_city,
        a=_adj,
        m=_many,
        t=title,
    ),
)
_artwork = mix(
    listed("""Mona Lisa; The Starry Night; The Scream; Guernica; The Last Supper; Girl with a Pearl Earring
        The Birth of Venus; The Kiss; American Gothic; The Night Watch; Water Lilies; The Persistence of Memory
        Las Meninas; David; Sunflowers; The Thinker; Venus de Milo; Nighthawks; The Great Wave off Kanagawa
        Whistler's Mother; Campbell's Soup Cans; Fountain; Pietà; Olympia
        Self-Portrait with Thorn Necklace and Hummingbird; Salvator Mundi; The Hay Wain; Balloon Dog
        Terracotta Army"""),
    shape(
        """Portrait of <p>; Still Life with <m>; View of <c>; Untitled No. <k>; The <a> <n>; Woman with a <o>
        Composition <k>; Landscape near <c>; Bust of <l>; Boy with <o>; <n> at Dawn; Self-Portrait, <y>""",
        p=plain_name,
        m=words("Apples Roses Lemons Fish Skull"),
        c=big_city,
        k=whole(2, 40),
        a=_adj,
        n=_noun,
        o=words("Parasol Violin Guitar Umbrella Hat"),
        l=last_name,
        y=whole(1880, 1999),
    ),
)
_field = listed("""Applied Physics; Organic Chemistry; Clinical Oncology; Machine Learning Research
        Economic Perspectives; Marketing; Neuroscience; Ecology; Marine Biology; Linguistics; Philosophy
        Sociology; Finance; Public Health; Cardiology; Environmental Science; Computational Biology
        Political Economy; Materials Science; Nutrition; Cell Biology; Education; Psychiatry; Immunology
        Polymer Science; Geophysics; Archaeology; Computer Vision""")
periodical = mix(
    listed("""Nature; Science; Cell; The Lancet; JAMA; New England Journal of Medicine; BMJ; PNAS
        Physical Review Letters; Time; The New Yorker; Vogue; National Geographic; The Economist; Forbes
        Rolling Stone; Wired; Scientific American; Harvard Business Review; Sports Illustrated; The Atlantic
        Vanity Fair; GQ; Elle; Newsweek; PLOS ONE; The New York Times; The Guardian; Bioinformatics
        Econometrica; Angewandte Chemie; Nature Medicine; IEEE Access; Reader's Digest; Playboy; Neuron"""),
    shape(
        """Journal of <f>; International Journal of <f>; Annals of <f>; <d> Journal of <f>
        IEEE Transactions on <f>; <f> Letters; <f> Today; Annual Review of <f>; <d> Review of <f>
        Advances in <f>; <f> Quarterly; Frontiers in <f>""",
        f=_field,
        d=demonym,
    ),
)
_playlist = shape(
    """my <w> mix; <g> Hits; Road Trip; workout; Chill Vibes; Sunday <w>; <f>'s mix
        Songs to Sing in the Shower; <g> party; Top <k> <c>; Deep Focus; This Is <p>; All Out <y>s; Rap Caviar
        sleepy time; Peaceful Piano; Dinner with Friends; Running <w>; <w> jams; <g> Classics; <f> & <h> wedding
        Morning <w>; 100 Greatest <g> Songs; kitchen disco; <c> Nights; Cleaning the House; Rainy Day
        Hot Hits <c>; Gym <w>; My Favorites; <y>s throwback; Late Night <w>; women of <g>; Best of <g>
        Feel Good <w>""",
    w=words("Coffee Study Power Energy Beats Mood Relax Motivation Grooves Sunshine Commute Melancholy"),
    g=words("Rock Jazz Indie Country Metal Pop Latin Soul Reggae Disco Folk"),
    f=first_name,
    h=first_name,
    k=words("50 100 40 20"),
    c=big_city,
    p=plain_name,
    y=words("70 80 90 2000"),
)
_genre = listed("""rock; pop; jazz; blues; hip hop; rap; R&B; soul; funk; disco; reggae; ska; country; folk; bluegrass
        punk; punk rock; heavy metal; death metal; indie rock; alternative; grunge; electronic; house; techno
        trance; dubstep; drum and bass; ambient; classical; opera; baroque; gospel; Latin; salsa; bossa nova
        flamenco; K-pop; J-pop; Afrobeat; new wave; synth-pop; trap; lo-fi; progressive rock; gangsta rap
        singer-songwriter; swing; garage rock; hard rock; easy listening; EDM; reggaeton""")
_literary = listed("""novel; short story; poetry; science fiction; fantasy; romance; mystery; thriller; horror
        historical fiction; biography; memoir; autobiography; drama; comedy; tragedy; satire; crime fiction
        young adult; graphic novel; essay; fable; epic; non-fiction; sci-fi; romantic comedy; action; western
        film noir; documentary; animation; musical; war film; superhero; psychological thriller
        dystopian fiction; magical realism; gothic fiction; fairy tale; true crime; adventure; coming-of-age
        slasher; martial arts; biopic; black comedy; detective fiction; sonnet; haiku; play; travel writing
        self-help; space opera; cyberpunk; mockumentary; political thriller""")
_instrument = listed("""piano; guitar; violin; cello; viola; double bass; harp; flute; clarinet; oboe; bassoon
        saxophone
        trumpet; trombone; tuba; French horn; drums; timpani; xylophone; marimba; accordion; harmonica
        banjo; mandolin; ukulele; sitar; tabla; erhu; pipa; guzheng; koto; shamisen; bagpipes; organ
        harpsichord; synthesizer; keyboard; bass guitar; electric guitar; acoustic guitar; lute; lyre; oud
        djembe; tambourine; triangle; cymbals; recorder; piccolo; kalimba; theremin; didgeridoo; vocals
        alto saxophone; tenor sax; bass; percussion; Hammond organ; fiddle; steel guitar; turntables
        balalaika; cowbell""")
VALUES: dict[str, Draw] = {
    "game": game,
    "movie": movie,
    "tv_show": tv_show,
    "book": book,
    "song": song,
    "album": album,
    "poem": _poem,
    "artwork": _artwork,
    "periodical": periodical,
    "creative_work": mix(movie, tv_show, book, song, album, game, _artwork, _poem, title),
    "playlist": _playlist,
    "music_genre": mix(_genre, _genre, shape("<d> <g>", d=demonym, g=_genre)),
    "literary_genre": _literary,
    "instrument": mix(_instrument, _instrument, _instrument, lowered(_instrument)),
}
