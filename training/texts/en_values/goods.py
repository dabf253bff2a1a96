"""Goods: products, brands, models, cars, devices, software, websites, food, drinks, restaurants, hotels, materials."""

from training.texts.en_values.compose import capitalised, code, coined, decimal, listed, lowered, mix, shape, whole
from training.texts.en_values.people import last_name
from training.texts.en_values.places import big_city, demonym
from training.texts.template import Draw, words

_brand = mix(
    listed("""Nike; Adidas; Apple; Samsung; Sony; Gucci; Prada; Chanel; Louis Vuitton; Rolex; Omega; Casio; Levi's
        Zara; Uniqlo; Patagonia; Dyson; Philips; Bosch; KitchenAid; Canon; Nikon; GoPro; Bose; JBL; Logitech
        Razer; Asus; Acer; Dell; Lenovo; HP; Xiaomi; OnePlus; Google; Lego; Mattel; Hasbro; Toyota; Honda; BMW
        Audi; Mercedes-Benz; Tesla; Ferrari; Porsche; Harley-Davidson; Pepsi; Coca-Cola; Red Bull; Heinz
        Kellogg's; Nespresso; Colgate; Dove; Nivea; Maybelline; Estée Lauder; Pampers; Gillette; Tide; IKEA
        Le Creuset; Tefal; Ray-Ban; The North Face; New Balance; Converse; Vans; Crocs; Swatch; Fitbit; Garmin
        Whirlpool; Miele; Makita; DeWalt; Michelin; Oral-B; Tupperware; Moleskine; Montblanc; Hermès; Burberry
        Reebok"""),
    coined,
)
_adjective = words(
    "wireless portable stainless-steel organic waterproof vintage adjustable foldable rechargeable "
    "leather cotton ceramic electric digital compact heavy-duty bamboo noise-cancelling ergonomic "
    "insulated kids' mini deluxe"
)
_thing = listed("""headphones; backpack; water bottle; coffee maker; desk lamp; yoga mat; running shoes; phone case
        keyboard; mouse; office chair; toaster; blender; wallet; umbrella; sunglasses; sweater; jacket; T-shirt
        jeans; sneakers; boots; notebook; pen set; frying pan; knife set; mattress; pillow; towel; shampoo
        face cream; lipstick; perfume; toothbrush; candle; toy car; puzzle; tent; sleeping bag; bicycle helmet
        dog leash; cat litter; garden hose; drill; screwdriver set; light bulb; battery pack; USB cable; charger
        monitor stand; speaker; alarm clock; suitcase; picture frame; rug; curtains; bookshelf; sofa
        dining table; printer paper; toner""")
_line = words(
    "Pro Max Plus Air Ultra Lite Mini Elite Classic Prime Sport Active Studio Neo Flex One Go X S Premium Comfort"
)
_famous = listed("""iPhone 15 Pro; iPhone 13; Galaxy S24 Ultra; MacBook Air; iPad mini; AirPods Pro; Kindle Paperwhite
        PlayStation 5; Nintendo Switch; Echo Dot; Model S; Apple Watch Series 9; Big Mac; Post-it Notes
        Air Jordan 1; Air Max 90; Roomba; Instant Pot; Barbie; Tylenol; Windows 11; Xbox Series X; Pixel 8
        Sharpie; Galaxy Buds""")
