"""Science and nature: animals, plants, chemicals, proteins, theories, algorithms, metrics, weather."""

from training.texts.en_values.compose import capitalised, code, coined, decimal, listed, lowered, mix, shape, whole
from training.texts.en_values.people import last_name
from training.texts.template import Draw, words

_beast = listed("""dog; cat; horse; cow; pig; sheep; goat; chicken; duck; goose; turkey; rabbit; hamster; guinea pig
        mouse; rat; squirrel; fox; wolf; bear; polar bear; lion; tiger; leopard; cheetah; jaguar; elephant
        rhino; hippo; giraffe; zebra; antelope; deer; moose; bison; camel; llama; alpaca; kangaroo; koala
        panda; monkey; gorilla; chimpanzee; orangutan; lemur; sloth; otter; beaver; seal; walrus; whale
        dolphin; shark; octopus; squid; jellyfish; crab; lobster; shrimp; salmon; tuna; trout; cod; eel
        goldfish; frog; toad; salamander; snake; python; cobra; lizard; iguana; crocodile; alligator; turtle
        tortoise; eagle; hawk; falcon; owl; parrot; penguin; ostrich; flamingo; swan; crow; raven; sparrow
        robin; pigeon; hummingbird; woodpecker; bee; wasp; ant; butterfly; moth; beetle; mosquito; spider
        scorpion; snail; earthworm; bat; hedgehog; badger; raccoon; skunk; porcupine; hyena; vulture
        peacock; donkey; mule; buffalo""")
_animal = mix(
    _beast,
    _beast,
    shape(
        "<b>s; <c> <b>; baby <b>; wild <b>", b=_beast, c=words("African Asian Arctic common giant red black spotted")
    ),
    listed("""golden retriever; German shepherd; Labrador; poodle; Siamese cat; Persian cat; bulldog; beagle
        chihuahua; tabby; blue whale; great white shark; humpback whale; snow leopard; Bengal tiger; bald eagle
        Komodo dragon; Tyrannosaurus rex; triceratops; woolly mammoth; dodo; Drosophila melanogaster
        Mus musculus; zebrafish; Escherichia coli; Homo sapiens; Canis lupus; Danio rerio; monarch butterfly
        emperor penguin; king cobra; African elephant; Border collie; pit bull; puppy; kitten; stray cats
        C. elegans; Panthera leo; rhesus monkey; mice; geese"""),
)
_plant = mix(
    listed("""oak; pine; maple; birch; willow; cedar; redwood; eucalyptus; palm tree; bamboo; cactus; aloe vera; fern
        moss; ivy; rose; tulip; daisy; sunflower; lily; orchid; lavender; jasmine; daffodil; carnation
        chrysanthemum; peony; lotus; violet; poppy; magnolia; cherry blossom; hydrangea; dandelion; clover
        wheat; rice; corn; maize; barley; soybean; cotton; sugarcane; coffee; tea plant; tobacco; potato; tomato
        cucumber; lettuce; spinach; cabbage; carrot; onion; garlic; ginger; basil; mint; rosemary; thyme
        parsley; cilantro; sage; chamomile; ginseng; ginkgo; apple tree; olive tree; grapevine; banana; mango
        avocado; coconut palm; Arabidopsis thaliana; Quercus robur; Oryza sativa; Zea mays; succulent
        Venus flytrap; water lily; seaweed; baobab; sequoia; mistletoe; holly; hemp; cannabis; St. John's wort
        Ginkgo biloba; Monstera deliciosa; snake plant; Acer palmatum; Solanum lycopersicum; kelp; sorghum
        rapeseed; nettle; weeping willow; Scots pine"""),
    shape(
        "<c> <p>; <p> tree; <p> seedlings; <l>'s orchid",
        c=words("white red wild dwarf Japanese English mountain"),
        p=words("rose lily oak maple poppy iris violet ash pine tulip"),
        l=last_name,
    ),
)
_atoms = listed("""hydrogen; helium; lithium; carbon; nitrogen; oxygen; fluorine; neon; sodium; magnesium; aluminum
        silicon; phosphorus; sulfur; chlorine; argon; potassium; calcium; titanium; chromium; manganese; iron
        cobalt; nickel; copper; zinc; gallium; arsenic; selenium; bromine; krypton; strontium; silver; tin
        iodine; xenon; cesium; barium; tungsten; platinum; gold; mercury; lead; bismuth; radon; radium; uranium
        plutonium; thorium; americium; neodymium; palladium; zirconium; cadmium; beryllium; boron; vanadium
        germanium; molybdenum; rhodium; indium; antimony; osmium; iridium; polonium; einsteinium; lanthanum
        cerium; europium""")
