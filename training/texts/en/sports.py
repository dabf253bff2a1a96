"""Templates of sports reports, results, transfers and tables."""

TEMPLATES: tuple[str, ...] = (
    (
        "{sports_team} [beat|edged|thrashed] {sports_team} {plain_number}-{plain_number} in the {competition} [on "
        "{date}|at {facility}|in {city} on {date}]."
    ),
    "{athlete} scored [{number} points|{number} goals] as {sports_team} [won|lost] [away |at home ]to {sports_team}.",
    "SOCCER - {sports_team} [SIGN|SELL] {athlete} .",
    "{city} {date_full}",
    (
        "{sports_team} have signed {nationality} [striker|midfielder|defender|goalkeeper] {athlete} from "
        "{sports_team} for {money}[ on a {duration} deal| until {date}|]."
    ),
    "{athlete} ( {country} ) beat {athlete} ( {country} ) {plain_number}-{plain_number} {plain_number}-{plain_number}",
    (
        "Leading scores after the [opening|final] round of the {competition} at {facility} in "
        "{city}:\n{plain_number} {athlete} ({country})\n{plain_number} {athlete} ({country})\n{plain_number} "
        "{athlete} ({country})"
    ),
    (
        "Results of {competition} matches on {date}:\n{sports_team} {plain_number} {sports_team} "
        "{plain_number}\n{sports_team} {plain_number} {sports_team} {plain_number}\nStandings will follow."
    ),
    "[Coach|Manager] {person} said {athlete} would miss the {competition} with an injured {body_part}.",
    (
        '"[We played well|I am very happy|It was a hard game]," said {athlete}, [who won the {competition} in '
        "{date_year}|the {age} captain of {sports_team}]."
    ),
    (
        "{country} [qualified for|failed to reach|are out of] the {competition} after a match against {country} in "
        "{city}[ on {date}|]."
    ),
    (
        "{athlete} of {country} [won|took] the title at the {competition} in a time of {duration}, [ahead "
        "of|beating] {athlete} of {country} and {athlete} of {country}."
    ),
    (
        "{athlete}, born {birth_date} in {native_place}, [plays|played] for {sports_team}, {sports_team} and the "
        "{country} national side."
    ),
    (
        "The {competition} will be held in {city}, {country}, from {date} to {date}. [{number} teams take "
        "part.|Tickets cost from {price}.|{media} will show every match.]"
    ),
    "{sports_team}'s {athlete} was named winner of the {award} on {date}.",
    "{athlete} ([{sports_team}|{country}]) [out|doubtful] for {duration} - {body_part} injury",
    "The {organization} banned {athlete} for {duration} and fined {sports_team} {money} [over|for] {reason}.",
    "Kick-off is at {time} on {date} at {facility}, {city}. [Referee|Umpire]: {person} ({country}).",
    "{athlete} [overtook|passed] {athlete} on the last lap at {facility} to win the {competition} for {company}.",
    (
        "Team: {sports_team}\nGround: {facility}, {city}\nCoach: {person}\nCaptain: {athlete}\nTop scorer: "
        "{athlete} ({number})"
    ),
    (
        "A crowd of {number} at {facility} saw {sports_team.1} come from behind. {athlete} [equalised|levelled] "
        "before {athlete} [won it|scored the winner]. {sports_team.1} now [lead|trail] {sports_team} by {number} "
        "points in the {competition}."
    ),
    "{athlete} , the {nationality} number one , [pulled out of|entered] the {competition} in {city} .",
    (
        "[Who|Which player] will replace {athlete} at {sports_team}? {athlete} and {athlete} are [the "
        "favourites|on the list]."
    ),
    "World ranking: {number}. {athlete} ({country}), {number}. {athlete} ({country}), {number}. {athlete} ({country})",
    "{sports_team} v {sports_team}, {competition}, {date}, {time}",
    "{athlete} rode {animal} to victory in the {competition}. [Prize money: {money}.|The course was {quantity} long.]",
    (
        "After {duration} at {sports_team}, [goalkeeper|captain] {athlete} will [retire|join {sports_team}|return "
        "to {native_place}] [in {date}|when the {competition} ends]."
    ),
    (
        "{athlete} ran {quantity} in {duration} in {weather} to [break|equal] the record held by {athlete} since "
        "{date_year}."
    ),
    "{sports_team} , {sports_team} and {sports_team} are through to the next round of the {competition} .",
    "{country} 's {athlete} [won|skipped] the {competition} in {city} , {country} , on {date} .",
    "{company} will sponsor the {competition} and {sports_team} [until {date}|for {money}|for {duration}].",
)
