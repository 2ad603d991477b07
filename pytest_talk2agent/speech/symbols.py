"""What symbols, letters and file name extensions are called in speech.

Short, since its long table is the file ``symbol_names.txt``.
"""

from __future__ import annotations

from pytest_talk2agent.speech.words import lines_of, listed

# Longest phrase first at lookup: see `symbol_at`.
_PHRASES = dict(line.split("\t") for line in lines_of(__package__, "symbol_names.txt"))
_BY_WORDS = {tuple(phrase.split()): symbol for phrase, symbol in _PHRASES.items()}
SYMBOL_NAMES = {symbol: phrase for phrase, symbol in reversed(_PHRASES.items())}  # the first name of each
_LONGEST = max(len(words) for words in _BY_WORDS)
_STARTS = frozenset(words[0] for words in _BY_WORDS)

NATO = {
    word: word[0]
    for word in listed(
        "alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar "
        "papa quebec romeo sierra tango uniform victor whiskey xray yankee zulu"
    )
} | {"alfa": "a", "juliett": "j", "whisky": "w"}

# Letter names that are no other word mean the letter; those that are words leave a doubt.
LETTER_NAMES = {
    "ess": "s", "aitch": "h", "zee": "z", "zed": "z", "vee": "v", "dee": "d", "eff": "f", "el": "l", "em": "m",
    "en": "n", "ar": "r", "cee": "c", "ee": "e", "kay": "k", "jay": "j", "ex": "x", "wye": "y", "tee": "t", "gee": "g",
    "pee": "p", "cue": "q",
}  # fmt: skip
LETTER_HOMOPHONES = {
    "see": "c", "sea": "c", "be": "b", "bee": "b", "are": "r", "you": "u", "why": "y", "tea": "t", "pea": "p",
    "queue": "q", "eye": "i", "oh": "o", "owe": "o", "hey": "a", "eh": "a",
}  # fmt: skip
NUMBER_HOMOPHONES = {"to": 2, "too": 2, "for": 4, "fore": 4, "won": 1, "ate": 8}

# What an extension sounds like when it is read as a word; the same word in print is another extension.
EXTENSION_SOUNDS: dict[tuple[str, ...], tuple[str, ...]] = {
    tuple(said.split()): tuple(written.split())
    for said, written in {
        "jason": "json", "j son": "json", "jay son": "json", "pie": "py", "text": "txt", "doc x": "docx",
        "doc ex": "docx", "dock x": "docx", "dock": "doc", "jay peg": "jpeg jpg", "j peg": "jpeg jpg",
        "jpeg": "jpg", "ping": "png", "jif": "gif", "yammel": "yaml yml", "yaml": "yml", "tommel": "toml",
        "sequel": "sql", "wave": "wav",
    }.items()
}  # fmt: skip


def symbol_starts() -> frozenset[str]:
    """The first words of all names of symbols."""
    return _STARTS


def symbol_at(norms: tuple[str, ...], index: int) -> tuple[str, int] | None:
    """The symbol that the words at the index name, and where they end; the longest name wins."""
    if norms[index] not in _STARTS:
        return None
    for length in range(_LONGEST, 0, -1):
        words = norms[index : index + length]
        if words in _BY_WORDS:
            return _BY_WORDS[words], index + len(words)
    return None