_element = mix(
    _atoms,
    _atoms,
    capitalised(_atoms),
    words("H He Li C N O Na Mg Al Si Fe Cu Zn Ag Au Hg Pb U Pu Ca Cl K Pt Ni"),
    listed("carbon-14; uranium-235; U-238; deuterium; tritium; cesium-137; iodine-131; cobalt-60; plutonium-239"),
)
_chemical = mix(
    listed("""water; ethanol; methanol; acetone; benzene; toluene; glucose; sucrose; fructose; caffeine; nicotine
        ammonia; methane; propane; carbon dioxide; carbon monoxide; nitrogen dioxide; sulfur dioxide; ozone
        hydrogen peroxide; sulfuric acid; hydrochloric acid; nitric acid; acetic acid; citric acid
        sodium chloride; NaCl; sodium hydroxide; NaOH; H2SO4; CO2; H2O; HCl; calcium carbonate; CaCO3
        potassium permanganate; silver nitrate; copper sulfate; titanium dioxide; formaldehyde; acetaldehyde
        chloroform; phenol; aniline; glycerol; cholesterol; dopamine; serotonin; adrenaline; cortisol
        testosterone; estradiol; ATP; DDT; PCB; dioxin; glyphosate; bisphenol A; LSD; THC; aspirin; urea; DMSO
        PVC; polyethylene; ethylene; nitric oxide; nitrous oxide; ammonium nitrate; hydrogen sulfide
        potassium cyanide; sodium bicarbonate; lactic acid; ascorbic acid; palmitic acid; ethyl acetate
        tetrahydrofuran; 1,2-dichloroethane; 2,4-dinitrophenol; streptozotocin; capsaicin; melatonin
        retinoic acid; calcium; lead; mercury; ethylene glycol; Fe2O3; LiPF6"""),
    shape(
        "<m> <s>; <m> <s>; <m> <s>; <n>-methyl<a>; <p><a>; <p>yl <s>; <n>,<k>-di<p>yl<a>",
        m=words("sodium potassium calcium lithium magnesium zinc iron copper barium ammonium"),
        s=words("chloride sulfate nitrate carbonate phosphate hydroxide oxide bromide acetate iodide"),
        n=whole(1, 3),
        k=whole(4, 6),
        a=words("butane phenol aniline pyridine hexanol imidazole benzamide"),
        p=words("meth eth prop but"),
    ),
)
_protein = mix(
    listed("""hemoglobin; insulin; collagen; keratin; actin; myosin; albumin; fibrinogen; p53; TP53; BRCA1; BRCA2
        EGFR; HER2; KRAS; NF-kappa B; TNF-alpha; IL-2; IL-6; interleukin-2; interferon gamma; VEGF; TGF-beta
        Bcl-2; caspase-3; CD4; CD8; CD28; AP-1; STAT3; c-Myc; MYC; PTEN; AKT1; mTOR; ACE2; spike protein; GFP
        lysozyme; pepsin; trypsin; amylase; lactase; lipase; catalase; DNA polymerase; reverse transcriptase
        protein kinase C; MAP kinase; tyrosine kinase; cytochrome c; CYP3A4; glutathione; ferritin; tau
        amyloid beta; huntingtin; dystrophin; CFTR; APOE; rhodopsin; GABA receptor; dopamine receptor D2
        glucocorticoid receptor; estrogen receptor; IgG; IgE; leptin; ghrelin; erythropoietin; histone H3
        ubiquitin; Cas9; PD-1; PD-L1; CTLA-4; E-cadherin; beta-actin; GAPDH; thrombin
        angiotensin-converting enzyme; COX-2; E1A; Sp1; GATA-1; HIV-1 Tat"""),
    code(
        """CD%#; IL-%#; @@@%; @@@%#; MIR%##; HLA-@%; CYP%@%; NF-@%; p%#; SLC%@%; HSP%0; FGF%; @~~%p; @@@@%; BMP-%
        ZNF%##; Rab%"""
    ),
)
_theory = mix(
    listed("""theory of relativity; general relativity; special relativity; quantum mechanics; string theory
        Big Bang theory; theory of evolution; natural selection; plate tectonics; game theory; chaos theory
        Pythagorean theorem; Fermat's Last Theorem; Riemann hypothesis; Bayes' theorem; central limit theorem
        Heisenberg uncertainty principle; Marxism; Ohm's law; Newton's second law; Moore's law; Murphy's law
        Hooke's law; laws of thermodynamics; Boyle's law; Occam's razor; Pareto principle; Peter principle
        Keynesian economics; social contract; utilitarianism; existentialism; stoicism; feminism; capitalism
        socialism; liberalism; nihilism; behaviorism; structuralism; germ theory; cell theory
        Maslow's hierarchy of needs; attachment theory; cognitive dissonance; efficient-market hypothesis
        Gaia hypothesis; Turing test; Gödel's incompleteness theorems; Hardy-Weinberg principle
        Sapir-Whorf hypothesis; Le Chatelier's principle; Higgs mechanism; dark matter; supply and demand
        trickle-down economics; Nash equilibrium; Four color theorem; Darwinism"""),
    shape(
        """<l>'s theorem; <l>'s law; <l> conjecture; <l> effect; <l>-<m> hypothesis; theory of <t>; <l> paradox
        <l>'s principle; <l> equation; <l>-<m> model; principle of <t>; <l>ian <t>""",
        l=last_name,
        m=last_name,
        t=words("gravity knowledge mind justice utility motivation optics computation heat entropy"),
    ),
)
_discipline = listed("""physics; chemistry; biology; mathematics; computer science; economics; psychology; sociology
        linguistics; philosophy; history; archaeology; anthropology; geology; astronomy; astrophysics; ecology
        genetics; neuroscience; immunology; pharmacology; medicine; engineering; statistics
        artificial intelligence; machine learning; robotics; computer vision; law; natural language processing
        cryptography; materials science; nanotechnology; biotechnology; bioinformatics; epidemiology
        oceanography; meteorology; political science; international relations; literature; art history
        musicology; education; marketing; finance; accounting; healthcare; agriculture; construction; e-commerce
        logistics; manufacturing; tourism; banking; insurance; real estate; telecommunications; automotive
        aerospace; retail; energy; fintech; cognitive science; number theory; topology; quantum computing
        organic chemistry; molecular biology; particle physics; fluid mechanics; operations research
        information retrieval; human-computer interaction; signal processing; evolutionary biology
        algebraic geometry; optics""")
