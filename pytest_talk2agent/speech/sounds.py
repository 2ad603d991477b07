"""Whether two words sound alike: a phonetic key for English spellings and a list of common homophones."""

from __future__ import annotations

import re
from functools import lru_cache

_SETS = """
grey gray|catalogue catalog|programme program|plough plow|gaol jail|dialogue dialog|analogue analog|cosy cozy
jon john|leigh lee li|reed reid|sean shaun shawn|stuart stewart|jeffrey geoffrey jeffery|kerr cur|brown browne
pidgin pigeon|clare claire|neil neal|allan alan allen|brian bryan|lindsay lindsey|tracy tracey|rachel rachael
accept except|ad add|affect effect|aid aide|ail ale|air heir|aisle isle|all awl|allowed aloud|altar alter|ant aunt
arc ark|ascent assent|ate eight|aural oral|baited bated|bald bawled|ball bawl|band banned|bare bear|baron barren
base bass|be bee|beach beech|bean been|beat beet|berry bury|berth birth|blew blue|board bored|boarder border
bold bowled|bolder boulder|born borne|bough bow|boy buoy|brake break|bread bred|bridal bridle|broach brooch
build billed|but butt|buy by bye|cache cash|canvas canvass|capital capitol|carat carrot caret karat|cast caste
cede seed|ceiling sealing|cell sell|censor sensor|cent scent sent|cereal serial|cession session|check cheque
chord cord cored|chute shoot|cite sight site|clause claws|close clothes cloze|coarse course|colonel kernel
complement compliment|coo coup|core corps|council counsel|creak creek|crews cruise|cue queue|currant current
dear deer|dependant dependent|dew due do|die dye|discreet discrete|doe dough|draft draught|dual duel|earn urn
ensure insure|ewe you yew|eye i|faint feint|fair fare|farther father|feat feet|find fined|fir fur|flair flare
flea flee|flew flu flue|flour flower|for fore four|foreword forward|fort fought|forth fourth|foul fowl|frees freeze
gait gate|genes jeans|gnu knew new|gorilla guerrilla|grate great|grease greece|groan grown|guessed guest|guise guys
hail hale|hair hare|hall haul|hangar hanger|hay hey|heal heel|hear here|heard herd|heroin heroine|hi high
higher hire|him hymn|hoard horde|hole whole|holy wholly|hour our|idle idol idyll|in inn|jam jamb|key quay|knead need
knight night|knit nit|knot not|know no|knows nose|lacks lax|laid lade|lane lain|lead led|leak leek|lean lien
leased least|lessen lesson|levee levy|liar lyre|links lynx|load lode lowed|loan lone|loot lute|made maid|mail male
main mane maine|maize maze|manner manor|mantel mantle|mark marc|marshal martial|mean mien|meat meet mete
medal meddle metal mettle|might mite|mind mined|miner minor|missed mist|moan mown|mode mowed|moose mousse
morning mourning|muscle mussel|mustard mustered|naval navel|nay neigh|none nun|oar or ore|ode owed|oh owe|one won
overdo overdue|paced paste|packed pact|pail pale|pain pane|pair pare pear|palate palette pallet|passed past
patience patients|pause paws|pea pee|peace piece|peak peek pique|peal peel|pedal peddle|peer pier|plain plane
pleas please|plum plumb|pole poll|poor pore pour|populace populous|practice practise|praise prays preys
presence presents|prince prints|principal principle|profit prophet|quarts quartz|rain reign rein|raise rays raze
rap wrap|rapped wrapped rapt|read reed|read red|real reel|reek wreak|rest wrest|retch wretch|review revue
right rite write wright|ring wring|road rode rowed|role roll|root route|rose rows roes|rote wrote|rough ruff
rouse rows|rung wrung|rye wry|sail sale|sails sales|sauce source|saw soar sore|scene seen|scull skull|sea see
seam seem|sear seer sere|seas sees seize|serf surf|serge surge|sew so sow|shake sheik|shear sheer|shoe shoo
shown shone|side sighed|sign sine|slay sleigh|sleight slight|soared sword|sole soul|some sum|son sun|staid stayed
stair stare|stake steak|stationary stationery|steal steel|step steppe|stile style|storey story|straight strait
suite sweet|sunday sundae|surplus surplice|symbol cymbal|tacked tact|tacks tax|tail tale|taught taut tort|tea tee
team teem|tear tier|teas tease tees|tern turn|their there|threw through|throne thrown|thyme time|tic tick|tide tied
tire tyre|to too two|toad toed towed|toe tow|told tolled|ton tun tonne|track tract|trussed trust|vain vane vein
vale veil|vial vile|wade weighed|wail whale|waist waste|wait weight|waive wave|want wont|war wore|ware wear where
warn worn|way weigh whey|we wee|weak week|weather whether|weave we've|weld welled|were whirr|wet whet|which witch
while wile|whine wine|whirled world|whit wit|white wight|who's whose|wood would|yoke yolk|yore your|reads reeds
sites sights cites|rights writes|checks cheques czechs|nodes knows|rows rose|caches cashes|fourth forth
censors sensors|boards bords|peers piers|keys quays|holes wholes|cents scents sense|plains planes|weeks weaks
mails males|tails tales|rolls roles|sells cells|routes roots|queues cues
"""
_HOMOPHONES: dict[str, frozenset[str]] = {}
for _line in re.split(r"[|\n]", _SETS.strip()):
    _words = frozenset(_line.split())
    for _word in _words:
        _HOMOPHONES[_word] = _HOMOPHONES.get(_word, frozenset()) | _words

