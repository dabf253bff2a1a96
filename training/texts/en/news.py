"""Templates of general news: politics, society, disasters, technology and obituaries."""

TEMPLATES: tuple[str, ...] = (
    (
        "[President|Prime Minister|Senator|Chancellor|Governor] {last_name:politician} [arrived in|left|visited] "
        "{city} on {date} for talks with [{politician}|{politician} and {politician}|{nationality} leaders]."
    ),
    (
        "{politician}, the {job_title} of {country}, [met|spoke with|criticised] {politician} [in {city}|at the "
        "{conference}|on the sidelines of the {conference}][ on {date}|]."
    ),
    (
        "The {political_party} won {number} seats in the {election}, [while|and] the {political_party} [took|held] "
        "{number}. Turnout was {percent}."
    ),
    (
        "{politician} ({political_party}) [beat|narrowly beat|lost to] {politician} ({political_party}) by "
        "{number} votes in {region}."
    ),
    (
        "At least {number} people were killed and {number} injured when [a bus|a train|a ferry|a building] "
        "[crashed|burned|collapsed] [near|in] {city}, {country}, on {date}, [police|officials|{government_agency}] "
        "said."
    ),
    (
        "A magnitude {number} earthquake struck off {location} at {time} on {date}. [The {government_agency} "
        "issued a warning.|No damage was reported.|Residents of {city} and {city} felt the shaking.]"
    ),
    (
        "{event} [left|has left] thousands homeless in {region} . {organization} said {quantity} of aid had "
        "reached {city} by {date} ."
    ),
    (
        "Police in {city} arrested [a {age} man|a woman, {age},|{person}, {age},][ on {date}|] after [a robbery|an "
        "incident|a chase] on {road}. [The suspect was carrying {weapon}.|{quantity} of {drug} was seized.|He was "
        "charged under the {law}.]"
    ),
    (
        "{person}, {age}, of {address}, appeared [in court|before the {government_agency}] on {date}, accused of "
        "stealing {money} from {organization}."
    ),
    (
        '{writer}, the author of "{book}", died in {city} on {date}. [She|He] was {age}. The cause was '
        "{disease}, [the family said|said {person}, a relative|according to {hospital}]."
    ),
    "{person}, {job_title} of {organization}, dies at {age}",
    (
        "{scientist}, a {discipline} researcher at {school} who [won|shared] the {award} in {date_year} for work "
        "on {theory}, has died aged {age}."
    ),
    "{city} - [Hundreds|Crowds] of people gathered outside {facility} on {date} to protest against the {law}.",
    (
        "[The {nationality} government|{country}] and {country} [signed|will sign] the {document} in {city}[ on "
        "{date}|], [ending|after] {duration} of talks."
    ),
    (
        "Fighting between the {military_unit} and {military_unit} [continued|resumed] near {city} [{duration} "
        "after the {war} began|on {date}], [{media}|{organization}] reported. {military_platform} and {weapon} "
        "were used."
    ),
    (
        '"[This is a sad moment for the country|We will not give up|The law must change]," {politician} told '
        "{media} on {date}."
    ),
    (
        "{government_agency} [warned|advised] {nationality} citizens not to travel to {country} [because of "
        "{reason}|until {date}]."
    ),
    (
        "{company} [unveiled|released|showed] {product} on {date}, [which|a phone that] runs {software} and costs "
        "{price}."
    ),
    (
        "A [bug|flaw] in {software} let attackers at {ip_address} read data from {website}, [security firm "
        "{company}|researchers at {school}] [said|found]. [Users should update by {date}.|The fault was named in "
        "{document}.]"
    ),
    (
        "[Doctors|Staff] at {hospital} in {city} treated {number} [people|patients] for {disease} "
        "[{date_relative}|in {date}], most of them with {symptom}."
    ),
    (
        "The {project} will connect {city} with {city} [by {date}|at a cost of {money}]. [Work|Construction] by "
        "{company} began in {date}."
    ),
    (
        "A {nationality} [tourist|student] aged {age} was rescued from {natural_feature} after {duration}. [The "
        "{government_agency} sent a {vehicle}.|He was taken to {hospital}.]"
    ),
    (
        "{person} , a {ethnicity} [activist|teacher] from {native_place} , said {religion} [communities|believers] "
        "in {region} [felt ignored|were under pressure] ."
    ),
    (
        "The {organization} (based in {city}) [published|withdrew] its {document} on {date}; {person}, its "
        '{job_title}, called it "{opinion}".'
    ),
    (
        "{weather} is expected in {region} and {region} {date_relative}, with [highs|temperatures] of {quantity}, "
        "the {government_agency} said."
    ),
    (
        "The {school} will close its {department} in {date_year}, [its {job_title}, {person}, said|a letter to "
        "parents says]. Some {number} pupils are affected."
    ),
    (
        "{nationality} and {nationality} [soldiers|troops] began [a joint exercise|drills] near {location}, with "
        "{number} {military_platform} taking part."
    ),
    (
        "[Astronomers|A team led by {scientist}] at {organization} [found|reported] {chemical} on "
        '{astronomical_object}. [The work appears in {periodical}.|"[It was a surprise|Nobody expected this]," '
        "{scientist} said.]"
    ),
    (
        "[Traffic|Road works]: {road} [is closed|was blocked] between {location} and {location} [from {time} until "
        "{time}|since {time}] after {vehicle} overturned."
    ),
    (
        "People in {city} will celebrate {festival} on {date} with [a parade along {road}|fireworks over "
        "{natural_feature}|a fair at {attraction}]."
    ),
    (
        "{animal} escaped from {attraction} in {city} on {date_relative} and was [caught|found] on {road} "
        "{duration} later."
    ),
    "{politician} to [run|stand] in {election}",
    (
        "The {government_agency} [accused|cleared] {person.1} , {person} and {person} of [fraud|bribery] . Lawyers "
        "for {person.1} said [an appeal would follow|the ruling was unfair] ."
    ),
    "{company}, {company} and {organization} have asked the {government_agency} to [delay|drop|change] the {law}.",
    (
        "From {media}'s [correspondent|reporter] {writer} in {city}: [queues outside {bank}|long lines at "
        "{facility}|calm returns to {location}]."
    ),
    "{organization} and {organization} called for [calm|talks] after the {event} in {city}, {country}.",
    "{event}: {organization} sends {number} [helpers|tents] to {location}",
    (
        "{person}, {job_title} of {organization}, and {person}, {job_title} at the {government_agency}, [will "
        "meet|met] in {city} {date_relative}."
    ),
    (
        "Members of the {group} [took part in|left] the {event} on {date}. [{politician} called it "
        "{opinion}.|{religion} leaders stayed away.]"
    ),
    (
        "{country} , {country} and {country} [back|reject] the {document} , which {government_agency} [drafted|put "
        "forward] on {date_full} ."
    ),
    (
        "{media} and {media} report that {company} will open [an office|a plant] in {city}, {region}, [near "
        "{location}|by {date_year}]."
    ),
    "{city}, {date} ({media}) - {person} of the {organization} [resigned|was freed] {date_relative}.",
)
