"""English words that deny, and those by which the clause ends that a negation governs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_talk2agent.speech.words import listed

Phrases = Mapping[str, tuple[tuple[str, ...], ...]]


def by_first(phrases: Iterable[tuple[str, ...]]) -> Phrases:
    """The phrases by their first words, the longest first."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for phrase in sorted(phrases, key=len, reverse=True):
        found.setdefault(phrase[0], []).append(phrase)
    return {first: tuple(some) for first, some in found.items()}


AUXILIARIES = frozenset(
    listed(
        "do does did will would can could should shall must may might need is are was were be been am has have had "
        "ought dare"
    )
)
SUBJECTS = frozenset(listed("you we i they he she"))
DETERMINERS = frozenset(
    listed("the a an this that these those my your his her its our their any some each every all both")
)
PREPOSITIONS = frozenset(
    listed(
        "with in on at by from of for to into onto under over about between within as after before through during per"
    )
)
# Words that begin another clause of the same sentence.
CLAUSES = frozenset(
    listed("but then so because if when while until till before after otherwise since although whether")
)
PARTICLES = frozenset(listed("up off on out down back me us it him her them"))
OBJECTS = frozenset(listed("me us it him her them"))
STATING = SUBJECTS | {"it"}
WISHES = frozenset(listed("want need prefer like"))
RELATIVES = frozenset(listed("what that which who whom how where why as"))
CONTRASTS = frozenset(listed("just only"))
CAUSATIVES = frozenset(listed("let make help have get to and or nor not never"))
ANEW = frozenset(listed("just instead simply please only rather"))  # `do not touch it just move it`
# `don't wait, push`: what follows the comma is another command.
ALONE = frozenset(listed("wait worry delay hesitate stop panic bother rush hurry ask mind care"))
# Verbs that deny what follows them, with what must stand between.
DENYING: dict[str, tuple[str, ...]] = {
    "avoid": (), "avoids": (), "avoiding": (),
    "refrain": ("from",), "refraining": ("from",), "abstain": ("from",),
    "refuse": ("to",), "forget": ("to", "about"), "fail": ("to",), "hesitate": ("to",), "neglect": ("to",),
    "omit": ("to",), "decline": ("to",), "prevent": (), "prevents": (),
}  # fmt: skip
ENDING = frozenset(listed("stop stops quit cease"))  # before a verb in -ing alone
EXCLUDING = by_first(
    tuple(phrase.split())
    for phrase in (
        "instead of", "rather than", "in place of", "other than", "apart from", "aside from", "as opposed to",
        "except for", "except", "excluding", "excepting", "without", "save for", "leaving out",
    )
)  # fmt: skip
WHOLES = frozenset(listed("everything all anything every everyone everybody anyone anybody any"))
BARELY = frozenset(listed("hardly barely scarcely"))
QUANTIFIERS = frozenset(listed("nothing nobody none nowhere noone"))
# `no` and `not` that deny nothing.
IDLE = by_first(
    tuple(phrase.split())
    for phrase in (
        "not only", "not just", "not to mention", "never mind", "no problem", "no problems", "no worries", "no matter",
        "no doubt", "no rush", "no hurry", "no offence", "no offense", "no idea", "no later than", "no more than",
        "no less than", "no fewer than", "no earlier than", "no wait", "no sorry", "no way", "nothing but", "none but",
        "if not", "or not", "whether or not", "why not", "why do not", "not yet", "for nothing", "if nothing else",
        "without fail", "without delay", "without question", "without doubt", "without hesitation",
        "without further ado", "without further delay",
    )
)  # fmt: skip
TARGETS = frozenset(listed("into onto as"))
ROOTS = frozenset((("slash",), ("tilde",), ("/",), ("~",)))
ADVERBS = frozenset(listed("please also just now instead simply always still"))
JOINERS = frozenset("-_./\\")
SPOKEN_JOINERS = frozenset(listed("dash hyphen underscore slash backslash dot"))
COMMANDS = frozenset(
    listed(
        "add allow answer append apply approve archive ask assign attach begin block book bring build buy call cancel "
        "change charge check choose clean clear click close commit compare compile compress connect convert copy crop "
        "cut delete deploy disable discard download draft draw drop edit email empty enable enter erase export extract "
        "fetch fill find fix forward get give go grant hide import include increase insert install invite keep leave "
        "lock lower mark merge message move mute notify open order paste pause pay pick place play post print publish "
        "pull push put raise read record refresh reject release remind remove rename rent replace reply report request "
        "reset resize restart restore resume retry return revert ring rotate run save scan schedule search select send "
        "set share show shut sign skip sort start stop submit subtract switch sync take tell test text transfer trim "
        "turn type unlock unmute update upgrade upload use visit wake warn watch wipe withdraw write zip "
        "adjust alter analyse analyze calculate collapse collect combine compute confirm create describe detect eject "
        "encrypt evaluate examine execute expand explain extend gather generate hang ignore inspect install launch let "
        "mention modify overwrite preserve remember reorder rewrite shorten simplify store subscribe summarise "
        "summarize tag terminate throw touch translate uninstall validate verify"
    )
)


# What stands before `no` where it denies a noun; behind anything else it takes something back.
BEFORE_NOUNS = (
    COMMANDS
    | AUXILIARIES
    | PREPOSITIONS
    | frozenset(
        listed("and or but if that there so then says say want wants needs needed see found finds has with please")
    )
)
TRIGGERS = (
    {"not", "never", "neither", "nor", "no", "unless", "but"}
    | BARELY
    | QUANTIFIERS
    | DENYING.keys()
    | ENDING
    | EXCLUDING.keys()
)
