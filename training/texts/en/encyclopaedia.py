"""Templates of encyclopaedia articles: lives, places, companies, science, computing, works and history."""

TEMPLATES: tuple[str, ...] = (
    "{person} (born {birth_date} in {native_place}) is a {nationality} {job_title}.",
    (
        "{scientist.1} ({birth_date} - {date}) was a {nationality} {discipline} scholar, [known|best known] for "
        "{theory}. [{scientist.1} taught at {school} in {city}.|{scientist.1} received the {award} in "
        "{date_year}.|Later work dealt with {theory}.]"
    ),
    (
        "{politician} [served as|was] {job_title} of {country} from {date_year} to {date_year}, as a member of the "
        "{political_party}. [Before that, {politician} held the office.|The {law} was passed in "
        "{date_year}.|{politician} won the {election} with {percent} of the vote.]"
    ),
    (
        '{writer} ({date_year}-{date_year}) [wrote|was the author of] "{book}", "{book}" and the poem '
        '"{poem}". [The books belong to the {literary_genre} tradition.|{writer} wrote in {language}.]'
    ),
    (
        "{city} is a city in {region}, {country}. [It lies on the {natural_feature}|It lies at the foot of "
        "{natural_feature}], covers {quantity} and had {number} inhabitants in {date_year}. [Sights include "
        "{attraction} and {attraction}.|{road} links it to {city}.]"
    ),
    (
        "{natural_feature} is [a landform|found] in {region}, {country}, [with a length of|and measures] "
        "{quantity}. [{animal} and {animal} live there.|{plant} and {plant} grow on its slopes.]"
    ),
    (
        "{company.1} is a {nationality} [maker|producer] of {product}, founded in {date_year} by {person} and "
        "{person} in {city}. [{company.1} owns the brands {brand} and {brand}.|In {date_year} {company.1} was "
        "bought by {company} for {money}.|Its {job_title} is {person}.]"
    ),
    (
        "{organization} (abbreviated {organization}) was [founded|set up] on {date} in {city} by {country}, "
        "{country} and {country}. [Its languages are {language} and {language}.|{person} was its first head.]"
    ),
    (
        "{school}, [founded|opened] in {date_year}, is in {city}, {region}. [Its {department} offers a {degree} in "
        "{major}.|Former students include {scientist}, {writer} and {politician}.]"
    ),
    (
        "The {war} was fought between {country} and {country} from {date} to {date}. [{military_unit} met "
        "{military_unit} near {location}.|It ended with the {document}, signed in {city}.|{weapon} and "
        "{military_platform} were used for the first time.]"
    ),
    (
        "{military_platform} is [armed with|able to carry] {weapon} and {weapon}, weighs {quantity} and entered "
        "service with {military_unit} in {date_year}."
    ),
    (
        "{astronomical_object} [orbits|is close to] {astronomical_object} at a distance of {quantity}. [It was "
        "discovered by {scientist} in {date_year}.|Its surface holds {element} and {chemical}.]"
    ),
    (
        "{element} and {element} react to form {chemical}. [{scientist} described this in {date_year}.|The "
        "reaction is used to make {material}.]"
    ),
    "{chemical} is used [to make|in] {material} and {material}. [It melts at {quantity}.|It contains {element}.]",
    "{animal} [feed|feeds] on {plant} and {animal}, and [live|lives] in {location} and {location}.",
    "{plant} is native to {country} and {country}; [its fruit is used in|people use it for] {food} and {drink}.",
    "{protein} binds {protein} and is found in the {body_part} of {animal}.",
    (
        "[We propose|This paper presents] {algorithm}, a method for {task}. [On {task}, it reaches {metric} of "
        "{number}, compared with {number} for {algorithm}.|It improves {metric} by {percent} over "
        "{algorithm}.|Code is in {programming_language}.]"
    ),
    (
        "{algorithm} and {algorithm} are [used for|applied to] {task} and {task} in {discipline}. [They are judged "
        "by {metric} and {metric}.|{scientist} of {school} introduced the former in {date_year}.]"
    ),
    (
        "{software} is written in {programming_language} and {programming_language}, [and runs on|for] {device}. "
        "[It was released by {company} in {date_year}.|{person} began it at {organization}.]"
    ),
    (
        "In {discipline}, {theory} [states|holds] that order is lost over time; {scientist} and {scientist} "
        "[tested|extended] {theory} at {conference} in {city}."
    ),
    (
        "{religion} and {religion} are the main religions of {country}, where {ethnicity} and {ethnicity} peoples "
        "speak {language}."
    ),
    "The {ethnicity} people of {region} celebrate {festival} with {food}, {drink} and music for the {instrument}.",
    (
        "{facility} in {city} , {country} , was designed by {person} and opened in {date_year} . It is made of "
        "{material} and cost {money} ."
    ),
    (
        '"{song}" is a song by {nationality} {music_genre} [singer|artist] {artist}, from the album "{album}" '
        "({date_year})."
    ),
    (
        "{game} is a {date_year} video game by {company} for {device}. [The player, {person}, travels to "
        "{location}.|{periodical} gave it {rating}.]"
    ),
    (
        "{conference} ([also|formerly] {conference}) is a yearly meeting on {discipline}, [held in {city} in "
        "{date_year}|first held in {city}]. {scientist} gave the opening talk on {algorithm}."
    ),
    (
        "{military_unit} was [raised|formed] in {city} in {date_year}, fought in the {war} and the {war}, and was "
        "disbanded in {date_year}."
    ),
    (
        "The {award} [is given|goes] to a {job_title}[ by {organization}|]. Winners: {person} ({date_year}), "
        "{person} ({date_year}), {person} ({date_year})."
    ),
    (
        "{event}: {date_year}, {city}, {country}. [Dead: {number}.|Cause: {reason}.] [It led to the "
        "{law}.|{creative_work} tells of it.]"
    ),
    (
        "{band} are a {nationality} {music_genre} band from {city}. Members: {artist} ({instrument}), {artist} "
        "({instrument}), {artist}."
    ),
    (
        '"{artwork}" by {artist} is [kept|shown] in {attraction}, {city}. [It measures {size}.|It is painted in '
        "{color} and {color} on {material}.]"
    ),
    (
        '{periodical}, founded by {writer} in {city}, [printed|published] the works "{creative_work}" and '
        '"{creative_work}" in {date_year}.'
    ),
    "{cuisine} cooking uses {food}, {food} and {plant}; {food} is [eaten|served] with {drink}.",
    "{creative_work} [was named after|is linked to] {person}. See also: {creative_work}, {theory}.",
    "{person} [wrote|spoke] about {group} in {date_year} [and {date_year}|with {person} and {person}].",
    (
        "{religion} came to {region} in {date_year} [with the {ethnicity} people|from {country}]. [Its main shrine "
        "is {attraction} in {city}.|It is practised in {language}.]"
    ),
    "{astronomical_object}, {astronomical_object} and {astronomical_object} can be seen from {location} in {date}.",
    (
        '"{poem}" is a poem by {writer}, printed in {periodical} in {date_year}[ and later in "{book}"|]. [It '
        "is about the {war}.|It was translated into {language}.]"
    ),
    "The {artwork} [in|at] {attraction} and the {artwork} in {city} are [both by|attributed to] {artist}.",
    (
        "{group} and {group} [gathered|settled] in {city} in {date_year}, [backed by {organization}|led by {person}|"
        "after the {war}|where {government_agency} gave them {money}]."
    ),
    "{creative_work} and {creative_work} were [first described|popular] in {country} in {date_year}.",
    (
        "{organization.1} is [a body|an alliance] of {country}, {country} and {country}. {organization.1}'s [head "
        "office|seat] is in {city} ; its head is {person} ."
    ),
    (
        "{government_agency} is the {nationality} authority for {discipline}, [set up under the {law}|with "
        "{number} staff in {city} and {city}]."
    ),
    (
        "{product} is a [line|range] of {category} made by {company}. [It was launched in {date_year} as "
        "{product}.|It is sold in {country} under the brand {brand}.]"
    ),
    "{theory} , {theory} and {theory} are taught in {discipline} at {school} .",
    "{metric} and {metric} are used to judge {algorithm} and {algorithm} on {task}.",
    (
        "{vehicle} is built by {company} in {city}, {country}. [It has {quantity} of power and costs {price}.|It "
        "replaced the {vehicle} in {date_year}.]"
    ),
    "{school.1} ({city}, {country}) has {number} students. {person}, a {nationality} {job_title}, leads {school.1}.",
)