_algorithm = mix(
    listed("""BERT; GPT-3; GPT-4; ResNet; ResNet-50; VGG-16; AlexNet; LSTM; GRU; CNN; RNN; Transformer; GAN; VAE
        U-Net; YOLO; YOLOv5; Faster R-CNN; Mask R-CNN; word2vec; GloVe; ELMo; XLNet; RoBERTa; T5; SVM
        support vector machine; random forest; decision tree; logistic regression; linear regression; k-means
        k-nearest neighbors; naive Bayes; XGBoost; PCA; t-SNE; conditional random field; CRF
        hidden Markov model; HMM; gradient descent; SGD; Adam; backpropagation; dropout; batch normalization
        attention mechanism; Q-learning; DQN; PPO; AlphaGo; Monte Carlo tree search; Dijkstra's algorithm; A*
        quicksort; merge sort; binary search; PageRank; RSA; AES; SHA-256; MD5; Kalman filter; genetic algorithm
        simulated annealing; expectation maximization; beam search; Viterbi algorithm
        convolutional neural network; recurrent neural network; graph neural network; diffusion model
        bag-of-words; TF-IDF; BM25; latent Dirichlet allocation; LDA; MCMC; fast Fourier transform
        bidirectional LSTM; multilayer perceptron; seq2seq; Llama 2; particle swarm optimization
        contrastive learning; LoRA"""),
    shape(
        """<w>Net; <w>BERT; <a>-<b>; Deep<w>; <w>-<n>; <b> with attention; <a>-guided <b>; <l>-<m> algorithm
        fine-tuned <b>; <w>GAN; graph-based <b>""",
        w=coined,
        a=words("BiLSTM CNN Attention Graph Prompt Meta Multi-task"),
        b=words("CRF LSTM Transformer GAN BERT SVM RNN"),
        n=words("7B 13B XL Large Base v2"),
        l=last_name,
        m=last_name,
    ),
)
_programming = listed("""Python; Java; JavaScript; TypeScript; C; C++; C#; Go; Golang; Rust; Ruby; PHP; Swift; Kotlin
        Scala
        Haskell; Perl; R; MATLAB; Julia; Fortran; COBOL; Lisp; Prolog; Erlang; Elixir; Clojure; F#
        Objective-C; Visual Basic; Pascal; Ada; Assembly; Bash; shell script; PowerShell; SQL; HTML; CSS
        Lua; Dart; Groovy; Scheme; OCaml; Smalltalk; Delphi; VBA; Solidity; Verilog; VHDL; BASIC; Zig; Nim
        Racket; Scratch; PL/SQL; ABAP; Apex; Python 3; Java 17; C++20; Visual Basic .NET; CoffeeScript
        WebAssembly; Python 2.7; ECMAScript; Standard ML; Algol 60; Simula; Logo; Mathematica; python; java
        javascript""")
