"""Numbers: money, prices, salaries, percents, quantities, ratings and plain numbers."""

from training.texts.en_values.compose import code, decimal, grouped, listed, mix, shape, whole
from training.texts.template import Draw, words

_sign = words("$ $ $ $ £ € ¥ US$ A$ C$ HK$ ₹ S$ R$ ₩")
_three = words("USD EUR GBP CHF JPY CNY AUD CAD INR SEK NOK DKK SGD HKD AED ZAR BRL KRW THB PLN RMB USD EUR")
_currency = listed("""dollars; euros; pounds; yen; yuan; rupees; francs; pesos; kronor; US dollars; Canadian dollars
        won
        rand; lira; rubles; dollars; dollars; euros; bucks; pounds sterling; Swiss francs; cents; baht
        dirhams; bitcoins""")
_big = words("million billion million billion trillion thousand")
_round = mix(
    grouped(100, 9900, 100),
    grouped(1000, 99000, 500),
    grouped(10000, 990000, 10000),
    whole(20, 950, 10),
    grouped(1000000, 90000000, 250000),
)
_exact = mix(
    decimal(1, 99, 2),
    decimal(100, 999, 2),
    shape("<g>.<c>", g=grouped(1000, 250000), c=code("##")),
    grouped(1001, 99999),
)
_small = mix(whole(1, 40), decimal(1, 99), decimal(1, 9))
_spelt = listed("""two; three; five; ten; twelve; fifteen; twenty; twenty-five; fifty; ninety-nine; a hundred
        one hundred; two hundred; five hundred; a thousand; ten thousand; fifty thousand; a million
        half a million; a few hundred; several thousand""")
money = shape(
    """<s><r>; <s><r>; <s><x>; <s><x>; <s><m> <b>; <s><m> <b>; <s><m>bn; <s><m>m; <s><k>k; <s><m>M; <s><m>B
        <t> <r>; <t> <x>; <r> <t>; <x> <t>; <r> <c>; <r> <c>; <m> <b> <c>; <p> <c>; <t> <m> <b>; €<m> <b>; <k>k
        <k>K; <x>€; <r> €; <s><r>.00; <r>.00 <t>; about <s><m> <b>; <s><k>,000; more than <s><m> <b>
        <m> <b> <t>; <s><k> per person; <s><m>-<k> <b>; <s><k> to <s><r>; <k> bucks; <p> <c>""",
    s=_sign,
    t=_three,
    c=_currency,
    b=_big,
    r=_round,
    x=_exact,
    m=_small,
    k=whole(2, 900),
    p=_spelt,
)
_retail = mix(
    shape("<n>.99; <n>.99; <n>.95; <n>.50; <n>.00; <n>", n=whole(1, 499)),
    shape("<g>; <g>.99; <g>.00", g=grouped(1000, 9999)),
    decimal(1, 300, 2),
)
price = shape(
    """$<r>; $<r>; $<r>; <s><r>; <s><r>; <t> <r>; <r> <t>; <r> <c>; €<r>; £<r>; <r>€; $<r> each; $<r> per night
        $<r>/month; <s><r> per kg; <s><r> per unit; <s><r>/night; $<r>-$<g>; under $<k>; $<r> a month; <p> <c>
        <k> bucks; <s><k>k; from $<k>; $<m> million; free; <k> <c>; <s><r> pp; $<k> a barrel""",
    s=_sign,
    t=_three,
    c=_currency,
    r=_retail,
    g=whole(500, 900),
    k=whole(5, 950),
    m=_small,
    p=_spelt,
)
salary = shape(
    """$<y> per year; $<y>; $<k>,000; $<k>k; $<k>K; <k>k; £<k>,000 per annum; £<y>; €<y> per year
        $<h> per hour; $<h>/hr; $<h> an hour; <t> <o> per month; $<k>,000-$<l>,000; $<k>k-$<l>k; $<k>k - <l>k
        $<k>,000 to $<l>,000; $<y>/year; ₹<i> LPA; <i> LPA; $<o>/month; €<o> gross per month; <o> <c> a month
        $<k>,000 a year; £<h> per hour; <t> <k>,000; USD <y> annually; £<k>k-£<l>k; $<o> a week
        $<k>,000 plus bonus; up to $<l>,000; €<k>k; $<h>.50/hour""",
    y=grouped(24000, 260000, 500),
    k=whole(28, 95),
    l=whole(96, 220),
    h=whole(9, 120),
    t=_three,
    o=grouped(1200, 9800, 100),
    i=whole(4, 45),
    c=words("dollars euros pounds francs yuan"),
)
percent = shape(
    """<w>%; <w>%; <w>%; <d>%; <d>%; <e>%; <w> percent; <d> percent; <w> per cent; <w>-<v>%; <w> to <v> percent
        <s> percent; nearly <w>%; +<d>%; -<d>%; <w>% off; <d>% per annum; <w> %; half; a third; a quarter
        two-thirds; three quarters; one in five; more than <w>%; <d> pp; <w> percentage points; <e>% APR; 100%
        <d> percentage points; a fifth; about <w>%; one-fifth; <c> basis points; 0.<w>%; over <w> percent
        two out of three""",
    w=whole(1, 99),
    d=decimal(0.1, 99),
    e=decimal(0.1, 30, 2),
    v=whole(60, 95),
    c=whole(10, 150, 5),
    s=words("five ten twenty twenty-five thirty forty fifty sixty seventy ninety"),
)
_words = listed("""one; two; three; four; five; six; seven; eight; nine; ten; eleven; twelve; thirteen; fifteen; twenty
        thirty; forty; fifty; sixty; twenty-one; thirty-five; a dozen; dozens; hundreds; thousands; one hundred
        two thousand; half a million; a couple; first; second; third; fourth; fifth; tenth; both; millions; zero
        a hundred; several hundred; two dozen; 1st; 2nd; 3rd; 21st; 100th; twentieth; a few""")
