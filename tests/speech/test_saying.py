"""Every value can be read back from each of its own forms; `benchmarks/forms.py` does the same with 20,000 values."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.speech.saying import forms
from pytest_talk2agent.speech.unit_names import unit_names
from tests.judging.policy import label_of

_UNITS = st.sampled_from(sorted(unit_names().by_identifier))
_WHOLE = st.integers(0, 2_000_000).map(str)
_DECIMAL = st.tuples(st.integers(0, 500), st.integers(1, 999)).map(lambda both: f"{both[0]}.{both[1]:03d}")
_FRACTION = st.sampled_from(["1/2", "2/3", "3/4", "5/8", "7/10", "1 1/2", "2¾", "11/5"])
_ORDINAL = st.integers(1, 400).map(
    lambda n: f"{n}{'th' if 10 < n % 100 < 20 else {1: 'st', 2: 'nd', 3: 'rd'}.get(n % 10, 'th')}"
)


@st.composite
def _value(draw: st.DrawFn) -> tuple[str, str]:
    """A kind and a value of it."""
    kind = draw(
        st.sampled_from(["number", "quantity", "money", "percent", "duration", "date", "time", "version", "path"])
    )
    small = draw(st.integers(1, 900))
    if kind == "number":
        return kind, draw(_WHOLE | _DECIMAL | _FRACTION | _ORDINAL | st.integers(-500, -1).map(str))
    if kind == "quantity":
        sense = unit_names().by_identifier[draw(_UNITS)]
        return kind, f"{draw(st.just(str(small)) | _DECIMAL)} {draw(st.sampled_from(unit_names().texts[sense]))}"
    if kind == "money":
        amount = draw(st.integers(1, 999_999)) / 100
        return kind, draw(
            st.sampled_from(
                [f"${amount:.2f}", f"{small} SEK", f"£{small}", f"{small % 99 + 1} cents", f"{small} euros"]
            )
        )
    if kind == "date":
        year, month, day = draw(st.integers(1500, 2099)), draw(st.integers(1, 12)), draw(st.integers(1, 28))
        return kind, draw(st.sampled_from([f"{year}-{month:02d}-{day:02d}", f"March {year}"]))
    if kind == "time":
        return kind, f"{draw(st.integers(0, 23)):02d}:{draw(st.integers(0, 59)):02d}"
    last = draw(st.integers(0, 30))
    return kind, {
        "percent": f"{small / 10:.1f}%",
        "duration": draw(
            st.sampled_from([f"{small} minutes", f"{small} hours", f"{small} s", f"{small * 30} minutes", "1.5 hours"])
        ),
        "version": f"{small % 9}.{last}.{small}",
        "path": f"/srv/report_{small}/{draw(st.sampled_from(['notes', 'build']))}.txt",
    }[kind]


@settings(deadline=None)
@given(_value(), st.data())
def test_a_value_is_read_back_from_its_own_forms(value: tuple[str, str], data: st.DataObject) -> None:
    kind, say = value
    form = data.draw(st.sampled_from(forms(kind, say)))
    assert label_of(say, kind, f"set the value to {say} now", f"Set the value to {form} now.") == "retained"
    assert label_of(say, kind, f"set the value to {form} now", f"set the value to {form} now") == "retained"


@pytest.mark.parametrize(
    ("kind", "value", "some"),
    [
        ("number", "0.75", {"three quarters", "3/4", "¾", "zero point seven five", "0.75"}),
        ("number", "21st", {"twenty first", "21st"}),
        ("number", "10000", {"ten thousand", "10,000", "10K"}),
        ("quantity", "5 lb", {"5 pounds", "five pounds", "5lb", "5 lbs"}),
        ("quantity", "30 m²", {"30 square metres", "thirty square meters", "30m²"}),
        ("money", "20 cents", {"twenty cents", "$0.20"}),
        ("duration", "90 minutes", {"an hour and a half", "1½ hours", "ninety minutes", "1h 30m"}),
        ("date", "2027-01-15", {"Jan. 15, 2027", "january fifteenth twenty twenty seven"}),
        ("date", "March 1665", {"March sixteen sixty five"}),
        ("time", "18:20", {"six twenty p m", "six, 20 PM", "6:20 PM"}),
        ("path", "/srv/docs", {"slash s r v slash docs"}),
    ],
)
def test_forms(kind: str, value: str, some: set[str]) -> None:
    found = forms(kind, value)
    assert found[0] == value
    assert {each.lower() for each in some} <= {each.lower() for each in found}


@pytest.mark.parametrize("kind", ["number", "quantity", "money", "date", "time"])
def test_what_is_not_written_as_its_kind_has_its_own_form_alone(kind: str) -> None:
    assert forms(kind, "as soon as you can") == ("as soon as you can",)
