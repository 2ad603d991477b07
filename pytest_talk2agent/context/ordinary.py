"""Ordinary English words: those that a recogniser gets right more often than a glossary does.

About 3500 base forms: everyday words written down by hand, and what occurs in at least 15 of some 3,800 pages of
documentation and spoken requests that were counted for it. Their inflections are made by rule. A word that is wrongly
taken for ordinary is at worst a repair that is not made.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from pytest_talk2agent.speech.words import listed

_ENDINGS = listed("s es ed d ing er r ers est ly ally ment ness able")
_BEGINNINGS = listed("un re non pre dis over in")
_SHORTEST = 2


@lru_cache(maxsize=8192)
def is_ordinary(word: str) -> bool:
    """Whether the word (small letters) is in the list or is an inflection of one that is, at most two steps away."""
    return word in _WORDS or any(
        base in _WORDS or any(root in _WORDS for root in _bases(base)) for base in _bases(word)
    )


def _bases(word: str) -> Iterator[str]:
    """What the word may be an inflection of."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST:
            base = word.removesuffix(ending)
            yield base
            if ending[0] in "eia":
                yield f"{base}e"
            if base[-1] == "i":
                yield f"{base[:-1]}y"
            elif len(base) > _SHORTEST and base[-1] == base[-2]:
                yield base[:-1]
    for beginning in _BEGINNINGS:
        if word.startswith(beginning) and len(word) - len(beginning) > _SHORTEST:
            yield word.removeprefix(beginning)


