"""Whether two words sound alike: a phonetic key for English spellings and a list of common homophones."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from pytest_talk2agent.speech.words import listed

_SETS = """
grey gray|catalogue catalog|programme program|plough plow|gaol jail|dialogue dialog|analogue analog|cosy cozy|jon john
leigh lee li|reed reid|sean shaun shawn|stuart stewart|jeffrey geoffrey jeffery|kerr cur|brown browne|pidgin pigeon
clare claire|neil neal|allan alan allen|brian bryan|lindsay lindsey|tracy tracey|rachel rachael|accept except|ad add
affect effect|aid aide|ail ale|air heir|aisle isle|all awl|allowed aloud|altar alter|ant aunt|arc ark|ascent assent
ate eight|aural oral|baited bated|bald bawled|ball bawl|band banned|bare bear|baron barren|base bass|be bee
beach beech|bean been|beat beet|berry bury|berth birth|blew blue|board bored|boarder border|bold bowled|bolder boulder
born borne|bough bow|boy buoy|brake break|bread bred|bridal bridle|broach brooch|build billed|but butt|buy by bye
cache cash|canvas canvass|capital capitol|carat carrot caret karat|cast caste|cede seed|ceiling sealing|cell sell
censor sensor|cent scent sent|cereal serial|cession session|check cheque|chord cord cored|chute shoot|cite sight site
clause claws|close clothes cloze|coarse course|colonel kernel|complement compliment|coo coup|core corps
council counsel|creak creek|crews cruise|cue queue|currant current|dear deer|dependant dependent|dew due do|die dye
discreet discrete|doe dough|draft draught|dual duel|earn urn|ensure insure|ewe you yew|eye i|faint feint|fair fare
farther father|feat feet|find fined|fir fur|flair flare|flea flee|flew flu flue|flour flower|for fore four
foreword forward|fort fought|forth fourth|foul fowl|frees freeze|gait gate|genes jeans|gnu knew new|gorilla guerrilla
grate great|grease greece|groan grown|guessed guest|guise guys|hail hale|hair hare|hall haul|hangar hanger|hay hey
heal heel|hear here|heard herd|heroin heroine|hi high|higher hire|him hymn|hoard horde|hole whole|holy wholly|hour our
idle idol idyll|in inn|jam jamb|key quay|knead need|knight night|knit nit|knot not|know no|knows nose|lacks lax
laid lade|lane lain|lead led|leak leek|lean lien|leased least|lessen lesson|levee levy|liar lyre|links lynx
load lode lowed|loan lone|loot lute|made maid|mail male|main mane maine|maize maze|manner manor|mantel mantle
mark marc|marshal martial|mean mien|meat meet mete|medal meddle metal mettle|might mite|mind mined|miner minor
missed mist|moan mown|mode mowed|moose mousse|morning mourning|muscle mussel|mustard mustered|naval navel|nay neigh
none nun|oar or ore|ode owed|oh owe|one won|overdo overdue|paced paste|packed pact|pail pale|pain pane|pair pare pear
palate palette pallet|passed past|patience patients|pause paws|pea pee|peace piece|peak peek pique|peal peel
pedal peddle|peer pier|plain plane|pleas please|plum plumb|pole poll|poor pore pour|populace populous
practice practise|praise prays preys|presence presents|prince prints|principal principle|profit prophet|quarts quartz
rain reign rein|raise rays raze|rap wrap|rapped wrapped rapt|read reed|read red|real reel|reek wreak|rest wrest
retch wretch|review revue|right rite write wright|ring wring|road rode rowed|role roll|root route|rose rows roes
rote wrote|rough ruff|rouse rows|rung wrung|rye wry|sail sale|sails sales|sauce source|saw soar sore|scene seen
scull skull|sea see|seam seem|sear seer sere|seas sees seize|serf surf|serge surge|sew so sow|shake sheik|shear sheer
shoe shoo|shown shone|side sighed|sign sine|slay sleigh|sleight slight|soared sword|sole soul|some sum|son sun
staid stayed|stair stare|stake steak|stationary stationery|steal steel|step steppe|stile style|storey story
straight strait|suite sweet|sunday sundae|surplus surplice|symbol cymbal|tacked tact|tacks tax|tail tale
taught taut tort|tea tee|team teem|tear tier|teas tease tees|tern turn|their there|threw through|throne thrown
thyme time|tic tick|tide tied|tire tyre|to too two|toad toed towed|toe tow|told tolled|ton tun tonne|track tract
trussed trust|vain vane vein|vale veil|vial vile|wade weighed|wail whale|waist waste|wait weight|waive wave|want wont
war wore|ware wear where|warn worn|way weigh whey|we wee|weak week|weather whether|weave we've|weld welled|were whirr
wet whet|which witch|while wile|whine wine|whirled world|whit wit|white wight|who's whose|wood would|yoke yolk
yore your|reads reeds|sites sights cites|rights writes|checks cheques czechs|nodes knows|rows rose|caches cashes
censors sensors|boards bords|peers piers|keys quays|holes wholes|cents scents sense|plains planes|weeks weaks
mails males|tails tales|rolls roles|sells cells|routes roots|queues cues|acts axe|axis axes|bail bale|barred bard
bite byte bight|bolt boult|boar bore|braid brayed|brows browse|candid candied|chased chaste|chews choose|choir quire
chilly chili chilli|coal kohl cole|cocks cox|cols calls|crude crewed|days daze|died dyed|disc disk|dock doc
doughs doze|ducked duct|eyes ayes|ferry fairy|file phial|filter philter|flecks flex|flocks phlox|franc frank
friar fryer|gage gauge|gild guild|gilt guilt|grater greater|grays graze greys|grisly grizzly|grip grippe|hart heart
hew hue hugh|heel heal he'll|hoes hose|holed hold|humerus humorous|ills isles|intense intents|jewel joule
kneel neil neal|knights nights|knots nots|laps lapse|lays laze leis|lee lea leigh|lichen liken|lock loch|locks lox
lumber lumbar|mall maul|massed mast|mistral mistrial|mood mooed|mucous mucus|mussels muscles|necklace neckless
nicks nix|nice gneiss|ought aught|paul pall pawl|parish perish|pistol pistil|pix picks|plait plat|pros prose
quince quints|rack wrack|rays raise|ray re|rigger rigour|rood rude rued|rota rotor|row roe|rues ruse|sacks sax
sack sac|sects sex|sics six sicks|sighs size|sink sync|sioux sue|sloe slow|spade spayed|spoor spore|sucker succour
swayed suede|swat swot|tare tear|tenner tenor|tents tense|ticks tics|tighten titan|timber timbre|toon tune
tracks tracts|tray trey|troop troupe|tucks tux|two too to tu|use ewes yews|vary very|wall waul|wares wears
warrantee warranty|watts what's|wax whacks|waits weights|wig whig|wins winds|wooden wouldn't|bask basque
catherine katherine kathryn catharine cathryn|steven stephen stefan|thomas tomas|anthony antony|graham graeme grahame
meyer maier mayer myer|thompson thomson tomson|geoff jeff|gillian jillian|gemma jemma|gene jean|gerry jerry
nicholas nicolas nikolas|isobel isabel isabelle|louis lewis luis|louise luise|elliot eliot elliott eliott
mathew matthew|madeleine madeline|vaughan vaughn vaun|sinead shinade|niamh neve neeve|siobhan shivaun|ian iain
deirdre deidre|cathy kathy|aaron arran aron|bronwen bronwyn|gwen gwenn|erin eryn|rory rorie|jose hosay|lois lowis
yvonne evonne|yvette evette|zoe zoey|their theyre there|your youre yore|whose whos|heres hears|weve weave
phoebe feebee|leicester lester|gloucester gloster|worcester wooster|reading redding|davies davis|sorcha sorka
rowan roan|eoin owen|cillian killian|ciara keira kira kiera|aoife eefa|caoimhe keeva|saoirse seersha|xavier zavier
xander zander|dean deane|bjork byork|jorg yorg|jorn yorn|jan yan|jens yens|juan wan|charlie charley|taupe tope
khaki kaki|yeats yates|chamomile camomile|bristol bristle|phoenix fenix|zachary zackary|joseph josef|rhys reece reese
"""
_HOMOPHONES: dict[str, frozenset[str]] = {}
for _line in re.split(r"[|\n]", _SETS.strip()):
    _words = frozenset(_line.split())
    for _word in _words:
        _HOMOPHONES[_word] = _HOMOPHONES.get(_word, frozenset()) | _words

# A vowel stands in the syllable before, so that the last one is weak.
_WEAK = r"(?:(?<=[aeiouyAEIOUWYR].)|(?<=[aeiouyAEIOUWYR]..)|(?<=[aeiouyAEIOUWYR]...))"
# One consonant and a final e make a vowel long, those before -er and -ey in the first syllable alone.
_LONG = r"(?:(?=[bcdfgjklmnpstvz]e[sd]?$)|(?<![aeiouy][^aeiouy].)(?=[bcdfgjklmnpstvz]e[ry]$))"

# Spelling to sound, applied from the left in this order. Capital vowels have the sound of their own name (W is `aw`, R
# is `er`, I a final `y`), C and S are `ch` and `sh`, T is `th`; c is an s that is never voiced.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"[^a-z]", ""),
        (r"^mc(?=[a-z])", "mac"),
        (r"^(?:kn|gn|pn|mn)", "n"),
        (r"^wr|^rh", "r"),
        (r"^wh(?=[aeiy])", "w"),
        (r"^ps(?=[aeiouy])", "s"),
        (r"^pt(?=[aeiouy])", "t"),
        (r"^x", "z"),
        (r"ght", "t"),
        (r"mb$", "m"),
        (r"mn$", "m"),
        (r"dt$", "t"),
        (r"tz", "ts"),
        (r"tch", "C"),
        (r"(?<=[a-z])sch|^sch(?=[mnlrtw])", "S"),
        (r"sch", "sk"),
        (r"ch(?=[rl])", "k"),
        (r"ch", "C"),
        (r"sh", "S"),
        (r"[st]ion(?=s?$)", "Sun"),
        (r"ph", "f"),
        (r"th", "T"),
        (r"(?<=[a-z])que(?=s?$)", "k"),
        (r"(?<=[a-z])gue(?=s?$)", "g"),
        (r"qu|qv|kw|kv|cqu", "kw"),
        (r"ck", "k"),
        (r"(?<=[lnr])se$", "c"),
        (r"(?<=[aeiouy])s(?=[aeiouy])", "z"),
        (r"sc(?=[eiy])", "c"),
        (r"cc(?=[eiy])", "kc"),
        (r"c(?![eiy]|$|(?<=[lnr]c))", "k"),
        (r"(?<![lnr])c$", "k"),
        (r"q", "k"),
        (r"x", "ks"),
        (r"dg(?=[ei])", "j"),
        (r"(?<=[bcdfghklmnprstv])j(?=[aeiou])", "i"),
        (r"rr", "r"),
        (r"^([bdfgkptv])r(?=[bcdfgkmnpstvz])", r"\1R"),
        (r"(?<=[a-z]{3})our(?=s?$)", "or"),
        (r"(?<=[bcdgkpt])re(?=s?$)", "er"),
        (r"(?:oar|oor|ore(?=s?$))", "or"),
        (r"(?<=[a-z]{4})is(?=(?:e|ed|es|ing|ation)$)", "iz"),
        (r"^([^aeiouy]*)(?:igh|ie|ye|y)(?=s?$)", r"\1Y"),
        (r"oy", "oi"),
        (rf"{_WEAK}(?:ee|eigh)(?=s?$)", "I"),
        (r"^([^aeiouy]+)ey$", r"\1A"),
        (r"e?igh?(?=t$|$|s$)", "Y"),
        (r"ious$", "ius"),
        (r"ous$", "us"),
        (r"eau(?!t)", "O"),
        (r"oo", "U"),
        (r"st(?=le|en$)", "s"),
        (rf"(?:ai|ay|ae|ei|ey(?=.)|a{_LONG}|a(?=re[sd]?$))", "A"),
        (r"(?<![aeiou])i(?=[bcdfglmnprstvz][ao]$)", "E"),
        (r"ear(?=[cfhlnrtT])", "R"),
        (r"(?<=w)or(?=[bcdfgklmnpstvT])", "R"),
        (rf"(?:ee|ea|ie(?=.)|e{_LONG}|e(?=re[sd]?$))", "E"),
        (r"(?<![dlm])o(?=ll$)", "O"),
        (r"^(n|h|c|v|br|pl|all|ch|w|end|pr|d|t|cl|cr|dr|fr|g|br)ow(?=$|s$|ns?$|ed$)", r"\1H"),
        (rf"(?:oa|oe|oh(?=[lmn])|ow(?=n?s?$)|owe$|ou(?=l)|o{_LONG})", "O"),
        (rf"[iy]{_LONG}", "Y"),
        (rf"(?:oo|ue|ew|ui|ou(?=$|x$)|u{_LONG})", "U"),
        (r"(?:augh|au|aw)", "W"),
        (r"(?:y|ey|ie?)(?=s?$)", "I"),
        (r"(?<=.)o$", "O"),
        (r"(?<=.)u$", "U"),
        (r"^([^aeiouyAEIOUWYR]*)u(?=[bcdfgklmnprstvzCST][aeiouAEIOU])", r"\1U"),
        (r"y", "i"),
        (r"[eiu]r(?=[^aeiouAEIOUWY]|$)", "R"),
        (rf"{_WEAK}[aeou]r(?=[sd]?$)", "R"),
        (rf"{_WEAK}(?:le|el|al|il|ol)(?=s?$)", "L"),
        (rf"{_WEAK}(?:an|en|in|on|un)(?=s?$)", "N"),
        (rf"{_WEAK}[aeiou]m$", "@m"),
        (rf"{_WEAK}(?:as|us)$", "@c"),
        (rf"{_WEAK}[ei]k$", "@k"),
        (r"(?<=.)e(?=[sd]?$)", ""),
        (r"gh", "g"),
        (r"h(?=[^aeiouAEIOUWYIRLN]|$)", ""),
        (r"(.)\1+", r"\1"),
        (r"(?<=[AEYOUWIRLNbdglmnrv])s$", "z"),
    )
)
_SHORT = frozenset("aeiou")
_LETTERS = str.maketrans({"ø": "o", "æ": "ae", "œ": "oe", "ß": "ss", "ł": "l", "đ": "d", "ð": "d", "þ": "th"})
_VOWELS = _SHORT | frozenset("AEIOUWYRLN@")
# Endings that put the stress on the syllable before them.
_STRESSING = re.compile(r"[a-zCST]+(?:iks?|@ks?|ikL|itI|ia|iN|io)$")


# First letters that can begin the same sound.
_STARTS = frozenset(listed("ck cq kq cs sz xz sx gj kn gn np mn rw ps pt fp ct"))
_OPEN = frozenset("aeiouyhw")
_LENGTHS_APART = 4


@lru_cache(maxsize=4096)
def sound_key(word: str) -> str:
    """A key that words of the same sound share; the word is in small letters. Empty where it has no Latin letter."""
    key = _plain(word[:40])
    for pattern, sound in _RULES:
        key = pattern.sub(sound, key)
    return _reduced(key).replace("c", "s")


def unaccented(word: str) -> str:
    """The word without marks above and below its letters (`cafe` for `café`)."""
    if word.isascii():
        return word
    return "".join(each for each in unicodedata.normalize("NFKD", word) if not unicodedata.combining(each))


def _plain(word: str) -> str:
    return word if word.isascii() else "".join(filter(str.isascii, unaccented(word.translate(_LETTERS))))


def _reduced(key: str) -> str:
    """Short vowels between the first syllable and the last are weak and sound the same."""
    vowels = [index for index, sound in enumerate(key) if sound in _VOWELS]
    for before, index, after in zip(vowels, vowels[1:], vowels[2:], strict=False):
        apart = index - before > 1 and after - index > 1
        if apart and key[index] in _SHORT and not _STRESSING.match(key, index + 1):
            key = f"{key[:index]}@{key[index + 1 :]}"
    return key


@lru_cache(maxsize=4096)
def starts_alike(first: str, second: str) -> bool:
    """Words of the same sound may begin with these two letters."""
    pair = "".join(sorted(first + second))
    return first == second or pair in _STARTS or {first, second} <= _OPEN or not pair.isascii()


def sounds_alike(first: str, second: str) -> bool:
    """The two words (small letters) are different spellings of the same sound."""
    if first == second or not first or not second or abs(len(first) - len(second)) > _LENGTHS_APART:
        return False
    if second in _HOMOPHONES.get(first, ()):
        return True
    if not starts_alike(first[0], second[0]):
        return False
    if first[-1] == second[-1] == "s" and second[:-1] in _HOMOPHONES.get(first[:-1], ()):
        return True
    key = sound_key(first)
    return len(key) > 1 and key == sound_key(second)
