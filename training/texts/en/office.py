"""Templates of office texts: notices, minutes, invoices, forms and e-mails."""

TEMPLATES: tuple[str, ...] = (
    (
        "Notice\nThe {conference} will take place on {date} at {time} in {facility}. [All staff of {department} "
        "must attend.|Please tell {person} by {date} if you cannot come.]"
    ),
    (
        "Minutes\nMeeting: {conference}\nDate: {date}, {time}\nPlace: {facility}\nPresent: {person}, {person}, "
        "{person}\nChair: {person}"
    ),
    (
        "Action items:\n- {task} ({first_name}, by {date})\n- {task} ({first_name}, by {date})\n- {task} "
        "({department}, by {date})"
    ),
    (
        "INVOICE no. {identifier}\nDate: {date}\nBill to: {full_company}, {address}\nItem: {product}, {quantity}, "
        "{price}\nTotal: {money}\nPay to: {bank}, account {bank_card}"
    ),
    (
        "Subject: {document}\nFrom: {sender} <{email}>\nTo: {recipient} <{email}>\nDate: {date} {time}\n\nDear "
        "{recipient}, please find attached {document}. Regards, {sender}"
    ),
    (
        "Dear {recipient}, [attached is|I enclose] the {document} for {project}. [Please sign it by {date}.|Total "
        "cost: {money}.] [Kind regards|Best wishes], {sender}, {job_title}, {company}"
    ),
    (
        "[Hi|Hello] {first_name}, could you [finish this|take this over]: {task}? [{last_name} needs it by "
        "{date}.|It is for {company}.] The file is at {url}. [Best|Thanks], {first_name}"
    ),
    (
        "Applicant: {person}\nDepartment: {department}\nLeave from: {date}\nLeave to: {date}\nDays: "
        "{duration}\nReason: {reason}\nApproved by: {person}"
    ),
    (
        "Expense report: {person}, {department}\n{date}: {transport_number}, {city} to {city}, {money}\n{date}: "
        "{hotel}, {money}\n{date}: {restaurant}, {money}\nTotal: {money}"
    ),
    "Receipt\nPayer: {sender}\nPayee: {recipient}\nAmount: {money}\nPurpose: {reason}\nDate: {date}",
    (
        "{person} has been promoted to {job_title} in {department} [from|as of] {date}. [The new pay is "
        "{salary}.|{person} takes over {task}.]"
    ),
    (
        "[Visitor|Guest] form\nName: {person}\nCompany: {company}\nID: {id_number}\nCar: {licence_plate}\nHost: "
        "{person}, {department}\nArrival: {time}"
    ),
    (
        "The {government_agency} [requires|asks for] {document}, {document} and {document} [by {date}|under the "
        "{law}]. Questions: {person}, {phone}."
    ),
    (
        "[Maintenance|Outage]: {software} and {website} are down on {date} from {time} to {time}. [Servers: "
        "{ip_address}, {ip_address}.|Cause: {reason}.] Contact: {email}."
    ),
    (
        "{person} ({department}) reported on {project}: {metric} [rose|fell] by {percent}; {problem}. [Decision: "
        "{task}.|Next meeting: {date}, {time}.]"
    ),
    (
        "The [lift|heating] in {facility} is out of order. Problem: {problem}. [{company} sends someone on "
        "{date}.|Call {phone} for help.]"
    ),
    (
        "Purchase request {identifier}\nItem: {product} ({brand}, {model_number})\nQuantity: {quantity}\nUnit "
        "price: {price}\nSupplier: {company}\nReason: {reason}"
    ),
    (
        "Registration\nFirst name: {first_name}\nLast name: {last_name}\nGender: {gender}\nDate of birth: "
        "{birth_date}\nNationality: {nationality}\nE-mail: {email}\nUsername: {username}"
    ),
    (
        "[Training|Course]: {skill}, {date}, {time}, {facility}. Trainer: {person} ({company}). [You get the "
        "{certificate}.|Lasts {duration}.] [Fee {price}.|Places: {number}.]"
    ),
    (
        "[Dear all|To all staff], the office is closed for {festival} from {date} to {date}. In urgent cases call "
        "{person} ( {job_title} ) , {phone} ."
    ),
    (
        "Log: {date} {time} user {username} from {ip_address} opened {url}\nLog: {date} {time} user {username} "
        "from {ip_address} closed {software}"
    ),
    "{company} - {department}\n{address}\n{city} {postcode}\n{country}\nTel.: {phone}\nWeb: {url}",
    (
        "[Parking|Fleet]: {vehicle}, plate {licence_plate}, driver {person}; {vehicle}, plate {licence_plate}, "
        "driver {person}."
    ),
    (
        "Survey of the {service}: {rating} [on average|overall], {number} answers. [Liked: {pros}.|Disliked: "
        "{cons}.] [Wanted: {request}.|Main topic: {aspect}.]"
    ),
    "Payment from {sender} ({bank}) to {recipient} ({bank}): {money}, {date}, ref. {identifier}.",
    "Student: {person}\nSchool: {school}\nMajor: {major}\nDegree: {degree}\nGrade: {rating}\nGraduation: {date}",
    "[Please order|We need] {quantity} of {material}, {size}, {color}, for {project} at {location}. Budget {money}.",
    "Flight {transport_number} {city} - {city} , {date} {time} , passenger {person} , seat booked by {company} .",
)
