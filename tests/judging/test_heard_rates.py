"""Rates as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "quantity",
        "96 kbit/s",
        "encode it at ninety six kilobits per second in stereo",
        {},
        {
            "retained": [
                "encode it at 96 kbit/s in stereo",
                "Encode it at 96 kbps in stereo",
                "Encode it at 96 kilobits a second in stereo",
                "Encode it at 96 kb/s in stereo",
            ],
            "changed": [
                "Encode it at 96 kilobytes per second in stereo",
                "Encode it at 69 kilobits per second in stereo",
                "encode it at 96 in stereo",
                "encode it at 96 kilobits in stereo",
                "Encode it at 96 KB/s in stereo",
            ],
            "omitted": ["encode it in stereo"],
        },
    ),
    (
        "quantity",
        "30 MB/s",
        "throttle the copy to thirty megabytes per second at noon",
        {},
        {
            "retained": [
                "throttle the copy to 30 MB/s at noon",
                "throttle the copy to thirty megabytes a second at noon",
                "Throttle the copy to 30 MB per second at noon",
                "Throttle the copy to 30 MBps at noon",
                "Throttle the copy to 30,000 kilobytes per second at noon",
            ],
            "changed": [
                "Throttle the copy to 30 Mb/s at noon",
                "throttle the copy to thirty megabits per second at noon",
                "Throttle the copy to 30 MB per minute at noon",
            ],
        },
    ),
    (
        "quantity",
        "90 km/h",
        "keep the speed under ninety kilometres per hour on the ring road",
        {},
        {
            "retained": [
                "keep the speed under 90 km/h on the ring road",
                "Keep the speed under 90 kilometers an hour on the ring road",
            ],
            "changed": [
                "Keep the speed under 90 miles per hour on the ring road",
                "Keep the speed under 90 mph on the ring road",
                "keep the speed under 19 kilometres per hour on the ring road",
            ],
        },
    ),
    (
        "quantity",
        "100 Mbit/s",
        "reserve one hundred megabits per second for the booth",
        {},
        {
            "retained": [
                "Reserve 100 Mbit/s for the booth",
                "Reserve 100 Mbps for the booth",
                "Reserve 100 megabits per second for the booth",
                "reserve 100 mbps for the booth",
                "Reserve 100 Mb/s for the booth",
            ],
            "changed": [
                "Reserve 100 MB/s for the booth",
                "Reserve 100 megabits for the booth",
                "Reserve 100 for the booth",
            ],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
