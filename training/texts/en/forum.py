"""Templates of web forums, answers and blogs: longer sentences with few entities."""

TEMPLATES: tuple[str, ...] = (
    (
        "I have been [thinking|wondering] about this for a while, and [honestly|to be fair] I still don't see why "
        "anyone would [use|pick] {software} when {software} does the same thing without all the trouble."
    ),
    (
        "When we [moved|came back] to {city}[ in {date}|], we did not know anybody, and it took us {duration} "
        "before we [felt at home|made any friends]."
    ),
    (
        "[Thanks for your answer|Thank you all], that [helped|cleared it up]. I ended up writing it in "
        "{programming_language}, because the library I needed was not there in {programming_language}."
    ),
    (
        "If you [plan to visit|are going to] {attraction}, go early: [the queue gets long|it fills up fast] after "
        "{time}, and [parking is a pain|there is no shade at all]."
    ),
    (
        "My [grandfather|neighbour|aunt] used to say that a good [cook|gardener] never hurries, and after trying "
        "to [grow|cook with] {plant} for {duration} I think that is right."
    ),
    (
        "[Does anyone have|Has anybody had] experience with {company}? They [quoted|asked] {price} for the job, "
        "which seems [a lot|like very little], and I would rather hear from people who have used them before I "
        "sign anything."
    ),
    (
        "I am not a lawyer, but as far as I know the {law} does not cover this case, so [you should ask|it is best "
        "to ask] the {government_agency} before doing anything."
    ),
    (
        "[The thing about|What people forget about] {discipline} is that most of it is [slow, quiet work|waiting], "
        "and only now and then something happens that is worth writing about."
    ),
    (
        "In this post I want to [show|explain] how to [set up|install] {software} on a {device}. You will need "
        "some patience, [a spare afternoon|a good connection], and the file from {url}."
    ),
    (
        "We tried the {food} recipe from {website} at the weekend party, and everyone liked it, although [I would "
        "leave out|next time I would use less] {food}."
    ),
    (
        "There is [a part|a scene] in {book} where nothing happens for pages, and [yet|still] I think it is the "
        "best thing {writer} ever wrote."
    ),
    (
        "[Q|Question]: why does {algorithm} need so much data?\n[A|Answer]: because it starts from nothing. [A "
        "simpler model would do with less.|See the paper by {scientist}.]"
    ),
    (
        "As someone who [works|worked] as a {job_title}[ for {duration}|], I can tell you that [nobody reads those "
        "reports|the hard part is talking to people]."
    ),
    (
        "[Someone|A friend] told me that {person} once [lived|worked] in our street, but I have never been able to "
        "[find out|prove] whether it is true."
    ),
    (
        "[The best way|An easy way] to learn {language} is to listen first. [Do not worry about rules.|Watch "
        "{tv_show} without subtitles.] After {duration} you will notice that you understand more than you thought."
    ),
    (
        "We all make mistakes, and the people at {organization} are no different, [but|yet] they could at least "
        "have said sorry."
    ),
    "Our {animal} hates being alone, so we [leave the radio on|never stay out long]. [Is that normal?|Any ideas?]",
    (
        "[Edit|Update]: [solved it|it works now]. The cause was {reason}. I will leave this here in case somebody "
        "else has the same problem."
    ),
    (
        "Back in {date_year} things were different: you paid {price} for a [ticket|meal], and nobody "
        "[complained|asked why]."
    ),
    (
        "To answer your question, yes, it can be done, but you will have to [talk to|wait for] {person} [at "
        "{company}|from {organization}], and that may take {duration}."
    ),
    (
        "I [grew up|spent my childhood] in a small place in {region}, where everyone knew everyone, and [I could "
        "not wait to leave|I still miss it]."
    ),
    (
        "[Not sure|I doubt] that this is the right place to ask, but [since|when] I upgraded to {product} my old "
        "files will not open. [Error: {problem}.|{username} wrote that it is a known issue.]"
    ),
    (
        "The main thing you notice about {country} is how [quiet|friendly] everything is. The other is how early "
        "people go to bed."
    ),
    (
        "[Some time ago|A while back] I read in {periodical} that most people decide within {duration} whether "
        "they like somebody, and I have been trying to [disprove|forget] it ever since."
    ),
    (
        "A [reader|visitor] wrote to me about {theory}[ after my last post|], and I have to admit that I had got "
        "it the wrong way round."
    ),
    "[It is hard to|You cannot] compare {movie} with the book {book}, since each leaves out what the other does well.",
    (
        "What I [love|like] about {music_genre} is that it never [asks|tries] too much. You can work to it, cook "
        "to it, or just stare out of the window."
    ),
    (
        "posted by {username} on {date}: [I agree with most of this|this is wrong], but you left out the part "
        "about [costs|time]."
    ),
    "[So|Well], {festival} is over, the guests are gone, and the house is [quiet|a mess] again.",
    (
        "People ask me how I can live without a {device}. [The truth is|Honestly,] it is easier than you think: "
        "you get bored, you look around, and you find something to do."
    ),
    (
        "Has anyone here [heard of|come across] {creative_work} before? I read about it [on {website}|in {book}], "
        "and {person} from {organization} mentions it too."
    ),
)
