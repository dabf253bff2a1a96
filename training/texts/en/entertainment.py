"""Templates about films, series, music, books and art."""

TEMPLATES: tuple[str, ...] = (
    (
        "{movie} is a {date_year} {literary_genre} film [directed|written and directed] by {person} and starring "
        "{actor}, {actor} and {actor}."
    ),
    (
        '[I|We] [watched|saw] "{movie}" [at {facility}|with friends] [on {date}|{date_relative}], and {actor} '
        "[was {opinion}|stole every scene|deserves the {award}]."
    ),
    (
        "{movie}: {rating}. [Directed by {person}.|Cast: {actor}, {actor}.] [Running time: {duration}.|In cinemas "
        "from {date}.]"
    ),
    (
        '{actor} [will play|has been cast as] the lead in "{movie}", [the film of {writer}\'s book '
        '"{book}"|based on {book} by {writer}].'
    ),
    (
        '{artist} [released|announced|dropped] [the album|a new album,] "{album}" on {date}[ through '
        '{company}|]. [The single "{song}" reached number {plain_number} in {country}.|It holds {number} songs, '
        'among them "{song}" and "{song}".]'
    ),
    (
        "{band} [formed|came together] in {city} in {date_year}. [The band's sound mixes {music_genre} with "
        "{music_genre}.|Singer {artist} and [guitarist|drummer] {artist} had met at {school}.]"
    ),
    '"{song}" by {artist} [is|was] the [biggest|most played] {music_genre} [track|song] of {date_year}.',
    '{artist} plays the {instrument} and the {instrument} on "{album}".',
    (
        "{tv_show} [returns|comes back] to {media} on {date} at {time}. [{actor} joins the cast.|{number} new "
        "episodes were filmed in {city} and {location}.|It can be streamed on {service}.]"
    ),
    ('"{tv_show}" [won|took home] {number} prizes at the {award}[ in {city}|], beating "{tv_show}" and "{tv_show}".'),
    (
        '{writer}\'s [new novel|latest novel], "{book}", [tells the story of|follows] {person}, a {job_title} '
        "from {city} who [moves|returns] to {location} after the {war}."
    ),
    (
        "Reading {book} [after|before] {book} [helps a lot|is a mistake], [because|since] {writer} [reuses the "
        "plot|explains less here]."
    ),
    (
        'The {literary_genre} [writer|author] {writer} wrote "{book}" ({date_year}), "{book}" ({date_year}) '
        'and "{book}" ({date_year}).'
    ),
    (
        '{attraction} in {city} [shows|will exhibit] "{artwork}" by {artist} [until {date}|from {date} to '
        "{date}]. [Tickets: {price}.|Entry is free.]"
    ),
    (
        '"{artwork}" ( {date_year} ) , [an oil painting|a sculpture] by {artist} , was [sold|auctioned] for '
        "{money} in {city} ."
    ),
    (
        "Game [review|news]: {game} [runs on {device}|for {device}] costs {price} and [scores {rating}|gets "
        "{rating} from us]. [Pros: {pros}. Cons: {cons}.|Made by {company}, it takes about {duration} to finish.]"
    ),
    (
        "{game} and {game} [are|were] both made by {company}, [but|and] [only the former|the latter] sold [more "
        "than |]{quantity}."
    ),
    'The poem "{poem}" [by {writer}|written by {writer} in {date_year}] was set to music by {artist}.',
    "Title: {song}\nArtist: {artist}\nAlbum: {album}\nGenre: {music_genre}\nReleased: {date}\nLength: {duration}",
    (
        "Title: {movie}\nDirector: {person}\nCast: {actor}, {actor}, {actor}\nGenre: {literary_genre}\nCountry: "
        "{country}\nLanguage: {language}\nBudget: {money}"
    ),
    "{band} , {band} and {artist} [will play|headline] the {event} in {city} [on {date}|from {date}] .",
    (
        "{artist} was born {birth_date} in {native_place}. [She|He] learned the {instrument} at the age of {age} "
        "and [studied {major} at {school}|joined {band} in {date_year}]."
    ),
    (
        "[what is|do you know] the name of the {nationality} movie with {actor} as a {job_title} [who|that] fights "
        "{animal}"
    ),
    "list [all |the ]{literary_genre} films [starring|with] {actor} from {date_year} rated {rating}",
    (
        '{periodical} [called|named] "{album}" {opinion}; [critic {writer}|{writer} of {media}] [disagreed|gave '
        "it {rating}]."
    ),
    (
        "{artist}'s wedding to {actor} [took place|was held] at {hotel} in {city} on {date}, "
        "[{periodical}|{media}] reports."
    ),
    (
        "[Set|A story set] during the {war}, {movie} [follows|is about] {military_unit} and [its {job_title}, "
        "{person}|the town of {city}]. {actor} [plays|is] {person}."
    ),
    '"{creative_work}" [opened|premiered] at {facility}[ on {date}|] with {artist} [conducting|on {instrument}].',
    '{writer} translated "{creative_work}" and the poem "{poem}" from {language} into {language}.',
    (
        "My [top|favourite] [list|records] so far: {album} by {band}, {album} by {artist}, and {album} by "
        "{artist}. [Skip|Avoid] {album}."
    ),
    'The playlist {playlist} opens with "{song}" by {artist} and ends with "{song}" by {band}.',
    "{movie}, {movie} and {tv_show} are [the favourites|up] for the {award} at the {event} in {city}.",
    "{book} and {movie} [appeal to|were made for] {group}; {song} was written for {movie} by {artist}.",
    "{movie} made {money} in {country} [on {date}|in {duration}], [more than|ahead of] {movie} and {movie}.",
    (
        "{event} [returns|is back] in {city} on {date}. [{band} and {artist} play.|{company} pays for it.|Tickets "
        "from {price}.]"
    ),
)
