"""Templates of contracts, legal notices and rulings."""

TEMPLATES: tuple[str, ...] = (
    (
        'This [agreement|contract] (no. {contract_number}) is made on {date} between {party_a} ("Party A") and '
        '{party_b} ("Party B").'
    ),
    (
        "Party A: {party_a}\nParty B: {party_b}\nContract no.: {contract_number}\nDate of signature: {date}\nPlace "
        "of signature: {city}"
    ),
    (
        "Party A: {party_a}\nAddress: {address}\nLegal representative: {person}\nParty B: {party_b}\nAddress: "
        "{address}\nLegal representative: {person}"
    ),
    (
        '{party_a} (hereinafter the "Client") [hires|engages] {party_b} (hereinafter the "Contractor") [for|to '
        "carry out] {project} [for a fee of {money}|at a total price of {price}]."
    ),
    (
        "Party B shall deliver {quantity} of {product} to {address} [no later than|by] {date}. The unit price is "
        "{price}; the total amount is {money}."
    ),
    (
        "Payment: {percent} of the price is due on {date}, the rest within {duration} of acceptance, to account "
        "{bank_card} at {bank}."
    ),
    (
        "The term of this agreement is {duration}, from {date} to {date}. [Either side may end it with {duration} "
        "of notice.|It renews unless notice is given by {date}.]"
    ),
    (
        "If Party B is late, it pays {percent} of the contract sum [per week|for each started week], [at most|up "
        "to] {money}."
    ),
    (
        "The [landlord|lessor], {person}, lets the flat at {address} to {person} for a rent of {price} [a "
        "month|per month], with a deposit of {money}. The lease runs for {duration} from {date}."
    ),
    "This agreement is governed by the {law} of {country}. Disputes are heard by the {government_agency} in {city}.",
    (
        "Under the {law} and the {law}, the {government_agency} ordered {company} to pay {person} {money} [plus "
        "interest of {percent}|within {duration}]."
    ),
    (
        "Plaintiff: {person}, {gender}, born {birth_date}, {ethnicity}, residing at {address}.\nDefendant: "
        "{full_company}, {address}.\nClaim: {request}"
    ),
    (
        "The employer, {full_company}, employs {person} as {job_title} in {city} [from {date}|as of {date}]. The "
        "[salary|pay] is {salary}. The trial period is {duration}."
    ),
    (
        "{person.1} (ID {id_number}), [resident|living] at {address}, sells the vehicle {vehicle}, plate "
        "{licence_plate}, to {person} for {price}. [{person.1} confirms that there are no debts on it.|Colour: "
        "{color}.]"
    ),
    (
        "[Borrower|Loan taken by]: {person}. [Lender|Lent by]: {bank}. Amount: {money}. Rate: {percent} a year. "
        "Term: {duration}. Due: {date}."
    ),
    (
        "[Notices|Letters] to {party_a} go to {person}, {email}, {phone}; [notices|letters] to {party_b} go to "
        "{person}, {email}, {phone}."
    ),
    (
        "IN WITNESS WHEREOF the parties have signed this {document} [in {city} |]on {date}.\n\nFor {party_a}: "
        "{person}, {job_title}\nFor {party_b}: {person}, {job_title}"
    ),
    (
        "Annex: {document}, {document} and {document}. [They form part of contract {contract_number}.|Each bears "
        "the seal of {party_a}.]"
    ),
    (
        "The supplier warrants the goods ({product}, model {model_number}, {material}, {size}) for {duration} "
        "[from delivery|from {date}]."
    ),
    (
        "On {date} the {government_agency} in {city} found {person} guilty of [theft|fraud] under the {law} and "
        "[sentenced him to {duration} in prison|imposed a fine of {money}]."
    ),
    (
        "Invitation to tender: {project} ([no. {identifier}|ref. {identifier}])\nClient: {party_a}\nPlace: "
        "{location}\nBudget: {money}\nOffers until: {date}, {time}\nContact: {person}, {phone}"
    ),
    "The tender for {project} was won by {party_b} with a price of {money}; the client is {party_a}.",
    (
        "{company} holds {percent} and {company} holds {percent} of the shares in {full_company}, [whose capital "
        "is {money}|registered at {address}|founded on {date}]."
    ),
    (
        "[Confidential|Private]. {full_company} and {person} agree that {document} may not be shown to others for "
        "{duration}. Breach costs {money}."
    ),
    (
        "{person} , the {nationality} [tenant|borrower] , shall insure the {facility} at {address} with {company} "
        "for at least {money} ."
    ),
    (
        "[Power of attorney|Authority]: I, {person}, born on {birth_date}, holder of {document} no. {id_number}, "
        "authorise {person} to [sign|collect] {document} at {organization}."
    ),
    (
        "Party A ({party_a}) may inspect the works at {location} at any time; Party B ({party_b}) shall name a "
        "contact in its {department}."
    ),
    "Contract no. {contract_number} between {party_a} and {party_b} [was ended on {date}|is valid for {duration}].",
    (
        "[Amendment|Addendum] to contract {contract_number}: the price of {product} rises from {price} to {price} "
        "[as of {date}|for {organization}]."
    ),
)
