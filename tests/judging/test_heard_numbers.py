"""Numbers, percentages and versions as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "number",
        "2.4 million",
        "write two point four million into the cell and save",
        {},
        {
            "retained": ["write 2.4 million into the cell and save", "Write 2,400,000 into the cell and save"],
            "changed": [
                "write twenty four million into the cell and save",
                "write two four million into the cell and save",
            ],
            "omitted": ["write into the cell and save"],
        },
    ),
    (
        "number",
        "2",
        "book two berths on the ferry",
        {},
        {
            "changed": ["book tow berths on the ferry", "book 12 berths on the ferry"],
            "omitted": ["book berths on the ferry"],
            "unresolved": ["book to berths on the ferry", "book too berths on the ferry"],
        },
    ),
    (
        "number",
        "4",
        "keep four copies and set retries to three for now",
        {},
        {
            "changed": [
                "keep door copies and set retries to three for now",
                "keep forty copies and set retries to three for now",
            ],
            "omitted": ["keep copies and set retries to three for now"],
            "unresolved": [
                "keep for copies and set retries to three for now",
                "keep fore copies and set retries to three for now",
            ],
        },
    ),
    (
        "number",
        "3",
        "keep four copies and set retries to three for now",
        {},
        {
            "changed": [
                "keep four copies and set retries to tree for now",
                "keep four copies and set retries to free for now",
            ],
            "omitted": ["keep four copies and set retries to for now", "keep four copies and set retries for now"],
        },
    ),
    (
        "number",
        "205",
        "limit the batch to two hundred five items",
        {},
        {
            "retained": ["limit the batch to 200 5 items, three digits", "limit the batch to two oh five items"],
            "changed": ["limit the batch to 2005 items", "limit the batch to 250 items"],
            "unresolved": ["limit the batch to 200 5 items"],
        },
    ),
    (
        "percent",
        "75%",
        "dim it to seventy five percent by ten",
        {},
        {
            "retained": ["Dim it to 75% by ten", "dim it to seventy five per cent by ten"],
            "changed": ["dim it to 75 by ten"],
            "omitted": ["dim it to percent by ten"],
        },
    ),
    (
        "version",
        "4.10.2",
        "install four point ten point two on the box",
        {},
        {
            "retained": [
                "install 4.10.2 on the box",
                "install four point ten point two on the box",
                "install version 4.10.2 on the box",
                "Install v4.10.2 on the box",
                "install four dot one oh dot two on the box",
            ],
            "changed": ["install 4.1.2 on the box", "install 4.102 on the box", "install 4.10 on the box"],
            "omitted": ["install on the box"],
            "unresolved": ["install 4 10 2 on the box"],
        },
    ),
    (
        "number",
        "15",
        "print fifteen badges on card",
        {},
        {
            "changed": ["Print [unclear: 50] badges on card"],
            "omitted": ["Print [inaudible] badges on card"],
            "unresolved": [
                "Print [inaudible: 15 or 50] badges on card",
                "Print [15/50] badges on card",
                "Print (15 or 50?) badges on card",
                "Print 15 or 50 badges on card",
                "Print [inaudible, 15 or 16] badges on card",
            ],
        },
    ),
    (
        "version",
        "10.0.3.7",
        "ping ten dot zero dot three dot seven twice",
        {},
        {
            "retained": ["ping 10.0.3.7 twice"],
            "changed": ["ping 10.0.37 twice"],
            "unresolved": ["ping 10 0 3 7 twice"],
        },
    ),
    (
        "number",
        "12",
        "seat twelve people by the window",
        {},
        {
            "retained": ["seat 12 people by the window", "seat a dozen people by the window"],
            "changed": ["seat twenty people by the window", "seat 12% people by the window"],
            "omitted": ["seat people by the window"],
        },
    ),
    (
        "number",
        "0.75",
        "set the factor to zero point seven five for now",
        {},
        {
            "retained": [
                "set the factor to 0.75 for now",
                "set the factor to .75 for now",
                "set the factor to point seven five for now",
            ],
            "changed": ["set the factor to 75 for now", "set the factor to 7.5 for now"],
            "unresolved": ["set the factor to zero seven five for now"],
        },
    ),
    (
        "number",
        "1003",
        "go to page one thousand and three in the book",
        {},
        {
            "retained": [
                "go to page 1003 in the book",
                "go to page 1,003 in the book",
                "go to page 1000 and 3 in the book",
                "go to page ten oh three in the book",
            ],
            "changed": ["go to page 103 in the book"],
            "unresolved": ["go to page 1000 3 in the book"],
        },
    ),
    (
        "percent",
        "7.5%",
        "add seven point five percent tax",
        {},
        {
            "retained": ["add 7.5% tax", "add seven and a half percent tax", "add 7.5 percentage points tax"],
            "changed": ["add 7.5 tax", "add 75% tax"],
            "unresolved": ["add seven five percent tax"],
        },
    ),
    (
        "number",
        "6",
        "print five copies, sorry, six copies of it",
        {},
        {
            "retained": ["print five copies sorry six copies of it", "print 6 copies of it"],
            "changed": ["print 5 copies of it", "print five copies, sorry, of it"],
        },
    ),
    (
        "percent",
        "41%",
        "raise it to forty one percent by may",
        {},
        {
            "retained": ["raise it to 41 percent by May", "raise it to forty one percent by may"],
            "changed": ["raise it to 41 by May", "raise it to 401% by May", "raise it to 4.1% by May"],
        },
    ),
    (
        "percent",
        "41",
        "raise it to forty one percent by may",
        {},
        {
            "retained": ["raise it to 41% by May"],
            "changed": ["raise it to 41 by May"],
        },
    ),
    (
        "number",
        "13",
        "leave thirteen chairs in the hall",
        {},
        {
            "retained": ["leave 13 chairs in the hall", "leave 1 3 chairs in the hall"],
            "changed": [
                "leave 30 chairs in the hall",
                "leave thirty chairs in the hall",
                "leave therteen chairs in the hall",
            ],
        },
    ),
    (
        "number",
        "1,200,000",
        "move one point two million rows to cold storage",
        {},
        {
            "retained": ["move 1.2 million rows to cold storage", "move 1,200,000 rows to cold storage"],
            "changed": ["move 12 million rows to cold storage", "move one two million rows to cold storage"],
        },
    ),
    (
        "number",
        "-3",
        "shift it by minus three and render",
        {},
        {
            "retained": [
                "shift it by minus 3 and render",
                "shift it by negative three and render",
                "shift it by -3 and render",
            ],
            "changed": ["shift it by 3 and render"],
            "omitted": ["shift it by and render"],
        },
    ),
    (
        "number",
        "2027",
        "count the trips of twenty twenty seven only",
        {},
        {
            "retained": ["count the trips of 2027 only", "count the trips of 20 27 only"],
            "changed": ["count the trips of 2007 only", "count the trips of twenty seven only"],
        },
    ),
    (
        "version",
        "1.10",
        "pin the client to one point ten today",
        {},
        {
            "retained": ["pin the client to 1.10 today", "pin the client to one point one oh today"],
            "changed": ["pin the client to 1.1 today", "pin the client to 110 today"],
            "omitted": ["pin the client today"],
            "unresolved": ["pin the client to one ten today"],
        },
    ),
    (
        "number",
        ["80", "443"],
        "allow ports eighty and four four three on the gateway",
        {},
        {
            "retained": ["allow ports 80 and 443 on the gateway", "allow ports 80 443 on the gateway"],
            "changed": [
                "allow ports 80 and 434 on the gateway",
                "allow ports 80 on the gateway",
                "allow ports 8443 on the gateway",
            ],
            "omitted": ["allow ports on the gateway"],
        },
    ),
    (
        "number",
        "3rd",
        "open the third tab and close the rest",
        {},
        {
            "retained": [
                "open the 3rd tab and close the rest",
                "open the third tab and close the rest",
                "open the third tab",
            ],
            "changed": ["open the first tab and close the rest"],
        },
    ),
    (
        "number",
        "2",
        "ring twice and leave",
        {},
        {
            "retained": ["ring two times and leave"],
        },
    ),
    (
        "number",
        "14",
        "use a size of fourteen for the letters",
        {},
        {
            "retained": ["use a size of 14 for the letters"],
            "changed": ["use a size of 40 for the letters", "use a size of for teen for the letters"],
        },
    ),
    (
        "percent",
        "10%",
        "give them ten percent off the second pair",
        {},
        {
            "retained": [
                "give them 10% off the second pair",
                "give them ten% off the second pair",
                "give them 10 per cent off the second pair",
            ],
            "changed": [
                "give them 10 off the second pair",
                "give them ten pounds off the second pair",
                "give them 2% off the second pair",
            ],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