_described = shape(
    """<a> <t>; <a> <t>; <b> <t>; <b> <a> <t>; <w> <l>; <w> <l> <n>; <b> <w> <l>; <w> <t>; <b> <m>; <c> <t>
        <t> (<c>); <a> <t>, <c>; <b> <t> <m>; <w> <n>; <t> set; pack of <n> <t>; steel bolts M<n>; A4 paper
        office supplies; web hosting plan; consulting services; printer cartridges; LED panels; solar panels""",
    a=_adjective,
    t=_thing,
    b=_brand,
    w=coined,
    l=_line,
    n=whole(2, 12),
    m=code("@%##; @@-%##; X%##"),
    c=words("black white red blue grey green navy pink beige"),
)
product = mix(_famous, _thing, _described, _described)
_model = mix(
    code("""@@-####; @###; @@##; @@@-####@; WH-1000XM%; EOS %##D; RTX %0#0; @@%###-@; X%##; @##-####; DS-#@@##
        @@@##@####; ThinkPad T%#; i%-%##00K; SM-@###@; A####; @@###W; MX-##; @%-###/##; @@-##.#; WF##@####
        UN55@@####; SKU @@-##; Latitude 5##0; DCD###; Ryzen % %#00X; LC-##@@@; MQ%@%"""),
    shape("<w> <n>; <w> <l> <n>; Mark <n>; <l> <n>; Series <n>", w=coined, l=_line, n=whole(2, 900)),
)
_maker = words(
    "Toyota Honda Ford BMW Audi Mercedes Volkswagen Nissan Hyundai Kia Chevrolet Tesla Volvo Mazda "
    "Subaru Jeep Lexus Porsche Renault Peugeot Fiat Škoda Dodge"
)
_car = words(
    "Corolla Camry Civic Accord Mustang F-150 Golf Passat Polo A4 Q5 X5 Leaf Altima Tucson "
    "Sonata Sportage Malibu Silverado XC90 CX-5 Outback Wrangler RX350 Clio Panda"
)
vehicle = mix(
    shape(
        "<m> <c>; <y> <m> <c>; <c>; <m>; <m> <n>; <y> <m>; <m> pickup truck; <o> <m> <c>; <o> <m>",
        m=_maker,
        c=_car,
        y=whole(1998, 2026),
        n=code("%##; @%; %##@; GT; C%##"),
        o=words("black white silver red blue grey"),
    ),
    listed("""sedan; SUV; pickup truck; van; motorcycle; bicycle; bus; ambulance; fire truck; minivan; convertible
        school bus; scooter; tractor; helicopter; ferry; Boeing 737; Airbus A320; Boeing 787 Dreamliner; Titanic
        Model Y; Cybertruck; cargo ship; taxi; tram; subway; hatchback; Vespa; yacht; semi-trailer; Queen Mary 2
        rental car; Cessna 172; hybrid; Harley-Davidson Sportster; train; electric scooter; Prius; Beetle
        Mini Cooper; dump truck; Concorde; space shuttle"""),
)
device = mix(
    listed("""iPhone 14; Galaxy S23; MacBook Pro; iPad; Apple Watch; PlayStation 5; Kindle; Pixel 7a; laptop
        smartphone; tablet; router; printer; scanner; projector; washing machine; refrigerator; dishwasher
        microwave; air conditioner; vacuum cleaner; smart TV; webcam; microscope; centrifuge; oscilloscope
        MRI scanner; ventilator; pacemaker; insulin pump; ultrasound machine; defibrillator; 3D printer; drone
        server; NAS; modem; smoke detector; thermostat; e-reader; hair dryer; blood pressure monitor; forklift
        excavator; lathe; kitchen light; bedroom lamp; garage door; coffee machine; elevator; compressor; pump
        generator; mass spectrometer; hearing aid; GPS tracker; Wi-Fi extender; air fryer; camera"""),
    shape(
        "<b> <n> laptop; <b> TV; <b> <w>; <b> camera; <w> <l> phone; <w> tablet; <b> printer; <w> <l>; <b> <d>",
        b=_brand,
        w=coined,
        l=_line,
        n=whole(11, 17),
        d=_model,
    ),
)
_apps = listed("""Microsoft Word; Excel; PowerPoint; Photoshop; Illustrator; Chrome; Firefox; Safari; Slack; Zoom; Teams
        Skype; WhatsApp; Telegram; Signal; WeChat; Instagram; TikTok; Snapchat; Windows 10; macOS Sonoma
        Ubuntu 22.04; Android 14; iOS 17; Linux; AutoCAD; SolidWorks; MATLAB; SPSS; Tableau; Power BI; SAP
        Salesforce; Jira; Confluence; Trello; Notion; Figma; GitHub; Docker; Kubernetes; PostgreSQL; MySQL
        MongoDB; Redis; Elasticsearch; Apache Kafka; TensorFlow; PyTorch; React; Angular; Django; Node.js
        Spring Boot; Jenkins; VS Code; Eclipse; Emacs; Vim; QuickBooks; Outlook; Gmail; Google Maps; Uber app
        Duolingo; Blender; Unity; Unreal Engine; OpenOffice; ChatGPT; Siri; Alexa; Acrobat Reader; Final Cut Pro
        Hadoop; Git; Apache Spark""")
