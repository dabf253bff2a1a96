"""Templates of listings and of reviews of products, hotels and restaurants."""

TEMPLATES: tuple[str, ...] = (
    "{brand} {product}, {color}, {size}, {material} - {price}",
    (
        "Brand: {brand}\nProduct: {product}\nModel: {model_number}\nColour: {color}\nSize: {size}\nMaterial: "
        "{material}\nPrice: {price}"
    ),
    (
        "[For sale|Selling]: {product} by {brand}, [bought|new] in {date}, {color}. [Asking {price}.|Price "
        "{price}, was {price}.] [Pick up in {city}.|Can post to {country}.] [Call {first_name} on {phone}.|Mail "
        "{email}.]"
    ),
    (
        "[NEW|SALE]! {product} now {price} ([was {price}|{percent} off]) until {date}. [Order at {url}.|Only at "
        "{website}.]"
    ),
    (
        "The {product} from {brand} [has|comes with] a {duration} warranty, weighs {quantity} and [is made of "
        "{material}|comes in {color} or {color}]. Rated {rating} by {number} buyers."
    ),
    "{rating}. Pros: {pros}. Cons: {cons}.",
    (
        "{rating} - [Bought|Got] the {product} [for my new job|as a gift] [on {date}|{date_relative}]. The "
        "{aspect} is {opinion} and the {aspect} is {opinion}. [Delivery took {duration}.|I paid {price}.] [{brand} "
        "has done better.|I would buy {brand} again.]"
    ),
    "The {aspect} [is|was] {opinion}, but the {aspect} [is|was] {opinion}.",
    "{opinion} {aspect}, {opinion} {aspect}, [that sums it up|not sure what else to say].",
    "[What I like|Likes]: {pros}; {pros}. [What I do not like|Dislikes]: {cons}.",
    "Advantages:\n- {pros}\n- {pros}\nDisadvantages:\n- {cons}\n- {cons}\nVerdict: {rating}",
    (
        "I compared the {product} with the {product}. [The former|The latter] has {opinion} {aspect}; [the "
        "other|the cheaper one] has {opinion} {aspect}. [At {price} I took {brand}.|Both cost about {price}.]"
    ),
    (
        "Review by {username}, {date}: {aspect} {opinion}. {aspect} {opinion}. [{rating} from me.|I sent it back. "
        "Reason: {reason}.]"
    ),
    (
        "[We stayed|I stayed|My family stayed] at {hotel} in {city} for {duration} in {date}. [The {aspect} was "
        "{opinion}.|Pros: {pros}.] [It is {spatial_relation} {attraction}.|The room was {price} a night.] [Cons: "
        "{cons}.|{rating}.]"
    ),
    "Hotel: {hotel}\nAddress: {address}, {city}\nFacilities: {facility}\nPrice per night: {price}\nScore: {rating}",
    (
        "{restaurant} on {road} serves {cuisine} food. [We had|I ordered] {food}, {food} and {drink} for {price}. "
        "[The {aspect} was {opinion}.|Rating: {rating}.]"
    ),
    (
        "[Had|Ate] the {food} and the {food} at {restaurant} [{date_relative}|on {date}] and it was {opinion}. "
        "[The {drink} was {opinion}, too.|The staff were {opinion}.|Next time I will try the {food}.]"
    ),
    (
        "{restaurant} ({cuisine}, {city}): {opinion} {food}, {opinion} {aspect}. [About {price} per head.|Open "
        "from {time} to {time}.]"
    ),
    (
        "[Staff at|The people at] {restaurant} forgot our {drink}, [and|so] the {aspect} was {opinion}. "
        "[{rating}.|Never again.]"
    ),
    (
        "Category: {category}\nTitle: {brand} {product}\nPrice: {price}\nIn stock: {quantity}\nShips from: {city}, "
        "{country}"
    ),
    "The {device} [runs|ships with] {software}, has {quantity} of [memory|storage] and costs {price} at {company}.",
    (
        "[Used car|Car for sale]: {vehicle}, {color}, {quantity} on the clock, [first owner|one owner], plate "
        "{licence_plate}, {price}."
    ),
    "Plants for the balcony: {plant} {price}, {plant} {price}. [Height: {size}.|Delivered within {duration}.]",
    (
        "Food for your {animal}: {brand} with {food}, {size}, {price}. [{animal} owners rate it {rating}.|Contains "
        "{chemical}.]"
    ),
    "{book} by {writer} [(used)|(new)] , {price} . Language : {language} . Condition : {opinion} .",
    "[Seller|Shop]: {username}\nItem: {product}\nReason for return: {reason}\nRequest: {request}",
    (
        "Bag made of {material} with {material} trim, {size}, for {group}. [Available in {color}, {color} and "
        "{color}.|A {festival} gift.]"
    ),
    (
        "[Overall|All in all] {opinion}. {pros}. [Sadly, {cons}.|However: {cons}.] [For {price} you get what you "
        "pay for.|Would choose {company} again.]"
    ),
    "Does the {brand} {model_number} [fit|work with] a {device}? The listing says {size}.",
    (
        "Set of {number} [pieces|parts], {quantity}, {material}. [Delivery by {company} in {duration}.|Shipping "
        "{price}.] [Code: {identifier}.|Item {identifier}.]"
    ),
    (
        "{brand} or {brand}? The {brand} {product} costs {price}, the {brand} {product} costs {price}. [Both have "
        "{opinion} {aspect}.|Pros: {pros}.|I took the {color} one.]"
    ),
    (
        "[Buy|Get] {product}, {product} and {product} [together |]for {price} at {company}. [Code {identifier} "
        "takes off {percent}.|Until {date}.]"
    ),
    "Great for {group}. [{pros}.|Size {size}.] {brand} [knows what it does|did well here].",
)
