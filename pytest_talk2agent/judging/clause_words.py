"""English words that deny, and those by which the clause ends that a negation governs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pytest_talk2agent.speech.words import lines_of, listed, phrases_of

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
EXCLUDING = by_first(phrases_of(__package__, "excluding_phrases.txt"))
WHOLES = frozenset(listed("everything all anything every everyone everybody anyone anybody any"))
BARELY = frozenset(listed("hardly barely scarcely"))
QUANTIFIERS = frozenset(listed("nothing nobody none nowhere noone"))
# `no` and `not` that deny nothing.
IDLE = by_first(phrases_of(__package__, "idle_negations.txt"))
TARGETS = frozenset(listed("into onto as"))
ROOTS = frozenset((("slash",), ("tilde",), ("/",), ("~",)))
ADVERBS = frozenset(listed("please also just now instead simply always still"))
JOINERS = frozenset("-_./\\")
SPOKEN_JOINERS = frozenset(listed("dash hyphen underscore slash backslash dot"))
COMMANDS = frozenset(" ".join(lines_of(__package__, "command_verbs.txt")).split())


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
