"""What holds for every value of a strict kind and for every text."""

from __future__ import annotations

from datetime import date, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.judging.judge import Case
from pytest_talk2agent.judging.judgement import Judgement, Label
from pytest_talk2agent.judging.lexical import judge
from pytest_talk2agent.speech.words import listed
from pytest_talk2agent.tasks.intention import Intention
from tests.judging.policy import label_of
from tests.speech.words import cardinal, digit_by_digit, in_pairs

NAMES = st.text("bcdfghkmnpqrtvwxz", min_size=3, max_size=7)
SPOKEN = {"/": " slash ", ".": " dot ", "_": " underscore ", "-": " dash ", "@": " at ", "~": " tilde "}
STRICT = ("path", "filename", "identifier", "email", "url")


def spoken(value: str) -> str:
    """The value with its symbols by their names and its digits one by one."""
    words = "".join(SPOKEN.get(each, f" {digit_by_digit(int(each))} " if each.isdigit() else each) for each in value)
    return " ".join(words.split())


@st.composite
def values(draw: st.DrawFn) -> tuple[str, str]:
    """A kind and a value of it."""
    kind = draw(st.sampled_from(STRICT))
    first, second, third = draw(NAMES), draw(NAMES), draw(NAMES)
    number = draw(st.integers(10, 9999))
    return kind, {
        "path": f"/{first}/{second}_{number}/{third}",
        "filename": f"{first}-{second}_{number}.csv",
        "identifier": f"{first}_{second}_{third}",
        "email": f"{first}.{second}@{third}.example.com",
        "url": f"{first}.{second}.example.org/{third}",
    }[kind]


def _label(kind: str, say: str, heard: str, before: str = "please take", after: str = "for the report") -> str:
    script = f"please take {spoken(say)} for the report"
    return label_of(say, kind, script, f"{before} {heard} {after}")


@given(values())
def test_speech_and_print_are_retained(value: tuple[str, str]) -> None:
    kind, say = value
    assert _label(kind, say, say) == "retained"
    assert _label(kind, say, spoken(say)) == "retained"
    assert _label(kind, say, say.upper()) == "retained"


@given(values(), st.data())
def test_another_letter_digit_or_symbol_is_never_retained(value: tuple[str, str], data: st.DataObject) -> None:
    kind, say = value
    place = data.draw(st.integers(0, len(say) - 1))
    other = data.draw(st.sampled_from([each for each in "bdkmt37_-./" if each != say[place]]))
    change = data.draw(st.sampled_from(("replace", "drop", "add")))
    heard = say[:place] + {"replace": other, "drop": "", "add": other + say[place]}[change] + say[place + 1 :]
    neutral = (kind == "url" and heard.rstrip("./") == say) or heard == say
    if not neutral:
        assert _label(kind, say, heard) != "retained", heard


@given(values())
def test_words_around_do_not_change_the_label(value: tuple[str, str]) -> None:
    kind, say = value
    heard = spoken(say)
    before, after = "well hello there my friend could you please take", "for the report thank you very much indeed"
    assert _label(kind, say, heard, before, after) == "retained"


@given(st.integers(0, 999_999), st.integers(0, 999_999))
def test_numbers(number: int, other: int) -> None:
    script = f"set the limit to {cardinal(number)} for now"
    for heard in (str(number), cardinal(number), in_pairs(number)):
        label = label_of(str(number), "number", script, f"set the limit to {heard} for now")
        assert label in ("retained", "unresolved"), heard
    assert label_of(str(number), "number", script, f"set the limit to {cardinal(number)} for now") == "retained"
    label = label_of(str(number), "number", script, f"set the limit to {other} for now")
    assert label == ("retained" if number == other else "changed")


@given(st.integers(0, 9999), st.sampled_from(("-", "minus ", "negative ")))
def test_a_sign_is_never_lost(number: int, sign: str) -> None:
    script = f"set the limit to minus {cardinal(number)} for now"
    say = f"-{number}"
    assert label_of(say, "number", script, f"set the limit to {sign}{number} for now") == "retained"
    if number:
        assert label_of(say, "number", script, f"set the limit to {number} for now") == "changed"


@given(st.dates(date(2020, 1, 1), date(2039, 12, 31)), st.integers(1, 400))
def test_dates(day: date, later: int) -> None:
    script = f"book it for {day.day} {day:%B} {day.year} and wait"
    for heard in (f"{day:%B} {day.day}, {day.year}", f"the {day.day}th of {day:%B} {in_pairs(day.year)}", str(day)):
        assert label_of(str(day), "date", script, f"book it for {heard} and wait") == "retained", heard
    other = day + timedelta(days=later)
    assert label_of(str(day), "date", script, f"book it for {other} and wait") == "changed"


