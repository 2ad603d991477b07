"""The literals of a written instruction: what is not a word and must be spoken out, with the kind of its form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_talk2agent.tasks.intention import Kind


@dataclass(frozen=True)
class Literal:
    """A stretch of a text, from ``start`` to before ``end``, and the kind that the judge reads it as."""

    start: int
    end: int
    value: str
    kind: Kind


_TLD = r"(?:com|org|net|edu|gov|io|dev|app|ai|co|cn|de|eu|fr|jp|uk|us|info|example|local)"
_SUFFIX = (
    r"(?:aac|avi|bak|bash|bib|bin|bmp|c|cfg|class|conf|cpp|cs|css|csv|db|deb|doc|docx|eml|env|eps|epub|exe|flac|gif|go|"
    r"gpg|gz|h|heic|hpp|html?|ics|ini|ipynb|iso|jar|java|jpe?g|js|json|jsonl|jsx|key|lock|log|lua|md|mkv|mov|mp3|mp4|"
    r"mpeg|odp|ods|odt|ogg|opus|parquet|pdf|pem|php|pickle|pl|png|ppt|pptx|ps1|pub|py|pyi|r|rar|rb|rpm|rs|rst|rtf|sh|"
    r"sql|sqlite|srt|svg|swift|tar|tex|tgz|tiff?|toml|ts|tsv|tsx|txt|vcf|vtt|wav|webm|webp|xcf|xls|xlsx|xml|xz|ya?ml|"
    r"zip|zst)"
)
_TAIL = r"(?:/[^\s\"'`<>()（），。]*[^\s\"'`<>()（），。.,;:!?])?"
_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_MONTH = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?|Sep(?:t(?:ember)?)?|"
    r"Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\.?"
)
_TIME_UNIT = r"(?:milliseconds?|ms|seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)"
_UNIT = (
    r"(?:[kKMGT]i?B|bytes?|bits?|kbps|Mbps|px|pixels?|pt|points?|dpi|mm|cm|m|km|inch(?:es)?|feet|ft|miles?|mg|g|kg|"
    r"lbs?|ml|l|liters?|litres?|Hz|kHz|MHz|GHz|V|W|kW|kWh|°C|°F|degrees?|fps|meters?|metres?|grams?|kilograms?)"
)
_BEFORE, _AFTER = r"(?<![\w.,:/@#$€£¥-])", r"(?![\w/@]|[.,:-]\w)"

_FORMS: tuple[tuple[Kind, str], ...] = (
    ("email", r"(?<![\w.+-])[A-Za-z0-9][\w.+-]*@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+"),
    ("url", r"(?:https?|ftp|ssh|file|s3)://[^\s\"'`<>()（），。、]*[^\s\"'`<>()（），。、.,;:!?\]]"),
    ("path", r"(?<![\w.])[A-Za-z]:\\(?:[\w.~$+-]+\\)*(?:[\w.~$+-]*[\w~$+-])?"),
    ("path", r"(?<![\w/.~:])(?:~|\.{1,2})?/[\w.~+@%=-]*[\w~+@%=*](?:/[\w.~+@%*=-]*[\w~+@%*=-])*/?"),
    ("url", rf"(?<![\w.@/-])(?:[A-Za-z0-9-]+\.)+{_TLD}(?::\d+)?{_TAIL}(?![\w@]|\.\w)"),
    ("path", rf"(?<![\w/.@-])[\w.+-]+(?:/[\w.+*-]+)*/(?:[\w.+-]*\w\.{_SUFFIX}|[\w.-]*_[\w.-]*\w)(?![\w/@]|\.\w)"),
    ("path", r"(?<![\w/.@-])\.?[A-Za-z_][\w.+-]*(?:/[\w.+*-]*[\w*]){2,}/?(?![\w@])"),
    ("path", r"(?<![\w/.@-])[A-Za-z_][\w.+-]*(?:/[\w.+-]+)*/(?=[\s,;)]|$)"),
    ("filename", rf"(?<![\w/.@-])[*\w][\w-]*(?:\.[\w-]+)*\.{_SUFFIX}(?![\w/@-]|\.\w)"),
    ("filename", r"(?<![\w/.@-])\.[a-z][\w-]+(?:\.[\w-]+)*(?![\w/@])"),
    ("code", r"(?<=[\"“])[!#-~]{0,60}[#$%&*+/<=>@\[\\\]^`{|}~][!#-~]{0,60}(?=[\"”])"),
    ("flag", r"(?<![\w-])--[A-Za-z][\w-]*[\w]"),
    ("flag", r"(?<![^\s(\[,])-[A-Za-z]{1,3}(?![\w-])"),
    ("version", r"(?<![\w.])v\d+(?:\.\d+)*(?![\w]|\.\w)"),
    ("version", r"(?<![\w.])\d+(?:\.\d+){2,}(?:-?(?:rc|alpha|beta|b|a)\.?\d*)?(?![\w]|\.\w)"),
    ("code", r"(?<![\w&])#(?:[0-9A-Fa-f]{8}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{3})(?!\w)"),
    ("date", r"(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])"),
    ("date", rf"{_BEFORE}\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTH},? \d{{4}}{_AFTER}"),
    ("date", rf"(?<!\w){_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}{_AFTER}"),
    ("time", r"(?<![\w:.])\d{1,2}:\d{2}(?::\d{2})?(?:\s?[AaPp](?:\.[Mm]\.|[Mm]\b))?(?![\w:])"),
    ("time", rf"{_BEFORE}\d{{1,2}}\s?(?:[AaPp]\.[Mm]\.|[AaPp][Mm]\b)"),
    ("percent", rf"(?<![\w.,])[+-]?(?:{_NUMBER})\s?(?:%|percent\b|per cent\b)"),
    ("money", rf"(?:US|CA|A)?[$€£¥₹]\s?(?:{_NUMBER})(?![\w]|[.,]\d)"),
    ("money", rf"{_BEFORE}(?:{_NUMBER}) (?:USD|EUR|GBP|CNY|RMB|dollars|euros|pounds|yuan|cents)\b"),
    ("duration", rf"{_BEFORE}(?:{_NUMBER})[\s-]{_TIME_UNIT}\b"),
    ("quantity", rf"{_BEFORE}(?:{_NUMBER})\s?{_UNIT}(?![\w/])"),
    ("code", r"(?<![\w.-])\$?[A-Z]{1,2}\$?\d{1,5}(?::\$?[A-Z]{1,2}\$?\d{1,5})(?![\w-]|\.\w)"),
    ("identifier", r"(?<![\w./$-])[A-Za-z]\w*(?:\.[A-Za-z]\w*)+\(\)"),
    ("identifier", r"(?<![\w./$])[A-Za-z_]*[A-Za-z]\w*_\w+(?:\(\))?(?![\w./]\w)"),
    ("identifier", r"(?<![\w./-])[a-z]+(?:[A-Z][a-z0-9]+)+(?:\(\))?(?![\w/-])"),
    ("code", r"(?<![\w./-])(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?![\w/]|[.-]\w)"),
    ("identifier", r"(?<![\w./-])[a-z]+(?:-[a-z]+)*-\d+(?:-\w+)*(?![\w/]|\.\w)"),
    ("code", r"(?<![\w.,:/-])0\d+(?![\w:/-]|[.,]\d)"),
    ("code", r"(?<![\w.,:/-])\d{3,}(?:-\d{2,})+(?![\w:/-]|[.,]\d)"),
    ("number", r"(?<![\w.,:/-])\d+(?:st|nd|rd|th)\b"),
    ("number", rf"(?<![\w.,:/)-])[-−]?(?:{_NUMBER})(?![\w:/]|[.,-]\d|-\w)"),
)  # fmt: skip
"""In falling order of what they claim: the first form to take a stretch keeps it."""

_COMPILED = tuple((kind, re.compile(form)) for kind, form in _FORMS)
_AMONG_CJK = tuple((kind, re.compile(form, re.ASCII)) for kind, form in _FORMS)
"""The same where a letter of the text around may be a neighbour without a blank between."""
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)")
_COMPOUND = re.compile(r"\d+-(?:\w+-)*[a-z]+|[A-Za-z]+-\d+|\d+[sx]|\d+D", re.ASCII)
"""`3-page`, `Covid-19`, `1990s`, `2x`: words with a number in them rather than codes."""


def find_literals(text: str, known: Sequence[tuple[str, Kind]] = ()) -> list[Literal]:
    """Every literal of a text in its order; no two overlap.

    ``known`` are values that are literals whatever they look like, such as those of a task's intentions.
    """
    taken: list[Literal] = []
    for value, kind in sorted(known, key=lambda one: -len(one[0])):
        for match in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text):
            if all(match.end() <= one.start or match.start() >= one.end for one in taken):
                taken.append(Literal(match.start(), match.end(), value, kind))
    for kind, form in _AMONG_CJK if _CJK.search(text) else _COMPILED:
        for match in form.finditer(text):
            if all(match.end() <= one.start or match.start() >= one.end for one in taken):
                value = match[0]
                if kind == "code" and (_ORDINAL.fullmatch(value) or _COMPOUND.fullmatch(value)):
                    continue
                taken.append(Literal(match.start(), match.end(), value, kind))
    return sorted(taken, key=lambda one: one.start)


def is_without_cjk(text: str) -> bool:
    """Whether a text has neither Han characters nor kana, whose writing has no blanks between words."""
    return _CJK.search(text) is None


def kind_of(value: str) -> Kind | None:
    """The kind of a text that is one literal from end to end; None where it is none."""
    return next((kind for kind, form in _COMPILED if form.fullmatch(value)), None)
