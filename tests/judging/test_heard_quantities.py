"""Quantities as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "quantity",
        "0.5 ounces",
        "weigh half an ounce of saffron for the pan",
        {},
        {
            "retained": ["weigh half an ounce of saffron for the pan", "weigh 0.5 oz of saffron for the pan"],
            "changed": [
                "Weigh half a gram of saffron for the pan",
                "weigh half of saffron for the pan",
                "weigh an ounce of saffron for the pan",
            ],
        },
    ),
    (
        "quantity",
        "15 microns",
        "set the gap between fifteen and thirty microns for the seal",
        {},
        {
            "retained": [
                "Set the gap between 15 and 30 microns for the seal",
                "Set the gap between 15 µm and 30 µm for the seal",
            ],
            "changed": [
                "Set the gap between 50 and 30 microns for the seal",
                "Set the gap between 15 and 30 millimeters for the seal",
                "Set the gap between 15 and 30 for the seal",
            ],
        },
    ),
    (
        "quantity",
        "12 crates",
        "send between twelve and twenty crates to the depot",
        {},
        {
            "retained": [
                "Send between 12 and 20 crates to the depot",
                "send between twelve and twenty crates to the depot",
            ],
            "changed": ["Send between 12 and 20 boxes to the depot"],
        },
    ),
    (
        "quantity",
        "80x",
        "turn the magnification to eighty times and focus",
        {},
        {
            "retained": [
                "Turn the magnification to 80x and focus",
                "Turn the magnification to 80 x and focus",
                "turn the magnification to eighty times and focus",
            ],
            "changed": ["Turn the magnification to 18x and focus", "Turn the magnification to 80 and focus"],
        },
    ),
    (
        "quantity",
        "1920 pixels",
        "scale the picture to nineteen hundred and twenty pixels",
        {},
        {
            "retained": [
                "scale the picture to 19 hundred and 20 pixels",
                "Scale the picture to 1920 pixels",
                "Scale the picture to 1920px",
                "Scale the picture to 1,920 pixel",
            ],
            "changed": ["Scale the picture to 1912 pixels"],
        },
    ),
    (
        "quantity",
        "320 kilobits",
        "use three hundred and twenty kilobits for the stream",
        {},
        {
            "retained": ["use 300 and 20 kilobits for the stream"],
            "unresolved": ["use 300 20 kilobits for the stream"],
        },
    ),
    (
        "quantity",
        "2 berths",
        "book two berths on the ferry",
        {},
        {
            "changed": ["book tow berths on the ferry"],
            "omitted": ["book berths on the ferry"],
            "unresolved": ["book to berths on the ferry"],
        },
    ),
    (
        "quantity",
        "-4 °C",
        "chill it to minus four degrees celsius quickly",
        {},
        {
            "retained": [
                "chill it to -4 °C quickly",
                "chill it to minus 4 degrees Celsius quickly",
                "chill it to negative four celsius quickly",
            ],
            "changed": [
                "chill it to 4 °C quickly",
                "chill it to minus 4 degrees quickly",
                "chill it to -4 degrees Fahrenheit quickly",
            ],
        },
    ),
    (
        "quantity",
        "250 ml",
        "pour in two hundred and fifty millilitres of milk",
        {},
        {
            "retained": [
                "pour in 250 ml of milk",
                "pour in 0.25 liters of milk",
                "pour in a quarter of a litre of milk",
            ],
            "changed": ["pour in 250 grams of milk", "pour in 250 of milk", "pour in 2.5 liters of milk"],
            "omitted": ["pour in milliliters of milk"],
            "unresolved": ["pour in 200 50 ml of milk"],
        },
    ),
    (
        "quantity",
        "64 GiB",
        "give it sixty four gibibytes of memory",
        {},
        {
            "retained": ["give it 64 GiB of memory"],
            "changed": ["give it 64 GB of memory", "give it 64 gigabytes of memory", "give it 46 GiB of memory"],
        },
    ),
    (
        "quantity",
        "60 miles",
        "plan a ride of sixty miles for june",
        {},
        {
            "retained": ["plan a ride of 60 miles for June"],
            "changed": [
                "plan a ride of 60 kilometers for June",
                "plan a ride of 60 for June",
                "plan a ride of 16 miles for June",
            ],
            "omitted": ["plan a ride of miles for June", "plan a ride for June"],
        },
    ),
    (
        "quantity",
        "2 TB",
        "order a disk of two terabytes today",
        {},
        {
            "retained": [
                "order a disk of 2 TB today",
                "order a disk of 2 terabytes today",
                "order a disk of 2000 GB today",
            ],
            "changed": ["order a disk of 2 gigabytes today"],
            "omitted": ["order a disk of terabytes today"],
            "unresolved": ["order a disk of to terabytes today"],
        },
    ),
    (
        "quantity",
        "300 dpi",
        "scan at three hundred d p i in grey",
        {},
        {
            "retained": [
                "scan at 300 DPI in gray",
                "scan at 300 dots per inch in gray",
                "scan at 3 hundred dpi in gray",
            ],
            "changed": ["scan at 300 in gray", "scan at 600 dpi in gray"],
        },
    ),
    (
        "quantity",
        "48 kHz",
        "record at forty eight kilohertz in mono",
        {},
        {
            "retained": ["record at 48 kHz in mono", "record at 48,000 hertz in mono"],
            "changed": ["record at 48 hertz in mono", "record at 44 kHz in mono"],
        },
    ),
    (
        "quantity",
        "1080p",
        "render it in ten eighty p for the screen",
        {},
        {
            "retained": ["render it in 1080p for the screen", "render it in ten eighty p for the screen"],
            "changed": ["render it in 720p for the screen", "render it in 1080 for the screen"],
        },
    ),
    (
        "quantity",
        "5 km",
        "run five kilometres before work",
        {},
        {
            "retained": ["run 5 km before work", "run 5,000 meters before work"],
            "changed": ["run five clicks before work", "run five miles before work", "run 5 before work"],
        },
    ),
    (
        "quantity",
        "1.2 GB",
        "stop when the dump reaches one point two gigabytes",
        {},
        {
            "retained": ["stop when the dump reaches 1.2 GB", "stop when the dump reaches 1200 MB"],
            "changed": [
                "stop when the dump reaches 12 GB",
                "stop when the dump reaches 1.2 gigabits",
                "stop when the dump reaches 1.2",
            ],
            "unresolved": ["stop when the dump reaches one two gigabytes"],
        },
    ),
    (
        "quantity",
        "35 knots",
        "warn me above thirty five knots of wind",
        {},
        {
            "retained": ["warn me above 35 knots of wind"],
            "changed": [
                "warn me above 35 nots of wind",
                "warn me above 45 knots of wind",
                "warn me above 35 km/h of wind",
                "warn me above 35 of wind",
            ],
        },
    ),
    (
        "quantity",
        "3 cm",
        "leave three centimetres on all sides",
        {},
        {
            "retained": ["leave 3 cm on all sides", "leave 3 centimeters on all sides", "leave 30 mm on all sides"],
            "changed": [
                "leave 3 millimeters on all sides",
                "leave free centimetres on all sides",
                "leave 3 on all sides",
            ],
        },
    ),
    (
        "quantity",
        "12 V",
        "switch it to twelve volts after the test",
        {},
        {
            "retained": ["switch it to 12 V after the test", "switch it to 12 volts after the test"],
            "changed": ["switch it to 12 watts after the test", "switch it to twenty volts after the test"],
        },
    ),
    (
        "quantity",
        "4 mm",
        "drill a hole of four millimetres in the lid",
        {},
        {
            "retained": ["drill a hole of 4mm in the lid"],
            "changed": ["drill a hole of four metres in the lid", "drill a hole of fourteen millimetres in the lid"],
            "omitted": ["drill a hole of millimetres in the lid"],
            "unresolved": ["drill a hole of for millimetres in the lid"],
        },
    ),
    (
        "quantity",
        "6 eggs",
        "beat half a dozen eggs in a bowl",
        {},
        {
            "retained": ["beat half a dozen eggs in a bowl", "beat 6 eggs in a bowl"],
            "changed": ["beat a dozen eggs in a bowl"],
        },
    ),
    (
        "quantity",
        "512 KB",
        "cap the body at five hundred and twelve kilobytes for all",
        {},
        {
            "retained": [
                "Cap the body at 512 KB for all",
                "Cap the body at 512 kB for all",
                "cap the body at 512 kb for all",
            ],
            "changed": [
                "Cap the body at 512 kilobits for all",
                "Cap the body at 512 Kb for all",
                "Cap the body at 512 kbit for all",
                "Cap the body at 512K for all",
            ],
        },
    ),
    (
        "quantity",
        "1,500 m",
        "swim fifteen hundred metres on monday",
        {},
        {
            "retained": [
                "swim 1,500 metres on Monday",
                "swim 1500m on Monday",
                "swim 1.5 km on Monday",
                "swim 15 hundred meters on Monday",
            ],
            "changed": ["swim 50 hundred metres on Monday", "swim 1500 miles on Monday", "swim 1500 on Monday"],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
