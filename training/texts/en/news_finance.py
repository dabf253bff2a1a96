"""Templates of financial news: results, deals, markets and appointments."""

TEMPLATES: tuple[str, ...] = (
    (
        "{company} [said|announced|reported] on {date} that [net income|revenue|operating profit] "
        "[rose|fell|climbed|slipped] {percent} to {money}[ in the quarter| in its latest results|]."
    ),
    (
        "Shares of {stock} [jumped|fell|gained|dropped] {percent} [to {price} |]in [early|late|heavy] trading [on "
        "{date}|after the announcement]."
    ),
    (
        "{city} , {date} ( {media} ) - {company.1} said it would [buy|acquire|take over] {company} for {money}[ in "
        "cash| in shares|] ."
    ),
    (
        "{company} has [named|appointed|hired] {person} as [its |][new |]{job_title}, effective {date}. "
        "[{last_name}|The new hire] [succeeds|replaces] {person}, who [retired|stepped down|left the group] "
        "{date_relative}."
    ),
    (
        "{full_company} [agreed|plans|is in talks] to sell {percent} of its [{country}|{region}] business to "
        "{company}[ in a deal worth {money}| for about {money}|], [a person familiar with the matter|people close "
        "to the talks] told {media}."
    ),
    (
        "{bank} [raised|lowered|cut] its [price target|target] on {stock} to {price} from {price}, [citing "
        "{reason}|with a rating of {rating}|keeping its view unchanged]."
    ),
    (
        '"[We are pleased with these results|Demand stayed strong|The market remains difficult]," said {person}, '
        "{job_title} [of|at] {company}."
    ),
    (
        "The [central bank|regulator] said [inflation|the {metric}] was {percent} in {date}, [up|down] from "
        "{percent} [a year earlier|in the earlier period]."
    ),
    (
        "{government_agency} [fined|sued|opened an inquiry into] {company.1} [over|for] alleged breaches of the "
        "{law}. [{company.1} declined to comment.|A spokesperson for {company.1} said the claims were without "
        "merit.|The penalty amounts to {money}.]"
    ),
    (
        "{short_company}'s [chairman|finance chief], {person}, told {media} on {date} that the group would [cut "
        "{number} jobs|close {number} plants|hire {number} people] in {country}."
    ),
    "{company} Ltd shareholders approved the plan at a meeting in {city} on {date}.",
    "Start-up {short_company} raises {money} from {organization} and {organization}",
    "{company} [to invest|invests] {money} in {project} [in {city}, {country}|near {city}]",
    (
        "[Brief|Update]: {company} [Q{plain_number} |]revenue {money}, up {percent}; [{metric} {percent}|{metric} "
        "at {number}]; dividend {price} a share"
    ),
    (
        "{bank} and {bank} will each lend {money} to {company}, [which is building|the developer of] {project} in "
        "{region}."
    ),
    (
        "{company.1} , [based|headquartered] in {city} , {country} , makes {product} and {product} . It employs "
        "{number} people and had sales of {money} in {date_year} ."
    ),
    (
        "The [deal|merger|offer] values {company} at {price} a share, or {money} in all, and is expected to close "
        "by {date}. {company} was advised by {bank}; {organization} [advised the seller|gave legal advice]."
    ),
    (
        "Traders in {city} said {quantity} of {material} changed hands at {price} on {date}, while {element} "
        "prices were little changed."
    ),
    (
        "{company} recalled {quantity} of {product} sold in {country}, {country} and {country} between {date} and "
        "{date} because of {problem}."
    ),
    (
        "The [{organization}|{government_agency}] expects the economy of {country} to grow {percent} in "
        "{date_year} and {percent} in {date_year}, according to the {document}."
    ),
    (
        "{person}, who founded {company.1} in {date_year}, [sold|gave away|transferred] {percent} of {company.1} "
        "[for {money}|to {organization}|to the staff]."
    ),
    (
        "In a filing with the {government_agency}, {full_company} said that {person} would [receive|be paid] a "
        "[base salary|yearly salary] of {salary}."
    ),
    (
        "{company} launched the {product} at {conference} in {city} on {date}. [It will cost {price}.|It sells for "
        "{price} in {country} and {price} in {country}.] Rival {company} [followed|is due to follow] with the "
        "{product}."
    ),
    "{stock} {price} ({percent})\n{stock} {price} ({percent})\n{stock} {price} ({percent})",
    "Analysts at {bank}, {bank} and {company} [expect|forecast] [a rise|a fall] of {percent} in {metric}.",
    (
        "Company: {full_company}\nTicker: {stock}\nClosing price: {price}\nChange: {percent}\nVolume: "
        "{number}\nDate: {date}"
    ),
    (
        "{person} ({job_title}, {company}) and {person} ({job_title}, {organization}) [spoke at|opened|cancelled "
        "their talks at] the {conference}."
    ),
    (
        "The [unions|workers|staff] at {company}'s plant in {city} [went on strike|returned to work] on {date} "
        "over {reason}. They [want|demand] {salary}, [well above|up from] {salary}."
    ),
    "[Why|How] {company} is betting on {discipline}",
    (
        "{country}'s exports to {country} [grew|shrank] {percent} [year on year|on the year] in {date}, "
        "{government_agency} said."
    ),
)