# A vowel stands in the syllable before, so that the last one is weak.
_UNSTRESSED = r"(?:(?<=[aeiouyAEIOUWYIR].)|(?<=[aeiouyAEIOUWYIR]..))"

# Spelling to sound, applied from the left in this order. Capitals are vowels with a name of their own.
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"[^a-z]", ""),
        (r"^(?:kn|gn|pn)", "n"),
        (r"^wr", "r"),
        (r"^wh(?=[aeiy])", "w"),
        (r"^ps", "s"),
        (r"^x", "z"),
        (r"ght", "t"),
        (r"mb$", "m"),
        (r"mn$", "m"),
        (r"tch", "C"),
        (r"sch", "sk"),
        (r"chr", "kr"),
        (r"ch", "C"),
        (r"sh", "S"),
        (r"[st]ion\b", "Sun"),
        (r"ph", "f"),
        (r"th", "T"),
        (r"qu|qv|kw|kv|cqu", "kw"),
        (r"ck", "k"),
        (r"sc(?=[eiy])", "s"),
        (r"c(?=[eiy])", "s"),
        (r"c", "k"),
        (r"q", "k"),
        (r"x", "ks"),
        (r"dg(?=[ei])", "j"),
        (r"rr", "r"),
        (r"(?<=[a-z]{3})our(?=s?$)", "or"),
        (r"(?<=[bcdgkpt])re(?=s?$)", "er"),
        (r"(?<=[a-z]{4})is(?=(?:e|ed|es|ing|ation)$)", "iz"),
        (r"e?igh?(?=t$|$)", "Y"),
        (r"(?:ai|ay|ei|ey(?=.)|a(?=[bcdfgjklmnpstvz]e[rsd]?$))", "A"),
        (r"i(?=[bcdfglmnprstvz][ao]$)", "E"),
        (r"(?:ee|ea|ie(?=.)|e(?=[bcdfgjklmnpstvz]e[rsd]?$))", "E"),
        (r"(?:oa|oe|ow(?=n?$)|owe$|ou(?=l)|o(?=[bcdfgjklmnpstvz]e[rsd]?$))", "O"),
        (r"(?:i(?=[bcdfgjklmnpstvz]e[rsd]?$)|y(?=[bcdfgjklmnpstvz]e[rsd]?$)|ie$|ye$)", "Y"),
        (r"(?:oo|ue|ew|ui|u(?=[bcdfgjklmnpstvz]e[rsd]?$))", "U"),
        (r"(?:au|aw|augh)", "W"),
        (r"(?:y|ey|ie?)$", "I"),
        (r"y", "i"),
        (r"[Eeiuo]r(?=[^aeiouAEIOU]|$)", "R"),
        (rf"{_UNSTRESSED}(?:le|el|al|il|ol)$", "L"),
        (rf"{_UNSTRESSED}(?:an|en|in|on)$", "N"),
        (r"(?<=.)e(?=[sd]?$)", ""),
        (r"gh", "g"),
        (r"h(?=[^aeiouAEIOUWYIRLN]|$)", ""),
        (r"v", "v"),
        (r"(.)\1+", r"\1"),
    )
)


# First letters that can begin the same sound as another first letter.
_SILENT = frozenset("ckqgnpswrxzfehiayjou")


@lru_cache(maxsize=4096)
def sound_key(word: str) -> str:
    """A key that words of the same sound share; the word is in small letters. Empty where it has no Latin letter."""
    key = word[:40]
    for pattern, sound in _RULES:
        key = pattern.sub(sound, key)
    return key


def sounds_alike(first: str, second: str) -> bool:
    """The two words (small letters) are different spellings of the same sound."""
    if first == second:
        return False
    if second in _HOMOPHONES.get(first, ()):
        return True
    if first[:1] != second[:1] and not (first[:1] in _SILENT and second[:1] in _SILENT):
        return False
    key = sound_key(first)
    return len(key) > 1 and key == sound_key(second)