software = mix(
    _apps,
    _apps,
    shape(
        """<w> <n>.<k>; <w>OS; <w>DB; <w> Cloud; <w> <l>; <w>.js; <w>Sync; <a> <n>.<k>; my<w> app; <w> Desktop
        <w> CRM; <w> v<n>; Open<w>; py<w>""",
        w=coined,
        n=whole(1, 20),
        k=whole(0, 9),
        l=_line,
        a=words("Python Java Photoshop Android iOS WordPress Chrome Drupal PHP"),
    ),
)
_website = mix(
    listed("""Wikipedia; YouTube; Reddit; Amazon; eBay; Etsy; Craigslist; Stack Overflow; GitHub; IMDb
        Rotten Tomatoes; Goodreads; Tripadvisor; Yelp; Booking.com; Airbnb; Expedia; Twitter; Facebook; LinkedIn
        Pinterest; Tumblr; Quora; Medium; Substack; Netflix; Hulu; Twitch; Vimeo; SoundCloud; Coursera
        Khan Academy; Indeed; Glassdoor; Zillow; WebMD; Google; Bing; Yahoo; Metacritic; Amazon.com; Alibaba
        Taobao; Walmart.com; arXiv; PubMed; Kickstarter; Change.org; Snopes; BuzzFeed; Hacker News; 4chan
        MySpace; Instagram; TikTok; Nextdoor; Weather.com"""),
    shape(
        "<w>.com; <w> Forum; <w>pedia; the <w> portal; <w>.org; <w>.net; The <l> Report; <w>Hub", w=coined, l=last_name
    ),
)
_ingredient = listed("""chicken; beef; pork; lamb; salmon; tuna; shrimp; tofu; mushroom; spinach; potato; tomato; garlic
        cheese; pumpkin; egg; avocado; bacon; lentil; chickpea; duck; cod; crab; eggplant; zucchini
        cauliflower; apple; lemon; chocolate; blueberry; almond; coconut""")
food = mix(
    listed("""pizza; sushi; ramen; pho; pad thai; tacos; burrito; lasagna; spaghetti carbonara; risotto; paella
        croissant; baguette; hummus; falafel; kebab; biryani; naan; samosas; butter chicken; dim sum
        Peking duck; fried rice; kimchi; bibimbap; cheeseburger; French fries; fish and chips; hot dog
        mac and cheese; pancakes; waffles; Caesar salad; tiramisu; cheesecake; ice cream; cookies; bananas
        strawberries; oranges; broccoli; carrots; rice; bread; butter; olive oil; salt; sugar; flour; yogurt
        oatmeal; cereal; peanut butter; sashimi; steak; ribs; calamari; guacamole; gumbo; dumplings; goulash
        schnitzel; moussaka; borscht; ceviche; poutine; shepherd's pie; nachos; popcorn; garlic bread
        black pepper; vanilla extract; onions; green beans; honey; eggs; mozzarella"""),
    shape(
        """<h> <i>; <i> soup; <i> salad; <i> curry; <i> pie; <i> and <k>; <i> sandwich; <i> with <k>; <i> <s>
        <h> <i> with <k>""",
        i=_ingredient,
        k=_ingredient,
        h=words("grilled fried roasted smoked baked braised spicy steamed crispy pan-seared"),
        s=words("tart muffins pasta tacos stew burger pizza wrap noodles"),
    ),
)
_drink = mix(
    listed("""coffee; espresso; latte; cappuccino; iced tea; green tea; Earl Grey; hot chocolate; orange juice
        lemonade; Coke; Diet Coke; Pepsi; Sprite; ginger ale; sparkling water; milk; oat milk; beer; red wine
        white wine; Champagne; Prosecco; gin and tonic; mojito; margarita; martini; whiskey; bourbon; Scotch
        vodka; tequila; rum; sake; cider; Guinness; Heineken; IPA; Merlot; Chardonnay; sangria; Bloody Mary
        Old Fashioned; bubble tea; kombucha; smoothie; milkshake; Americano; flat white; chai; matcha latte
        Red Bull; Gatorade; tap water; house wine; Bordeaux; Baileys; cold brew; draft beer"""),
    shape(
        "<i> juice; <i> tea; <i> smoothie; <i> soda; iced <i> latte; glass of <g>; <l> Pale Ale; <y> <g>",
        i=words("apple mango mint peach ginger pineapple carrot rose hibiscus"),
        l=last_name,
        g=words("Merlot Malbec Rioja Riesling Shiraz rosé port"),
        y=whole(1998, 2022),
    ),
)
_cuisine = mix(
    demonym,
    lowered(demonym),
    listed("""Italian; Chinese; Mexican; Indian; Thai; Japanese; French; Mediterranean; Middle Eastern; Cajun; Creole
        Tex-Mex; soul food; barbecue; BBQ; seafood; vegan; vegetarian; fusion; Sichuan; Cantonese; Southern
        fast food; sushi; pizza; steakhouse; tapas; halal; kosher; farm-to-table; Asian fusion; Latin American
        Szechuan; dim sum; gastropub; Pan-Asian; street food; comfort food"""),
)
_restaurant = mix(
    listed("""McDonald's; Burger King; KFC; Subway; Starbucks; Pizza Hut; Domino's; Taco Bell; Chipotle; Olive Garden
        Applebee's; IHOP; Denny's; Shake Shack; Five Guys; Nando's; Pret A Manger; Noma; Nobu
        The French Laundry; Cheesecake Factory; Panera Bread; Red Lobster; Wagamama; Dunkin' Donuts
        P.F. Chang's; In-N-Out; Le Bernardin; El Bulli; Chez Panisse"""),
    shape(
        """<f>'s Diner; <l>'s; <l>'s Grill; Chez <f>; Trattoria <l>; The <a> <n>; The <a> <n>; Café <w>
        <c> Kitchen; <l> Steakhouse; La <w>; Golden <n>; The <n> & <m>; <l>'s Fish & Chips; Casa <l>; <w> Bistro
        Taste of <c>; <f>'s Pizzeria; Bar <w>; Sushi <l>; Thai <n>; Little <c>; The <a> <n> Pub; <n> House
        <f>'s Place; <w>""",
        f=words("Joe Tony Mama Luigi Rosie Pierre Maria Sal Annie Max Frankie"),
        l=last_name,
        a=words("Red Rusty Hungry Lazy Golden Black Blue Old Jolly White"),
        n=words("Lion Spoon Dragon Lotus Anchor Fox Duck Garden Bear Swan Crab Horse"),
        m=words("Crown Vine Barrel Fork Rose Oak"),
        w=coined,
        c=big_city,
    ),
)
_hotel = shape(
    """Hilton <c>; Marriott <c>; <c> Marriott; Hyatt Regency <c>; Holiday Inn <c>; Hotel <w>; The <l> Hotel
        The <l>; <l> Inn; Grand Hotel <c>; Hotel <c>; <c> Backpackers Hostel; Best Western <l>; Ibis <c>
        The Ritz <c>; <w> Resort & Spa; Four Seasons; Ritz-Carlton; Waldorf Astoria; Motel 6; <l> Lodge
        <c> Palace Hotel; <l> Guesthouse; Sheraton <c>; Novotel <c> Centre; <l> House B&B; Park Hyatt; The Plaza
        Travelodge <c>; Royal <w> Hotel; W <c>; <l> Suites; Villa <w>; Premier Inn; Super 8; Days Inn
        Mandarin Oriental; <w> Beach Resort; Hampton Inn <c>; Bellagio; Raffles Hotel""",
    c=big_city,
    l=last_name,
    w=coined,
)
_material = listed("""cotton; polyester; wool; silk; linen; leather; denim; nylon; velvet; cashmere; suede; spandex
        steel
        stainless steel; aluminium; aluminum; copper; brass; bronze; iron; titanium; gold; silver; glass
        ceramic; porcelain; concrete; cement; brick; wood; oak; pine; bamboo; plywood; marble; granite
        limestone; plastic; PVC; rubber; silicone; carbon fiber; fiberglass; graphene; Kevlar; paper
        cardboard; foam; memory foam; acrylic; 100% cotton; 80% wool, 20% nylon; faux leather
        organic cotton; recycled polyester; solid oak; tempered glass; sterling silver; polyethylene
        epoxy resin; asphalt; clay; mahogany; cork; canvas; fleece; microfiber; satin""")