plain_number = mix(whole(2, 99), whole(2, 20), grouped(100, 99999), whole(100, 999), _words)
number = mix(
    plain_number,
    plain_number,
    plain_number,
    shape(
        """<m> million; <m> billion; more than <g>; at least <n>; <n>-<v>; about <g>; <m>; <n>+; over <g>
        <n> thousand; No. <n>; #<n>; <g>; nearly <g>; 10th; <n> people; party of <k>; table for <k>; -<n>; <m>k
        minus <n>; around <n>; up to <n>; fewer than <n>; one in <n>""",
        m=_small,
        g=grouped(1000, 950000, 50),
        n=whole(3, 60),
        v=whole(61, 90),
        k=words("2 3 4 5 6 8 two four six eight"),
    ),
)
_measure = listed("""kg; kilograms; g; grams; mg; tons; tonnes; lbs; pounds; ounces; oz; km; kilometers; kilometres
        miles; m; meters; metres; cm; mm; feet; ft; inches; yards; liters; L; ml; gallons; square meters
        square feet; sq ft; m²; acres; hectares; km/h; mph; °C; °F; degrees Celsius; degrees; watts; kW; MW
        kWh; volts; V; mAh; GB; TB; MB; Mbps; GHz; Hz; dB; psi; hPa; calories; kcal; light-years; knots; nm
        µm; barrels; bushels""")
_pieces = listed("""boxes; pieces; pcs; units; bottles; cans; bags; packs; pairs; cartons; pallets; sets; rolls; sheets
        dozen; cups; slices; tablespoons; tbsp; teaspoons; cloves; copies; reams; containers; bunches; crates
        servings; bars""")
quantity = shape(
    """<n> <m>; <n> <m>; <n> <m>; <d> <m>; <d> <m>; <g> <m>; <d><u>; <n><u>; <n> x <k> <m>; <n> <p>; <n> <p>
        <s> <m>; <s> <p>; <k> by <n> <m>; about <n> <m>; <n>-mile; <n> to <g> <m>; <n> square kilometers
        <k>' <k>"; <k> ft <k> in; <g> square feet; -<k> °C; a pound; half a cup; a kilo; <n>°C; 1/2 cup
        a dozen; more than <g> <m>; <d> million tonnes; <k> feet <k> inches; two and a half <m>""",
    n=whole(2, 500),
    d=decimal(0.2, 80),
    g=grouped(500, 30000, 50),
    m=_measure,
    p=_pieces,
    k=whole(2, 12),
    u=words("kg g mg km m cm mm ft lbs oz L ml GB TB mph km/h MB W kW V mAh"),
    s=words("two three five six ten twelve twenty fifty"),
)
rating = shape(
    """<d> out of 5; <d>/5; <n> stars; <w> stars; <w>-star; <d> stars; <e>/10; <n>/5; <e> out of 10; <t>/10
        <d>; <n> star; <n> out of 5; <c>/100; <c> points; <l>; <l>; <w> out of five; GPA <g>; <g>/4.0; <d> ★
        <c>; <n>-star; <w> stars out of five; <c>%; <t> out of 10; <e>; two thumbs up; A+; AAA; BB-; zero stars
        <n> Stars; rating of <n>; <d> (<v> reviews); <n> points; five-star; 1 star; <c> out of 100; ★★★★☆; ★★★""",
    d=decimal(1, 5),
    n=whole(1, 5),
    w=words("one two three four five"),
    e=decimal(1, 10),
    t=whole(1, 10),
    c=whole(35, 100),
    l=words("A B C A- B+ B- C+ D excellent good poor average outstanding"),
    g=decimal(2, 4, 2),
    v=grouped(12, 9000),
)
VALUES: dict[str, Draw] = {
    "money": money,
    "price": price,
    "salary": salary,
    "percent": percent,
    "number": number,
    "plain_number": plain_number,
    "quantity": quantity,
    "rating": rating,
}
