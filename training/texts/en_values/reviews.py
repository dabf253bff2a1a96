"""Reviews and requests: opinions, strengths, weaknesses, aspects, reasons, problems, requests, kinds, relations."""

from training.texts.en_values.compose import capitalised, coined, listed, mix, shape, whole
from training.texts.en_values.places import demonym
from training.texts.template import Draw, words

aspect = listed("""battery life; screen; display; camera; price; sound quality; build quality; keyboard; touchpad
        speaker; performance; speed; design; weight; size; charger; software; operating system
        customer service; delivery; packaging; warranty; ease of use; Wi-Fi; Bluetooth; memory; hard drive
        graphics; resolution; durability; comfort; fit; fabric; color; food; service; staff; waiters
        atmosphere; ambience; decor; menu; wine list; portions; dessert; appetizers; pizza; sushi; drinks
        prices; location; room; bed; bathroom; shower; breakfast; pool; view; check-in; front desk; parking
        cleanliness; noise; air conditioning; gym; lobby; lighting; music; wait time; bartender; cocktails
        coffee; pasta; steak; fish; plot; acting; soundtrack; characters; dialogue; ending; pacing
        special effects; cinematography; gameplay; controls; storyline; writing style; user interface; app
        battery; fan; hinge; ports; webcam; boot time; value for money; shipping; return policy
        installation; instructions; smell; taste; texture; zipper; sole; stitching; remote control
        picture quality; tech support""")
_good = words("great excellent amazing wonderful fantastic good superb outstanding lovely impressive decent perfect")
_bad = words("terrible awful poor bad disappointing horrible mediocre subpar unreliable dreadful weak")
opinion = mix(
    _good,
    _bad,
    listed("""love; loved; hate; enjoyed; recommend; disappointed; delicious; tasty; bland; fresh; overpriced; cheap
        expensive; reasonable; friendly; rude; slow; fast; quick; attentive; helpful; noisy; quiet; clean; dirty
        spacious; cramped; comfortable; uncomfortable; cozy; beautiful; ugly; easy to use; hard to use; sturdy
        flimsy; light; heavy; crisp; blurry; worth every penny; waste of money; not worth it; highly recommended
        to die for; out of this world; okay; so-so; average; boring; hilarious; gripping; predictable; romantic
        greasy; salty; overcooked; dry; juicy; tender; crowded; inexpensive; happy; sad; angry; frustrated
        satisfied; unhappy; anxious; excited; grateful; furious; pleased; worried; surprised; proud; optimistic
        inedible; mouth-watering; long-lasting; sluggish; responsive; sleek; a joke; a must; not bad
        nothing special; top notch; second to none; hit or miss; superb; never disappoints; unacceptable; ok
        lame; awesome; perfect; broken; useless; well made; very disappointed; really good; too loud; impressed"""),
    shape("very <g>; really <b>; pretty <g>; absolutely <b>; so <g>; truly <g>; a bit <b>; not <g>", g=_good, b=_bad),
)
pros = mix(
    listed("""easy to set up; long battery life; lightweight; great sound; affordable price; fast delivery
        comfortable to wear; sturdy build; bright display; quiet operation; good value for money
        very easy to clean; beautiful design; friendly staff; clean rooms; great location
        walking distance to the beach; delicious breakfast; fresh ingredients; generous portions; quick service
        cozy atmosphere; free parking; fast Wi-Fi; comfortable beds; spacious rooms; amazing view
        helpful receptionist; works out of the box; charges quickly; excellent camera; responsive touchscreen
        waterproof; soft fabric; true to size; flexible hours; good work-life balance; supportive management
        good benefits; competitive pay; smart colleagues; engaging plot; strong performances
        beautiful soundtrack; no lag; intuitive interface; responsive customer support
        doesn't take up much space; holds its charge for days; close to the metro; kid-friendly; great cocktails
        reasonable prices; free refills; simple controls; looks expensive; smells great; leaves skin soft
        folds flat; well-written; plenty of storage; remote work; low running costs; high accuracy
        fast inference; low memory use"""),
    shape(
        "<g> <a>; <g> <a>; love the <a>; <g> <a> and <c>; the <a>; <g> <a> for the price; really <g> <a>",
        g=_good,
        a=aspect,
        c=aspect,
    ),
)
cons = mix(
    listed("""poor battery life; too heavy; expensive; hard to assemble; no headphone jack; gets hot; slow charging
        stopped working after a week; screen scratches easily; flimsy plastic; confusing manual; loud fan
        no warranty; limited storage; late delivery; arrived damaged; small rooms; thin walls; dirty bathroom
        no elevator; rude staff; overpriced drinks; long wait; cold food; tiny portions; noisy street
        weak Wi-Fi; uncomfortable mattress; no parking; far from the center; slow service; runs small
        fades after one wash; cheap material; strong chemical smell; long hours; low pay; poor management
        no room for growth; office politics; predictable ending; too long; weak plot; buggy software
        too many ads; drains the battery; crashes often; hard to reach customer support; shrinks in the wash
        remote feels cheap; no USB-C port; lid leaks; cord too short; difficult to clean; bland food
        limited menu; cash only; no air conditioning; hidden fees; mediocre camera; lack of documentation
        high turnover; sensitive to noise; high computational cost; needs a lot of training data; only one color
        no vegetarian options; musty smell; pixelated video; sizing is off; bulky"""),
    shape(
        """<b> <a>; <b> <a>; did not like the <a>; <b> <a> and <c>; the <a>; <a> could be better
        <a> leaves much to be desired; not enough <a>""",
        b=_bad,
        a=aspect,
        c=aspect,
    ),
)
_part = words(
    "screen engine battery door heater printer router dishwasher elevator brake camera speaker motor "
    "pump faucet fridge laptop phone scanner zipper handle remote"
)
_reason = listed("""wrong size; arrived damaged; changed my mind; defective; found a better price; late delivery
        no longer needed; does not match the description; ordered by mistake; wrong color; missing parts
        poor quality; heavy rain; speeding; drunk driving; engine failure; human error; bad weather
        a short circuit; gas leak; power outage; staff shortage; budget cuts; lack of funding; low demand
        rising fuel costs; higher interest rates; supply chain disruptions; safety concerns; security reasons
        personal reasons; family emergency; health reasons; illness; a scheduling conflict
        technical difficulties; network failure; a software bug; expired certificate; a misconfigured firewall
        insufficient memory; a memory leak; smoking; poor diet; lack of exercise; stress; heart attack
        lung cancer; pneumonia; old age; a gunshot wound; drowning; metal fatigue; pilot error; faulty wiring
        overheating; an unpaid invoice; breach of contract; unpaid rent; poor performance; repeated absences
        better career opportunities; relocation; retirement; parental leave; traffic jam; the strike; fog
        a dead battery; low sales; strong competition; weak earnings; rising costs; fraud; high turnover
        lack of evidence; overfitting; deforestation; climate change; corruption; overcrowding; the pandemic
        an earthquake; a broken water pipe; mechanical failure; slippery road; running a red light
        duplicate order; item never arrived; poor fit; allergy to the fabric; maintenance work
        missing documents; insufficient funds; wrong address""")