_metric = mix(
    listed("""accuracy; precision; recall; F1; F1 score; F-measure; BLEU; ROUGE-L; METEOR; perplexity; AUC; ROC AUC
        mAP; mean average precision; MRR; NDCG; RMSE; mean squared error; MSE; MAE; R-squared; IoU
        Dice coefficient; word error rate; WER; PSNR; SSIM; FID; Inception score; Hits@10; exact match
        top-1 accuracy; top-5 error; latency; throughput; LAS; UAS; cross-entropy; log-likelihood; p-value
        Pearson correlation; Spearman's rho; Cohen's kappa; specificity; sensitivity; GDP; GDP growth; CPI
        inflation rate; unemployment rate; ROI; ROE; EBITDA; net profit margin; gross margin; earnings per share
        EPS; P/E ratio; click-through rate; CTR; conversion rate; bounce rate; churn rate
        customer lifetime value; net promoter score; NPS; customer satisfaction; market share; revenue
        operating income; debt-to-equity ratio; defect rate; on-time delivery; daily active users
        monthly active users; retention rate; life expectancy; literacy rate; infant mortality rate
        Gini coefficient; training time; FLOPs; signal-to-noise ratio; average order value; PMI; MOS; bleu score"""),
    shape(
        """F<n>; ROUGE-<n>; Recall@<n>; P@<n>; BLEU-<n>; Hits@<n>; macro-<m>; micro-<m>; <m> on the test set
        average <m>; weighted <m>""",
        n=whole(1, 5),
        m=words("F1 precision recall accuracy AUC"),
    ),
)
_weather = mix(
    listed("""sunny; cloudy; partly cloudy; mostly sunny; overcast; rain; light rain; heavy rain; drizzle; showers
        thunderstorms; thunderstorm; lightning; snow; light snow; heavy snow; blizzard; sleet; hail; fog; foggy
        mist; haze; windy; breezy; strong winds; gusty winds; storm; stormy; hurricane; tornado; typhoon
        cyclone; heat wave; cold front; hot; warm; cold; freezing; chilly; mild; humid; dry; clear skies; clear
        rainbow; frost; ice; drought; monsoon; dust storm; sandstorm; rainy; snowy; freezing rain
        scattered showers; tropical storm; snowstorm; muggy; cool; hot and humid; icy; torrential rain
        black ice; cloudless; severe thunderstorms; patchy fog; bitterly cold; snow flurries; wind chill; smog
        a bit nippy; cold spell"""),
    shape(
        """high of <n>; highs around <n>; <a> and <b>; <n> degrees; <n>°C; low of <k>°F; <d> mm of rain
        <a> with showers; gusts of <n> km/h; <p>% chance of rain; <a>, <n>°C; humidity of <p>%; below zero
        winds up to <n> mph""",
        n=whole(12, 39),
        k=whole(20, 49),
        a=words("sunny cloudy windy warm cold dry overcast"),
        b=words("dry mild humid breezy clear wet"),
        d=decimal(1, 60),
        p=whole(10, 90, 5),
    ),
)
VALUES: dict[str, Draw] = {
    "animal": mix(_animal, _animal, lowered(_animal)),
    "plant": _plant,
    "chemical": mix(_chemical, _chemical, _chemical, _element),
    "element": _element,
    "protein": _protein,
    "theory": _theory,
    "discipline": mix(_discipline, _discipline, capitalised(_discipline)),
    "algorithm": _algorithm,
    "programming_language": _programming,
    "metric": _metric,
    "weather": _weather,
}