@given(st.integers(0, 23), st.integers(0, 59), st.integers(1, 1439))
def test_times(hour: int, minute: int, later: int) -> None:
    say = f"{hour:02}:{minute:02}"
    half = "am" if hour < 12 else "pm"
    script = f"ring at {hour % 12 or 12}:{minute:02} {half} and wait"
    for heard in (say, f"{hour % 12 or 12}:{minute:02} {half}", f"{hour % 12 or 12}:{minute:02} {half[0]}.m."):
        assert label_of(say, "time", script, f"ring at {heard} and wait") == "retained", heard
    total = (60 * hour + minute + later) % 1440
    assert label_of(say, "time", script, f"ring at {total // 60:02}:{total % 60:02} and wait") != "retained"


INTENTIONS = {
    "path": Intention(say="/srv/wiki", kind="path"),
    "flag": Intention(say="--dry-run", kind="flag"),
    "name": Intention(say="getUserName", kind="identifier"),
    "code": Intention(say="BR-1047", kind="code"),
    "count": Intention(say="7", kind="number"),
    "size": Intention(say="20 mm", kind="quantity"),
    "price": Intention(say="$2,480.75", kind="money"),
    "share": Intention(say="5%", kind="percent"),
    "span": Intention(say="1.5 hours", kind="duration"),
    "day": Intention(say="2027-10-04", kind="date"),
    "hour": Intention(say="17:00", kind="time"),
    "who": Intention(say="Ada Okoro", kind="term"),
    "order": Intention(say="descending", kind="choice", options=("ascending", "descending")),
    "text": Intention(say="don't do it", kind="text", case="exact"),
    "gist": Intention(say="keep the copies", kind="gist", keywords=(("keep",), ("copies",))),
}
SCRIPT = (
    "in slash srv slash wiki run it with dash dash dry run, call get user name for b r dash one zero four seven, use "
    "seven rows of twenty millimetres at $2,480.75 with five percent off for an hour and a half on october fourth "
    "twenty twenty seven at five p m with ada okoro, sort descending, say don't do it and keep the copies"
)
FRAGMENTS = st.lists(
    st.one_of(st.sampled_from(SCRIPT.split()), st.text(max_size=6), st.sampled_from(list("/-_.,:;[]()$%\"'“’—\n "))),
    max_size=60,
)


def _judge(transcript: str) -> Judgement:
    return judge(Case(SCRIPT, SCRIPT, INTENTIONS, transcript))


@settings(deadline=None)
@given(FRAGMENTS, st.sampled_from((" ", "")))
def test_every_text_gives_a_judgement_with_true_spans(fragments: list[str], glue: str) -> None:
    transcript = glue.join(fragments)
    judgement = _judge(transcript)
    assert list(judgement.findings) == list(INTENTIONS)
    for finding in judgement.findings.values():
        if finding.start is None or finding.end is None:
            assert finding.heard is None
            assert finding.label is Label.OMITTED
        else:
            assert 0 <= finding.start < finding.end <= len(transcript)
            assert transcript[finding.start : finding.end] == finding.heard
            assert finding.label is not Label.OMITTED
    assert _judge(transcript) == judgement
    assert Judgement.from_json(judgement.to_json()) == judgement


@settings(deadline=None)
@given(st.text(max_size=300))
def test_every_text_may_be_script_instruction_value_and_transcript(text: str) -> None:
    intentions = {
        kind: Intention.model_validate({"say": text or "x", "kind": kind, "keywords": [[text or "x"]]})
        for kind in ("path", "url", "code", "version", "number", "money", "date", "time", "term", "text", "gist")
    }
    judge(Case(text, text, intentions, text))


def test_the_script_itself_is_retained() -> None:
    labels = _judge(SCRIPT).labels()
    assert {name for name, label in labels.items() if label is not Label.RETAINED} == {"name"}


_PIECES = listed(
    "$ € £ 5 10 1/2 ½ ² m² m 2 K 5K half a an of and the in per / square cubic sq. ft in. ' \" - . , : 10:30 pm a.m. "
    "hundred thousand first third twenty second seconds day after before next week Monday march may 2027 '26 Jan. 15 0 "
    "00 oh o BC c F A us US$ Rs kr ¢ p cents dollars pounds kWh hours minutes EST times x × % percent point minus "
    "three quarter over double 1,000 °C ° ′ ″ every other last now ago from "
    "99999999999999999999999999999999999999999999999999"
)
_WANTED = [
    ("number", "3/4"), ("quantity", "30 m²"), ("money", "$40"), ("money", "20 cents"), ("percent", "5%"),
    ("duration", "90 minutes"), ("date", "2027-01-15"), ("date", "the day after tomorrow"), ("time", "18:20"),
    ("code", "B2"), ("version", "2.1"),
]  # fmt: skip
_JUNK = st.lists(st.tuples(st.sampled_from(_PIECES), st.sampled_from(["", " ", ", ", ". "])), max_size=25).map(
    lambda pieces: "".join(piece + gap for piece, gap in pieces)
)


@given(st.sampled_from(_WANTED), _JUNK, _JUNK)
def test_pieces_of_values_in_any_order_have_a_label(wanted: tuple[str, str], said: str, heard: str) -> None:
    kind, say = wanted
    assert label_of(say, kind, said, heard) in {label.value for label in Label}