_problem = mix(
    listed("""screen flickering; won't turn on; battery drains quickly; no sound; overheating; can't log in
        forgot my password; app keeps crashing; slow internet; no internet connection; payment failed
        charged twice; double charge; missing package; wrong item delivered; late delivery; broken zipper
        leaking faucet; clogged drain; power outage; noisy neighbors; heater not working; paper jam; blue screen
        error 404; error code E05; database timeout; memory leak; null pointer exception
        500 internal server error; page not loading; login failure; data loss; virus infection; lost luggage
        flight delay; cancelled flight; dirty room; bed bugs; rude staff; food poisoning; cold food
        refund not received; account locked; card declined; cracked screen; dead pixels; strange noise; oil leak
        engine knocking; flat tire; brake failure; check engine light; water damage; missing screws
        billing error; poor signal; dropped calls; printer offline; email not syncing; keys stuck
        charging port loose; elevator stuck; mold in the bathroom; pothole; broken streetlight; roof leak
        smoke smell; slow performance; battery won't charge; WiFi keeps dropping; camera not focusing
        app freezes on startup; invoice is wrong"""),
    shape(
        """the <p> is broken; <p> not working; <p> won't start; <p> stopped working; broken <p>; <p> failure
        faulty <p>; cracked <p>; <p> makes a grinding noise; error <n>; <p> keeps shutting off; <w> app crashes
        leaking <p>; <p> overheats; no response from the <p>""",
        p=_part,
        n=whole(100, 599),
        w=coined,
    ),
)
_request = mix(
    listed("""full refund; refund; a refund; replacement; exchange; a replacement; cancel the order
        cancel my subscription; reset my password; change the delivery address; speak to a manager; call me back
        an apology; compensation; partial refund; free shipping; a discount; a later check-out; an extra bed
        a quiet room; non-smoking room; window seat; aisle seat; vegetarian meal; extra towels; wake-up call
        high chair; no onions; gluten-free; invoice copy; a new invoice; update my billing information
        extend the deadline; repair; repair or replace the unit; send a technician; expedited shipping
        upgrade my plan; close my account; delete my data; unlock my account; dark mode; add a search function
        better documentation; proof of purchase; return label; gift wrapping; a price match; more parking
        longer opening hours; track my package; change my flight; book a table by the window; early check-in
        a crib; allergy-friendly menu; warranty extension; credit to my account; a written explanation
        a tour of the facility; a quote; a free sample; a letter of recommendation; sign off on the budget
        overtime pay; remote work; higher wages; release of prisoners; immediate ceasefire
        resignation of the minister; lower taxes; ramp access; pet-friendly room; waive the fee
        resend the confirmation email; install the update; add Chinese subtitles; export to PDF; offline mode
        stop sending emails"""),
    shape(
        """fix the <p>; replace the <p>; a new <p>; refund of $<n>; <k>% discount; repair the <p>; send a new <p>
        reschedule to <d>; room for <m> people; delivery before <d>; table for <m>; compensation of $<n>
        inspect the <p>""",
        p=_part,
        n=whole(10, 900),
        k=whole(5, 60, 5),
        d=words("Monday Friday Tuesday noon Saturday"),
        m=whole(2, 8),
    ),
)
_category = mix(
    listed("""electronics; clothing; furniture; groceries; books; toys; beauty; sports equipment; home appliances
        office supplies; automotive; jewelry; shoes; pet supplies; stationery; software; health care
        baby products; kitchenware; garden tools; fast food; fine dining; cafe; bakery; pub; steakhouse
        pizzeria; buffet; diner; food truck; bar; tavern; gastropub; politics; sports; business; technology
        entertainment; science; world news; fiction; non-fiction; album; song; track; playlist; artist; movie
        TV series; video game; painting; saga; trailer; soundtrack; complaint; inquiry; refund request; bug
        feature request; spam; urgent; full-time; part-time; contract; internship; freelance; Sports & Outdoors
        Women's Clothing; Men's Shoes; mobile phones; laptops; concert; workshop; webinar; exhibition; seminar
        lecture; sale contract; employment contract; lease; loan; apartment; villa; townhouse; studio; SUV
        sedan; boutique hotel; hostel; resort; economy class; business class; first class; standard room
        deluxe room; suite; technical issue; billing; account access; shipping; festival; charity; lawsuit
        novel; picture book; photograph; television show; chapter; brasserie; pharmacy; supermarket; gas station"""),
    shape("<d> restaurant; <p> accessories; <p> repair", d=demonym, p=_part),
)
_spatial = listed("""near; nearby; close to; next to; within walking distance; near me; in the area; around here; around
        beside; opposite; across from; across the street; behind; in front of; above; below; under; on top of
        between; inside; outside; within; to the left of; to the right of; north of; south of; east of; west of
        in the same area; closest; nearest; far from; within five miles of; ten minutes from
        in the neighborhood; adjacent to; not far from; around the corner; along; at the corner of
        within 10 miles; twenty minutes away; here; close by; a short walk from; down the street; at the end of
        northwest of; past; on the left; surrounding; in the vicinity of; downtown; a block from
        two blocks away from; upstairs; next door to; local; beneath; overlooking""")
_selection = listed("""best; top; top-rated; cheapest; most expensive; newest; latest; oldest; most popular
        highest rated
        lowest price; highest; lowest; first; last; nearest; fastest; biggest; largest; smallest; longest
        shortest; most recent; worst; best-selling; top 10; top five; most viewed; price low to high
        price high to low; by date; alphabetically; ascending; descending; random; the best; greatest
        most liked; good; highly rated; recommended; trending; featured; least expensive; highest grossing
        most played; newest first; sorted by rating; by relevance; by popularity; number one; this; current
        next; previous; another; new; popular; top three; hottest; most reviewed; lowest mileage; earliest
        shuffle; favorite; well-reviewed; top-notch; other; sort by price""")
VALUES: dict[str, Draw] = {
    "aspect": mix(aspect, aspect, aspect, capitalised(aspect)),
    "opinion": opinion,
    "pros": mix(pros, pros, capitalised(pros)),
    "cons": mix(cons, cons, capitalised(cons)),
    "reason": _reason,
    "problem": mix(_problem, _problem, capitalised(_problem)),
    "request": _request,
    "category": _category,
    "spatial_relation": _spatial,
    "selection": _selection,
}