_WORDS = frozenset(
    listed("""
abandon abbreviated abbreviation ability able abort about above absent absolute abstract academic accept access
accessible accident accomplished according account accumulated accuracy accurate ache achieve across act action
activate active activity actual ad adapted addition additional address adjacent adjust administrator admit adult
advance advantage advice affect afraid after afternoon afterwards again against age agent ago agree ahead aid air
airport alarm album alert algebra algorithm alias alibi align alive all allergy alley allocate allocation allow almost
alone along alpha alphabetic alphabetical alphanumeric already also alter alternate alternative although always am
ambiguous amend american among amount amp an anal analogous analysis anchor angle angry animal ankle announce annoy
anonymous another answer any anybody anyone anything anyway anywhere apart app apparently appear appearance append
apple applicable application appointment approach appropriate approve approximate approximation apr april apron apt
arbitrary arch architecture archive are area argument arithmetic arm army around array arrive arrow art article
artifacts artist as ascending ash ask asleep aspect assert assign assist associate association assume assumption
asynchronous at ate attach attempt attention attribute audio audit auditor aug august aunt author auto automated
automatic autumn availability available average avoid awake aware away awful ax axis baby back background backslash
backspace backup backward bacon bad bag bake bakery balance ball ballet balloon banana band bandwidth bank bar barber
bare bargain bark barn barrel barrier base bash basic basil basis basket bass batch bath bathroom battery battle bay
be beach bean bear beat beautiful beauty became because become bedroom bee beef been before began begin begun behave
behavior behind believe bell belong below belt bench bend beneath beneficial berry beside best beta better between
beware beyond bias bicycle big bike bill bin binary bindings birth birthday biscuit bit bite bitmap bitten black blame
blank blanket bleach bled bleed bless blew blind blizzard block blood blow blown blue blur board boat bob body bogus
boil bold bond bone bonus book bookmark boot border bored born borrow boss both bottle bottom bought bound boundary
bowl box boy brace bracket brain brake branch brand brave bread break breakfast breakpoints breath breathe brick bride
bridge brief bright brighten bring british broad broadcast broccoli brochure broke broken brook broom brother brought
brown browse brush bubble bucket budget buffer bug build built bulb bull bullet bunch burn burnt burst bury bus bush
busy but butcher butterfly button buy by byte cabbage cabin cabinet cable cache cake calculate calculation calendar
call calm came camera camp campus can cancel candidate candle candy cannot canonical canvas canyon cap capability
capital capsule captain capture car care careful carpet carrot carry cart case cash cassette cast castle cat catch
category cattle caught cause caution cave cc ceiling celebrate cell cellar cello celsius cent centimeter centimetre
central centre century certain certificate chain chair chalk chamber champion chance change channel chapter char
character charge charm chart chase chat cheap cheat check checkout checksum cheek cheer cheese chef chemist cherry
chest chew chi chicken chief child children chin chinese chip chocolate choice choir choose chose chosen chrome chunk
church cigarette cinema cinnamon circle circular circumstances city clang clap class classic classroom clause clay
clean clear clerk clever click client cliff climb clinic clipboard clock clone close cloth cloud club cluster coach
coal coast coat code coefficient coffee coffin coin col collapse collar colleague collect collection college colon
color colour column comb combination combine come comfort comma command comment commit committee common communication
community compact company compare comparison compatibility compatible compilation compile complain complement complete
completion complex complexity compliance compliant complicated component composed composing composite compound
comprehensive compress compression computation computational compute concatenate concatenation concept concert
concrete concurrent condition conditional conference confidence config configuration configure confirm confirmation
conflict conform confused confusing confusion conjugate conjunction connect connection consecutive consequence
consequently consider considerably consist consistency consistent console constant constrained constraint construct
construction consult consume contact contain content context contiguous continuation continue continuous contract
contrast contribute contribution contributors control convenience convenient convention conventional converge
convergence conversion convert cook cookie cool coordinate copper copy copyright core corn correct correction
correlation correspond corrupted corruption cost cottage cotton cough could count country couple coupon courage
courier course court cousin cover coverage cow crack cradle crash crazy cream create creation creature credit creek
crew crib crime criteria criterion critical crop cross crowd crown cruel cruise crush cry cs cubic cumulative cup
cupboard cure curl curly current curry cursor curtain curve cushion custom customization customize cut cycle dad dairy
damage damp dance danger danish dare dark dash dashboard data database date daughter dawn day dead deaf deal dealt
dear death debt debug dec december decide decimal decision deck declaration declare decode decomposition decorated
decorator decrease dedicated deep deer default define definite definition degree delay delete deletion delimited
delimiter deliver delta demand demonstrate denominator denote dense density dentist depend dependency dependent deploy
deposit deprecated depth derivative derived descending describe description descriptor desert design desirable desired
desk desktop despite dessert destination destroy detail detect detection detergent determination determine dev develop
deviation device diagnosis diagnostic diagonal dialog diamond diaper diary dictionary did die diet differ difference
different differential differentiate differentiation difficult dig digit digital dim dimension dimensional dinner
diploma direct direction directive directory dirt dirty discarded discrete discuss discussion dish dishwasher disk
dispute distance distinct distinction distinguish distribute distribution dive divide division do doc dock doctor
document documentation dog doll dollar dolphin domain done donkey dorm dose dot double doubt down download downwards
dozen draft drag drain drama drank draw drawn dream dreamt dress drew drink drive driven drop drought drove drown drug
drum drunk dry dual duck due dug dull dummy dump duplicate duration during dust dutch duty dynamic each eager eagle
ear earn earth ease easel east eastern easy eat eaten echo edge edit edition editor education effect effective
efficiency efficient effort egg eigenvalue eight either elbow elder election electric element elephant eleven
eliminate else elsewhere em email embed emit empirical empty emulator enable encapsulates enclosed enclosing encode
encounter encrypt encryption end endless enemy energy enforce engine english enhance enjoy enough ensure enter entire
entity entrance entropy entry envelope environment epsilon equal equality equation equivalence equivalent erase err
error escape especially essay essential estimate estimation euro european evaluate evaluation even event eventually
ever every everybody everyone everything everywhere evidence evil exact exam examine example exceed excellent except
exception exchange excite exclude exclusive excuse execute execution exercise exist existence exit expand expansion
expect expense expensive experience experimental expire explain explanation explicit explorer exponent exponential
export expose express expression extend extension extensive extent external extra extract extraction extreme eye
eyebrow face facility fact factor factorization factory fahrenheit fail failure faint fair fairy faith fall fallen
false fame familiar family famous fan fancy far fare farm fashion fast fat father faucet fault favor favorite favour
favourite fear feasible feast feather feature feb february fed fee feedback feel feet fell fellow felt female fence
ferry festival fetch fever few field fierce fifteen fifth fifty fig fight figure file fill film filter final find fine
finger finish finite fire firewall firework firm first fish fit five fix flag flame flat flatten flavor flavour flesh
flew flexible flight flip float flood floor flour flow flown flu flush flute fly foam focus fog fold folk follow font
food fool foot football for force foreground forehead foreign forever forget forgive forgot forgotten fork form format
formula forth fortnight fortune forty forward fought found foundation fountain four fourth fox fraction fractional
frame framework free freedom freeze french frequency frequently fresh fri friday fridge friend frighten frog from
front frost froze frozen fruit fry fuel full fully fun function functional functionality funny fur furniture further
furthermore fuse future gain gallery game gamma gap garage garbage garden garlic gas gate gateway gather gave geese
general generalized generate generation generator generic gentle gentleman genuine geometric geometry german get ghost
giant gift ginger giraffe girl give given glacier glad glass global glove glow glue gnome gnu go goal goalie goat gold
golf gone goodbye goose got gotten government grader gradient grading gradual grain gram grammar grand grandfather
grandmother grant grape graph graphical graphics grass grateful grave gray great green greet grew grey grid grief
grill gross ground group grow grown growth guarantee guard guess guest guide guilty guitar gun gym habit hack had hail
hairdresser half halfway hall hallway ham hand handle handover handsome handy hang happen happy harbor harbour hard
hardware hare harm harvest has hash hat hate have hay he head headache heal health healthy hear heart heat heaven
heavy heel height held hell hello helmet help helpful hen hence herb here hero herself hexadecimal hi hidden hide
hierarchy high highlight highway hill him himself hint hire histogram historical history hit hobby hold hole holiday
hollow holy home homepage homework honest honey honor honour hook hope hopefully horizontal horn horror horse hospital
host hostel hot hotel hour house how however huge human humble humor humour hundred hung hungry hunt hurricane hurry
hurt husband hut hypothesis i ice icon id idea ideal identical identification identify identity idle if ignore ii ill
illegal image imaginary imagine immediate impact implement implementation implicit imply import important impossible
improve in inch incident include inclusion inclusive incorporated increase increment incremental indeed indent
indentation index indicate indication indicator indices individual infant infer inference infinity influence info
information informative inherit initial initialization initialize inn insect insert insertion inspect inspired install
installation instance instant instead institute instruction insurance integer integral integrate integration intended
intentionally inter interaction interactive intercept interface interior intermediate internal international internet
interpolation interpret interpretation interrupt interval into introduce introduction invent inventory invert investor
invite invocation invoke involved involves involving iron irrelevant is island issue it italian italic item iterate
iteration iterative itinerary itself jacket jail jam jan january japanese jar jaw jealous jeans jelly jewel job join
joint joke journal journey joy judge juice jul july jump jun june jungle junior jury just justice keen keep ken kept
kernel kettle key keyboard keyword kick kid kidney kill kilo kilogram kilometer kilometre kind kindergarten king
kingdom kiosk kiss kitchen kite kitten knee kneel knew knife knight knock knot know knowledge known lab label lack
ladder lady lagoon lain lake lamb lambda lamp land landlord landscape lane language lantern laptop large last late
latter laugh laundry law lawn lawsuit lawyer lay layout lazy lead leaf league leak lean learn learnt lease least
leather leave lecture led left leftmost leg legacy legal leisure lemon lend length lent lentil less lesson let lettuce
level liar liberty library licence license lick lid lie life lift light lightning like likewise lime limit limitation
line linear link linter lion lip liquid lisp list listen liter literal litre litter little live load loaf loan local
locale locate location lock log logarithm logarithmic logic logical login logo logout lonely long look loop loose
lorry lose loss lost lot loud love low loyalty luck lucky luggage lunch lung luxury ma machine macintosh made magic
magnitude mail mailbox main maintain maintenance major make male man manage mandatory manipulate manipulation manual
many map marathon marble march margin marina mark market marriage marry martin mask master mat match material math
mathematical mathematics matrices matrix matt mattress max maximal maximum may maybe mayor me meadow meal mean
meaningful meant measure meat mechanism medal media median medical medicine medium meet melon melt member membership
memory men mention menu mercy merely merge merry message met metal method metre metro mice microphone midday middle
midnight might migration mike mild mile milk mill millimeter millimetre million milliseconds min mine minimal minimize
minimum minor minus minute mirror miscellaneous mismatch mist mistake mix mixture mnemonic mod mode model modern
modification modify module moment mon monday money monitor monkey monotonically monsoon monster month mood moon moral
more morning mortgage mosquito most mother motif motion motor mount mountain mouse mouth move movie ms mu much multi
multiple multiplication multiplicity multiply multiprocessing murder muscle museum mushroom music must mustard mute my
myself mystery nail naive naked name narrow nasty nation native natural nature naughty navigate navy near neat
necessary neck need needle negative neighbor neighbour neither nephew nerve nest net network never nevertheless new
newsletter newspaper newton next nice nickname niece night nine nit no nobody node noise non none noodle noon norm
normal north northern nose not notation note nothing notice notification notify notion nov novel november now nowhere
null number numerator numeric numerical nurse nursery nut oak obey object objective observation observed obsolete
obtain obvious occasion occur occurrence ocean oct octal october odd of off office official offline offset often oil
old olive omit on once one onion online onto opaque open opera operate operation operator opinion opposed opposite opt
optimal optimization optimize option optional or orange orchard ordered ordering ordinary oregano organ orientation
oriented origin original orthogonal other otherwise ought ounce our ourselves out outage outdated outdoor outlet
output outside oven over overlap owe owl own ox oxygen pace pacifier pack package pad page pain paint palace pale
palette palm pan panel pants paper paragraph parallel parameter parcel pardon parent parentheses parenthesis park
parrot parse parsley part partial particular partition partner party pass passenger passport password past pasta paste
pat patch path patient pattern pause pay payload payroll pea peace peach peak pen penalty pence pencil penny pension
people pepper per percent percentage perfect perform performance perfume perhaps period periodic permission permit
permutation person personal pet petrol pharmacy phase phone photo photograph physical pi piano pick pickle pickup
picnic picture pie piece pig pigeon pile pill pillow pilot pin pine pink pint pipe pitch pity pivot pixel pizza place
plain plan plane planet plant plastic plate platform play playback playlist please pleasure plenty plot plug plugin
plum plumber plumbing plus pocket podcast poem poet point poison pole police policy polish polite poll polynomial pond
pony pool poor pop pope popular populate population pork port portability portion portrait position positional
positive possibility possible possibly post postman pot potato potential pottery pound pour powder power powerful
practical practice practise prairie praise pray precede precedence precise precision prefer preference pregnant
prepare presence presentation president press pretty prevent previous price pride priest primary prime primitive
prince principal principle print prior priority prison private prize probability probably problem problematic
procedure proceed process processor prod produce product production professor profile profit program progress project
projection promise promote promotion prompt proof propagated proper property proportional proposed protect protection
protocol prototype proud prove provide proxy pseudo public published pull pump pumpkin punctuation punish pupil puppy
pure purple purpose purse push put puzzle python quadratic quality quantity quarter queen query question queue quick
quiet quilt quit quite quiz quotation quote rabbit race rack radio radius rail railway rain rainbow raise ram ran
random rang range rank rapidly rare rat rate rather ratio rationale raw re reach read ready real reason reasonably
receipt receive recipe recognize recommend record recovery rectangular recursion recursive redo reduce reduction
redundant reef refer referee reference reflect regardless region register registry regression regret regular rehearsal
reject relation relationship relative relax relevant remainder remote removal render rent repeat replacements reply
repo repository represented representing represents request require rescue reservation residual respect respective
response responsible rest restaurant restriction result resume retain retrieve reveal revenue revert revised rhyme
rhythm rib ribbon rice rich rid ridden ride right rightmost ring ripe rise risen risk river road roar roast rob robin
robust rock rocket rod rode role roll rollback roof room root rope rose rotate rotation rough round route routine row
royal rub rubbish ruby rude rug ruin rule run rung rush russian sack sad saddle safe safety sail sailor salad salary
sale salmon salt same sample sand sandwich sang sat satisfy saturday sauce sausage save saw say scalar scale scan
scared scarf scene schedule scheme school science scientific scientist scissors scope score scratch scream screen
screenshot screw script scroll sculpture sea seal search season seat sec second secondary secret secretary section
secure security see seek seem seen segment seldom select selection selector self selfish sell semantics semester
seminar send senior sense sensible sensitive sensor sent sentence sep separate separation separator sept september
sequence sequential serial series serious servant serve service session set setup seven several severity sew shade
shadow shake shaken shall shallow shame shape share shark sharp shave she sheep sheet shelf shell shelter shift shine
ship shirt shock shoe shook shoot shop shore short shorten shorthand shot should shout show shown shrimp shrink
shuffle shut shuttle shy sick side sight sigma sign signal signature significant silence silent silk silly silver
similar simple simplex simplify simply simulate simulation simultaneously since sine sing single singular sink sir
sister sit site situation six size sketch skill skin skip skirt sky slack slash slave sleep sleeve slept slice slide
slideshow slightly slim slip slot slow small smart smell smelt smile smith smoke smooth snack snail snake snapshot
snow so soap soccer social society sock socket sofa soft software soil sold soldier solely solution solve some
somebody somehow someone something sometimes somewhat somewhere son song soon sore sorry sort sought soul sound soup
sour source south southern space spade span spanish spare sparse speak special specialized specific specification
specify spectrum speech speed spell spelt spend spent spice spider spill spin spinach spirit spit split spoil spoke
spoken spoon sport spot spread spreadsheet spring sprint spun spurious square squeeze stability stable stack stadium
staff stage stamp stand standard standardized star stare start starve state static station statistic statistical
status stay steak steal steam steel steep stem step stew stick stiff still sting stir stock stole stolen stomach stone
stood stool stop storage store storm story stove straight straightforward strange strap strategy straw strawberry
stream street strength stress stretch strict strike string strip stripe stroller strong struck structure stuck student
studio study stuff stupid style sub subject submit subroutine subscribe subscription subsequent subset substantial
substitute substitution subtitle subtract subtraction subway succeed success successful successive such sudden sue
suffer sufficient suffix sugar suggest suggestion suit suitcase suite sum summary sun sunday sung sunny sunset super
supermarket supper supply support suppose suppress sure surf surface surgeon surgery surname surprise surround suspect
swallow swam swamp swan swap swear sweat sweep sweet swell swim swing switch sword swore sworn swum swung syllabus
symbol symbolic symmetric symmetry symptom sync syntax system tab table tablet tag tail tailor take taken tale talent
talk tall tan tank tap tape tar target task taste taught tax taxi tea teach team technical technique teddy teeth
telephone television tell temper template temple temporary ten tenant tennis tent term terminal terminate termination
terrible test text textual than thank that thaw the theater theatre them theme themselves then theoretical theory
therapy there therefore these thesis they thick thief thigh thin think third thirst thirsty thirteen thirty this those
though thought thousand thread threat three threshold threw throat through throughout throw thrown thu thumb thunder
thursday ticket tide tidy tie tiger tight tighten tilde till timber time timeout timestamp tin tiny tip tire title to
toast tobacco today toddler toe together toggle toilet token told tolerance tomato tomorrow ton tone tongue tonight
too took tool toolkit tooth top topic torch tore torn tornado tortoise total touch tour tourist toward towel tower
town toy trace track trade traditional traffic trailing train tram transactions transfer transform transformation
transition translate translation transparent transport transpose trap trash travel tray treasure treat tree tremble
trial triangle triangular tribe trick tricky trigger trim trip triple trivial trophy trouble trousers truck true
trumpet truncate truncation trunk trust truth try tube tue tuesday tulip tune tunnel turkey turn turtle tutor tutorial
twelve twenty twice twin twist two type typical tyre ugly umbrella uncle under underline underscore understand
understood undo unexpectedly unfortunately unified uniform union unique unit unity universal universe university
unpredictable unrelated until up update upgrade upload upon upset upstairs upstream upwards urgent us usage use useful
useless username usual utility vacation vaccine vacuum valid validate validation validity valley value valve van
vanilla variance variant variation variety various vary vase vat vector vegetable veil vendor verbose verbosity
verdict verify verse version versus vertical very vest vet vi via vice victory video view village vinegar violated
violation violet violin virtual virus visa visible visit visitor visual voice void volcano voltage volume vote voucher
voyage wage wagon waist wait wake walk wall wallet want war wardrobe warehouse warm warn warranty was wash waste watch
water waterfall watt wave wax way we weak wealth weapon wear weather web webpage website wednesday week weekend weigh
weight weird welcome well went were west western wet whale what whatever wheat wheel when whenever where whereas
wherever whether which whichever while whip whisper whistle white who whole whom whose why wide width wife wifi wiki
wild will win window wine wing winter wiped wire wise wish with within without witness woke woken wolf woman women won
wood wooden wool word wore work workflow world worm worn worry worse worst worth would wound wrap wright wrist write
written wrong wrote xi xx xxx yacht yank yard yawn year yellow yen yes yesterday yet yield yoga yogurt you young
yourself youth zebra zero zip zone zoo zucchini
""")
)
