"""Templates of customer service: chats, tickets, complaints and deliveries."""

TEMPLATES: tuple[str, ...] = (
    (
        "[Hi|Hello|Good day], my name is {person} and [I have a question about|I am writing about] order "
        "{order_number}, [placed|which I placed] on {date}. [It still has not arrived.|The {product} does not "
        "work.|The problem: {problem}.] [My e-mail is {email}.|You can call me on {phone}.]"
    ),
    (
        "Customer: [Hello|Hi], my {product} [arrived|came] with [a fault|a defect]: {problem}.\nAgent: I am sorry "
        "to hear that. [May I have your order number?|What is the order number?]\nCustomer: "
        "{order_number}.\nAgent: Thank you, [{last_name}|Mr {last_name}|Ms {last_name}]. [A replacement will ship "
        "by {date}.|We will refund {money}.]"
    ),
    (
        "Ticket: {identifier}\nCustomer: {person}\nProduct: {product}\nProblem: {problem}\nRequest: "
        "{request}\nOpened: {date} {time}"
    ),
    "Ticket {identifier} - {category} - {problem} - {request}",
    "Your parcel {tracking_number} was [handed to {recipient}|left at {address}][ on {date}|] at {time}.",
    (
        "[Delivery notice|Shipping label]\nFrom: {sender}, {address}\nTo: {recipient}, {address}\nPhone: "
        "{phone}\nTracking no.: {tracking_number}\nWeight: {quantity}"
    ),
    (
        "Dear {recipient}, your order {order_number} from {company} has left our warehouse in {city}. [Follow it "
        "at {url}.|The tracking number is {tracking_number}.] [Delivery is planned for {date} between {time} and "
        "{time}.|Expected by {date}.]"
    ),
    (
        "I ordered [a|the] {product} in {color}, size {size}, but [got|received] [one in {color}|a {product} "
        "instead]. [I want {request}.|What I want: {request}.]"
    ),
    (
        "[I want to complain about|This is a complaint about] {company}. [On {date}|{date_relative}] I waited "
        "{duration} for [a technician|a driver] at {address}, and nobody came. [I ask for {money} in "
        "compensation.|Please reply to {email}.]"
    ),
    "The driver could not find {address}. Please call {recipient} on {phone} [before {time}|to agree on a new date].",
    (
        "Agent {first_name} [joined the chat|has left the chat]\n{first_name}: [How can I help?|What can I do for "
        "you?]\nVisitor: [my card {bank_card} was charged again for order {order_number}|i cannot log in as "
        "{username}, it says {problem}|where is parcel {tracking_number}?]"
    ),
    (
        "We have [received|logged] your request [(no. {identifier})|under {identifier}] and will answer within "
        "{duration}. [For urgent matters call {phone}.|Our lines are open from {time} to {time}.]"
    ),
    (
        "Caller [says|reports]: {problem}. [Device|Model]: {device} ({model_number}), [bought|purchased] on {date} "
        "for {price}. [Wants: {request}.|Reason given: {reason}.]"
    ),
    (
        "Refund of {money} to [card {bank_card}|the account at {bank}] was [approved|rejected] on {date}. Reason: "
        "{reason}."
    ),
    (
        "Why does {software} [crash|freeze|log me out] on my {device}? [I tried {website} too.|It began on "
        "{date}.|The help page {url} is useless.]"
    ),
    (
        "My flight {transport_number} from {city} to {city} on {date} was cancelled. {company} offered [a voucher "
        "of {money}|a seat on {transport_number}] [but|and] I would like {request}."
    ),
    (
        "[I left my bag|I forgot my jacket] in [a taxi, plate {licence_plate},|bus {transport_number}] on {road} "
        "[around {time}|on {date}]. [Please contact {person}, {phone}.|It is {color} and made of {material}.]"
    ),
    (
        "[Name|Full name]: {person}\nID: {id_number}\nMobile: {phone}\nE-mail: {email}\nAddress: {address}, {city} "
        "{postcode}\nMessage: {problem}"
    ),
    (
        "Thanks for calling {company} , {first_name} speaking . Could you confirm your postcode ? - It is "
        "{postcode} . - And your date of birth ? - {birth_date} ."
    ),
    (
        "[The internet at|Our line at] {address} has been down since {date}. The router ({model_number}) shows the "
        "IP {ip_address}. [Please send someone.|Customer number: {identifier}.]"
    ),
    (
        "Please change the [delivery address|ship-to address] of {order_number} to {address}, {city}. [The "
        "recipient is {recipient}.|{recipient} will sign for it.]"
    ),
    (
        "{recipient} [refused|accepted] the parcel sent by {sender} from {city}; [it goes back on {date}|weight "
        "{quantity}, fee {price}]."
    ),
    (
        "Category: {category}\nPriority: [high|low]\nHandled by: {person}, {department}\nCause: {reason}\nAction: "
        "{task}\nClosed: {date}"
    ),
    (
        "The {service} I pay {price}[ a month|] for stopped working [on {date}|{date_relative}]. [Is it because of "
        "{reason}?|I want {request}.]"
    ),
    "[Rated|You rated] our {service} {rating}. [Your comment: {opinion}.|What was wrong: {problem}.]",
    (
        "My [room|booking] at {hotel} under the name {person}, from {date} to {date}, [shows|lists] {number} "
        "guests [but|when] we need {number}. [Booking code {identifier}.|Total: {price}.]"
    ),
    (
        "The {brand} {product} I [bought|got] from {website} [broke after {duration}|has a problem: {problem}]. "
        "The warranty lasts {duration}. [Your colleague {first_name} promised {request}.|Invoice {identifier}, "
        "dated {date}.]"
    ),
    (
        "Ship to: {recipient}, {address}, {city} {postcode}, {country}. Sender: {sender}, {company}. [Service: "
        "{service}.|Contents: {product}.]"
    ),
    (
        "My parcel went to postcode {postcode} [instead of|and not to] {postcode}. [Number: "
        "{tracking_number}.|Order: {order_number}.]"
    ),
    (
        "I bought {product} [and {product} |]from {company} for {price} on {date}. [The {product} is fine, "
        "but|Now] I have this problem: {problem}. [Can {organization} help me?|I expect {request}.]"
    ),
)
