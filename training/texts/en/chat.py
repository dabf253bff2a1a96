"""Templates of private and work chats."""

TEMPLATES: tuple[str, ...] = (
    "[hey|hi|yo] {first_name}, [are you free|can you talk] at {time}?",
    (
        "{first_name.1}: [did you book|have you got] the tickets for {event}?\n{first_name.2}: [yes, {price} "
        "each|no, sold out]\n{first_name.1}: [great, see you at {facility}|ok, then let us go to {restaurant}]"
    ),
    "[Let's meet|Shall we meet] at {restaurant} [on {road}|near {location}] {date_relative} at {time}?",
    "[running late|stuck in traffic] on {road}, [be there in {duration}|start without me]",
    "{lower_person} [said|told me] the meeting moved to {date_relative} at {time}",
    (
        "[Mum|Dad] is at {hospital}, [nothing bad|do not worry], just a {medical_test}. [Call me on {phone}.|Dr "
        "{last_name} will ring at {time}.]"
    ),
    "have you seen {movie} yet?? {actor} is {opinion} in it {emoji}",
    "[anyone|who] up for {game}? my id is {username}",
    "I'm flying to {city} on {date}, {transport_number}, [lands at|landing] {time}. Can you pick me up?",
    "{first_name} bought a {color} {vehicle}[ for {price}|], [lucky guy|so jealous] {emoji}",
    "Can you send me {document} [before {time}|by {date_relative}]? [My new mail is {email}.|Upload it here: {url}]",
    "[Happy|Merry] {festival}, {first_name}! [Greetings from {city}.|Love, {first_name} and {first_name}.] {emoji}",
    "what's the wifi name and [pass|code]? - name is {username}, ask {first_name} for the rest",
    (
        "{first_name.1}: dinner? I can make {food} or {food}\n{first_name.2}: {food}, and get some "
        "{drink}\n{first_name.1}: ok"
    ),
    "the server {ip_address} is down again, {first_name} please restart {software}",
    (
        "[I'll|I will] be in {city} from {date} to {date}, staying at {hotel}. [Room {plain_number}.|It is "
        "{spatial_relation} {attraction}.]"
    ),
    (
        "[Sorry|So sorry], I have {symptom} and {symptom} since {date_relative}, [not coming|staying in bed]. Took "
        "{drug}."
    ),
    "{first_name} got the job at {company}!! {job_title}, {salary} {emoji}",
    "ok {first_name} , see you {date_relative} at {time} in front of {facility}",
    (
        "{first_name.1}: who won?\n{first_name.2}: {sports_team}, {plain_number} to "
        "{plain_number}\n{first_name.1}: and {athlete}?\n{first_name.2}: {opinion}"
    ),
    "{first_name} and I are walking the {animal} in {attraction}, {weather} here",
    "[did you know|turns out] {first_name} speaks {language} and plays the {instrument}?",
    "[pls|please] pay {money} to {person} for the {event} [gift|tickets], [card {bank_card}|via {bank}]",
    "Listening to {song} by {artist} on repeat. [That {album} record is {opinion}.|You would like {band} too.]",
    "meet in the {department} office at {time}, {person} from {company} is coming, bring the {document}",
    "{first_name}: [I quit|I am leaving]. Reason: {reason}\n{first_name}: [wow|oh no]. does {last_name} know?",
    "my exam in {discipline} is on {date}, prof {last_name} at {school} is {opinion}",
    "[can u|could you] buy {quantity} of {food} and {quantity} of {food}? i have {money} left",
    "[my|our] playlist {playlist} now has {song}, {song} and {song} by {band}",
    "is {service} [better|cheaper] than {service}? {first_name} pays {price}",
    "{first_name} from {organization} asked if {company} sells {product}",
    "this one is [for|only for] {group}, {first_name}. [Starts|Begins] {date} at {time} in {city}, {country}",
)
