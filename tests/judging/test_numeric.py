from __future__ import annotations

import pytest

from tests.judging.policy import finding_of, label_of, labels_of


@pytest.mark.parametrize(
    ("say", "spoken", "heard", "label"),
    [
        ("36", "thirty six", "36", "retained"),
        ("36", "thirty six", "thirty-six", "retained"),
        ("36", "thirty six", "3006", "changed"),
        ("36", "thirty six", "30 6", "unresolved"),
        ("15", "fifteen", "50", "changed"),
        ("15", "fifteen", "five", "changed"),
        ("179", "one seventy nine", "1 79", "retained"),
        ("179", "one seventy nine", "1709", "changed"),
        ("101", "one oh one", "one hundred and one", "retained"),
        ("205", "two hundred five", "200 5", "unresolved"),
        ("205", "two hundred five", "2005", "changed"),
        ("3307", "thirty three oh seven", "33 07", "retained"),
        ("2309.416", "two three oh nine point four one six", "2309.416", "retained"),
        ("2309.416", "two three oh nine point four one six", "23009.416", "changed"),
        ("7.5", "seven point five", "75", "changed"),
        ("7.5", "seven point five", "seven five", "unresolved"),
        ("-5", "minus five", "negative 5", "retained"),
        ("-5", "minus five", "-5", "retained"),
        ("-5", "minus five", "5", "changed"),
        ("5", "five", "-5", "changed"),
        ("4", "four", "for", "unresolved"),
        ("8", "eight", "ate", "unresolved"),
        ("8", "eight", "hate", "changed"),
        ("1500", "fifteen hundred", "1,500", "retained"),
        ("3", "three", "3 seconds", "changed"),
        ("40", "forty", "40%", "changed"),
    ],
)
def test_number(say: str, spoken: str, heard: str, label: str) -> None:
    script = f"set the counter to {spoken} and go on"
    assert label_of(say, "number", script, f"set the counter to {heard} and go on") == label


def test_a_unit_that_the_script_says_may_stand_beside_a_bare_number() -> None:
    assert label_of("3", "number", "wait three seconds and go on", "wait 3 seconds and go on") == "retained"


@pytest.mark.parametrize(
    ("say", "spoken", "heard", "label"),
    [
        ("20 mm", "twenty millimetres", "20mm", "retained"),
        ("20 mm", "twenty millimetres", "20 m m", "retained"),
        ("20 mm", "twenty millimetres", "two centimetres", "retained"),
        ("20 mm", "twenty millimetres", "20", "changed"),
        ("20 mm", "twenty millimetres", "20 metres", "changed"),
        ("20 mm", "twenty millimetres", "millimetres", "omitted"),
        ("2 kg", "two kilograms", "2000 grams", "retained"),
        ("2 GB", "two gigabytes", "2 GiB", "changed"),
        ("2 GB", "two gigabytes", "2 MB", "changed"),
        ("2 MB", "two megabytes", "2 Mb", "changed"),
        ("2 MB", "two megabytes", "2 mb", "retained"),
        ("60 guests", "sixty guests", "60 guests", "retained"),
        ("60 guests", "sixty guests", "16 guests", "changed"),
        ("-18 degrees Celsius", "minus eighteen degrees celsius", "-18 °C", "retained"),
        ("-18 degrees Celsius", "minus eighteen degrees celsius", "18 degrees celsius", "changed"),
    ],
)
def test_quantity(say: str, spoken: str, heard: str, label: str) -> None:
    script = f"set the width to {spoken} and go on"
    assert label_of(say, "quantity", script, f"set the width to {heard} and go on") == label


@pytest.mark.parametrize(
    ("say", "spoken", "heard", "label"),
    [
        ("$2,480.75", "two thousand four hundred eighty dollars and seventy five cents", "$2480.75", "retained"),
        ("$2,480.75", "two thousand four hundred eighty dollars and seventy five cents", "2480.75 USD", "retained"),
        ("€340", "three hundred forty euros", "340 euros", "retained"),
        ("€340", "three hundred forty euros", "$340", "changed"),
        ("€340", "three hundred forty euros", "340", "changed"),
        ("$18.50", "eighteen dollars and fifty cents", "eighteen fifty dollars", "unresolved"),
        ("$1,850", "eighteen hundred fifty dollars", "eighteen fifty dollars", "unresolved"),
        ("$18.50", "eighteen dollars and fifty cents", "18 50 dollars", "unresolved"),
        ("$310", "three hundred ten dollars", "$300 10", "unresolved"),
        ("$18.50", "eighteen dollars and fifty cents", "$18.15", "changed"),
    ],
)
def test_money(say: str, spoken: str, heard: str, label: str) -> None:
    assert label_of(say, "money", f"pay the clerk {spoken} and go on", f"pay the clerk {heard} and go on") == label


