"""Languages other than English: of these only the negations are known, clause by clause."""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_talk2agent.speech.tokens import Stream
from pytest_talk2agent.speech.words import listed

ENGLISH = "en"
_NEGATIONS: dict[str, frozenset[str]] = {
    "de": frozenset(
        listed("nicht nie niemals kein keine keinen keinem keiner keines ohne nichts niemand weder außer ausser statt")
    ),
    "fr": frozenset(listed("pas jamais sans aucun aucune rien personne sauf ni guère")),
    "es": frozenset(
        listed("no nunca jamás sin ningún ninguno ninguna nada nadie ni tampoco excepto salvo menos")
    ),
    "it": frozenset(listed("non mai senza nessun nessuno nessuna niente nulla né tranne eccetto")),
    "zh": frozenset("不没沒未勿别別无無非莫"),
}  # fmt: skip
# Words by which a text is told from English, where a task does not name its language.
_COMMON: dict[str, frozenset[str]] = {
    "en": frozenset(listed("the a an of and to in on for with is it that this not do please from at by my as all")),
    "de": frozenset(
        listed(
            "der die das den dem des und ein eine einen nicht mit auf für von zu im ist bitte ich sie oder zum zur "
            "kein aus bei nach"
        )
    ),
    "fr": frozenset(listed("le la les des une un et ne pas dans pour avec sur est du au aux ce que qui vous je l d")),
    "es": frozenset(listed("el la los las una un y no en para con por del al que es se lo mi su de")),
    "it": frozenset(listed("il lo la gli le una un e non di in per con del della al che è si mi i nel")),
}
_WORDS_OF_CLAUSES: dict[str, frozenset[str]] = {
    "de": frozenset(listed("und aber sondern dann oder weil wenn sonst")),
    "fr": frozenset(listed("et mais puis car si sinon ensuite")),
    "es": frozenset(listed("y e pero sino luego si porque")),
    "it": frozenset(listed("e ed ma poi se perché")),
    "zh": frozenset("，。；而但并且再"),
}
_CHINESE_REACH = 4
_CJK = re.compile("[\u3400-\u9fff]")
_LEAST = 2  # common words of another language, where there are more of them than English ones


def base(language: str) -> str:
    """The language without its region: `pt` of `pt-BR`."""
    return re.split("[-_]", language.strip().lower(), maxsplit=1)[0]


def known() -> tuple[str, ...]:
    """The languages whose negations are known."""
    return tuple(sorted((ENGLISH, *_NEGATIONS)))


def knows(language: str) -> bool:
    """The negations of the language are known."""
    return language == ENGLISH or language in _NEGATIONS


@lru_cache(maxsize=512)
def spoken_in(language: str, script: Stream) -> str:
    """The language of a task; one that names none, and so is English, may plainly be written in another one."""
    named = base(language)
    if named != ENGLISH:
        return named
    words = [token.norm for token in script.tokens if token.kind == "word"]
    if 2 * sum(bool(_CJK.match(word)) for word in words) > len(words):
        return "zh"
    counts = {each: sum(word in common for word in words) for each, common in _COMMON.items()}
    best = max(counts, key=lambda each: (counts[each], each == ENGLISH))
    return best if counts[best] >= max(_LEAST, counts[ENGLISH] + 1) else ENGLISH


def negations(stream: Stream, start: int, end: int, language: str) -> int:
    """How many negations stand in the clause around a span, which ends at punctuation and at words like `and`."""
    breaks, words = _WORDS_OF_CLAUSES[language], _NEGATIONS[language]
    if language == "zh":  # a negation stands before its word
        low = max(0, start - _CHINESE_REACH)
        low = next(
            (at + 1 for at in range(start - 1, low - 1, -1) if stream.norms[at] in breaks or stream[at + 1].paused), low
        )
        return sum(word in words for word in stream.norms[low:end])
    while start > 0 and not stream[start].paused and stream.norms[start - 1] not in breaks:
        start -= 1
    while end < len(stream) and not stream[end].paused and stream.norms[end] not in breaks:
        end += 1
    return sum(word in words for word in stream.norms[start:end])