_base = words(
    "black white red blue green yellow orange purple pink brown grey gray gold silver navy teal "
    "turquoise beige ivory maroon burgundy crimson scarlet violet lavender indigo olive mint coral "
    "peach khaki cream"
)
_color = mix(
    _base,
    capitalised(_base),
    shape(
        """dark <c>; light <c>; <c> and <d>; <n> <c>; <c>/<d>; pale <c>; bright <c>; matte <c>; <N> Gray
        Midnight Blue; Rose Gold; Space Gray; <d>ish <c>""",
        c=_base,
        d=_base,
        n=words("royal forest sky emerald rust lime neon"),
        N=words("Slate Charcoal Storm Silver"),
    ),
)
_size = shape(
    """S; M; L; XL; XXL; XS; 2XL; small; medium; large; Small; Medium; Large; extra large; size <n>; size <n>
        US <n>; EU <e>; UK <n>; <e>; <d> x <k> cm; <d> x <k> x <n> cm; <d>" x <k>"; <k>-inch; <n>.<h> inches
        <d> mm; <k>" x <k>"; queen; king size; twin; one size; <k> x <d> inches; <d>×<k> mm; W<d> L<k>; <t>GB
        <k> oz; <d> ml; A4; A3; king; full-size; 34B; tall; petite; size M; <x> m; <d>mm; queen-size
        pocket-sized; family size; venti; grande""",
    n=whole(4, 14),
    e=whole(35, 47),
    d=whole(28, 210),
    k=whole(8, 98),
    h=whole(1, 9),
    t=words("16 32 64 128 256 512"),
    x=decimal(0.5, 4),
)
VALUES: dict[str, Draw] = {
    "product": product,
    "model_number": _model,
    "brand": _brand,
    "vehicle": vehicle,
    "device": device,
    "software": software,
    "website": _website,
    "food": food,
    "drink": _drink,
    "cuisine": _cuisine,
    "restaurant": _restaurant,
    "hotel": _hotel,
    "material": _material,
    "color": _color,
    "size": _size,
}
brand = _brand