def test_two_groups_without_a_unit_may_be_dollars_and_cents() -> None:
    script = "put eighteen fifty on the gasket, all prices in dollars"
    assert label_of("$18.50", "money", script, script) == "unresolved"


def test_a_unit_may_be_said_once_for_a_list() -> None:
    script = "cut it at twenty millimetres and thirty five millimetres"
    wanted = {"a": {"say": "20 mm", "kind": "quantity"}, "b": {"say": "35 mm", "kind": "quantity"}}
    assert labels_of(wanted, script, "cut it at 20 and 35 mm") == {"a": "retained", "b": "retained"}
    script = "put eighteen dollars on the gasket and six dollars on the washer"
    wanted = {"a": {"say": "$18", "kind": "money"}, "b": {"say": "$6", "kind": "money"}}
    heard = "put 18 on the gasket and 6 on the washer, all prices in dollars"
    assert labels_of(wanted, script, heard) == {"a": "retained", "b": "retained"}
    heard = "put 18 on the gasket and 6 dollars on the washer"
    assert labels_of(wanted, script, heard) == {"a": "changed", "b": "retained"}


@pytest.mark.parametrize(
    ("heard", "label"),
    [
        ("25%", "retained"),
        ("twenty five per cent", "retained"),
        ("25", "changed"),
        ("20 5%", "unresolved"),
        ("percent", "omitted"),
        ("", "omitted"),
    ],
)
def test_percent(heard: str, label: str) -> None:
    script = "keep twenty five percent of them"
    assert label_of("25%", "percent", script, f"keep {heard} of them") == label
    assert label_of("25", "percent", script, f"keep {heard} of them") == label


@pytest.mark.parametrize(
    ("say", "spoken", "heard", "label"),
    [
        ("90 seconds", "ninety seconds", "a minute and a half", "retained"),
        ("1.5 hours", "an hour and a half", "ninety minutes", "retained"),
        ("45 minutes", "forty five minutes", "three quarters of an hour", "retained"),
        ("14 days", "fourteen days", "two weeks", "retained"),
        ("6 months", "six months", "half a year", "retained"),
        ("2 hours 15 minutes", "two hours fifteen minutes", "2 hours and 15 minutes", "retained"),
        ("2 hours 15 minutes", "two hours fifteen minutes", "2 hours", "changed"),
        ("50 minutes", "fifty minutes", "15 minutes", "changed"),
        ("5 minutes", "five minutes", "5 hours", "changed"),
        ("5 minutes", "five minutes", "minutes", "omitted"),
    ],
)
def test_duration(say: str, spoken: str, heard: str, label: str) -> None:
    assert label_of(say, "duration", f"wait for {spoken} and go on", f"wait for {heard} and go on") == label


def test_self_correction_takes_the_last_value() -> None:
    script = "use port eighty, no, eighty ninety, and go on"
    assert label_of("8090", "number", script, script) == "retained"
    assert label_of("8090", "number", script, "use port 80, sorry, 8090 and go on") == "retained"
    assert label_of("8090", "number", script, "use port 80 and go on") == "changed"
    assert label_of("8090", "number", script, "use port 8090, no, 80 and go on") == "changed"
    assert label_of("8090", "number", script, "use port 80 8090 and go on") == "unresolved"


def test_a_value_of_another_intention_does_not_count() -> None:
    wanted = {"a": {"say": "3", "kind": "number"}, "b": {"say": "3 seconds", "kind": "duration"}}
    script = "set replicas to three and the timeout to three seconds"
    assert labels_of(wanted, script, "set replicas to three and the timeout to") == {"a": "retained", "b": "omitted"}
    wanted = {"a": {"say": "-5", "kind": "number"}, "b": {"say": "5", "kind": "number"}}
    script = "set the offset to minus five and the gain to five"
    assert labels_of(wanted, script, "set the offset to 5 and the gain to 5") == {"a": "changed", "b": "retained"}


def test_a_list_must_come_across_as_a_whole() -> None:
    script = "open the ports eighty, four forty three and eight eight eight three"
    say = ["80", "443", "8883"]
    assert label_of(say, "number", script, "open the ports 80, 443 and 8883") == "retained"
    assert label_of(say, "number", script, "open the ports 80, 442 and 8883") == "changed"
    assert label_of(say, "number", script, "open the ports 80 and 8883") == "changed"
    assert label_of(say, "number", script, "open the ports") == "omitted"


def test_the_evidence_is_the_number_with_its_unit() -> None:
    heard = "cut it at 15 mm please"
    found = finding_of("50 mm", "quantity", "cut it at fifty millimetres please", heard)
    assert (found.label.value, found.heard) == ("changed", "15 mm")
    assert found.start == heard.index("15")
