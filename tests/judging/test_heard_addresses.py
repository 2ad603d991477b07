"""Addresses, identifiers and codes as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "code",
        "kx-l7",
        "enter the key k x l seven and wait",
        {},
        {
            "retained": ["Enter the key KX-L7 and wait", "enter the key k x l seven and wait"],
            "changed": ["Enter the key KX-E7 and wait", "enter the key KX7 and wait"],
            "omitted": ["enter the key and wait"],
            "unresolved": ["enter the key KXI7 and wait", "Enter the key KX17 and wait"],
        },
    ),
    (
        "code",
        "B0R7",
        "the pin is b zero r seven for the gate",
        {},
        {
            "retained": ["The PIN is B0R7 for the gate", "The PIN is B-0-R-7 for the gate"],
            "changed": ["the pin is b zero r seven seven for the gate", "the pin is d zero r seven for the gate"],
            "unresolved": [
                "The pin is BOR7 for the gate",
                "the pin is b o r seven for the gate",
                "the pin is b oh r seven for the gate",
                "the pin is bee zero are seven for the gate",
            ],
        },
    ),
    (
        "code",
        "0042",
        "link it to ticket zero zero four two please",
        {},
        {
            "retained": [
                "link it to ticket double oh four two please",
                "link it to ticket oh oh 42 please",
                "link it to ticket 0042 please",
            ],
            "changed": ["link it to ticket 42 please", "link it to ticket 0024 please"],
            "omitted": ["link it to ticket please"],
        },
    ),
    (
        "code",
        "AK-204",
        "scan case alpha kilo dash two oh four at the dock",
        {},
        {
            "retained": [
                "scan case AK204 at the dock",
                "scan case alpha kilo two zero four at the dock",
                "scan case a k two hundred four at the dock",
            ],
            "changed": ["scan case AK 240 at the dock", "scan case AK-2004 at the dock"],
        },
    ),
    (
        "identifier",
        "parse_row",
        "rename it to parse underscore row in the module",
        {},
        {
            "retained": ["rename it to parse_row in the module", "rename it to snake case parse row in the module"],
            "changed": [
                "rename it to parseRow in the module",
                "rename it to parse_roe in the module",
                "rename it to parse-row in the module",
            ],
            "unresolved": ["rename it to parse row in the module", "rename it to parserow in the module"],
        },
    ),
    (
        "identifier",
        "maxItems",
        "set max items in camel case to ten",
        {},
        {
            "retained": ["set maxItems to ten", "set max items in camel case to ten"],
            "changed": ["set max_items to ten"],
            "unresolved": ["set maxitems to ten", "set max items to ten"],
        },
    ),
    (
        "url",
        "https://docs.example.org/api",
        "open docs dot example dot org slash a p i in a tab",
        {},
        {
            "retained": ["open docs.example.org/api in a tab", "Open https://docs.example.org/api/ in a tab"],
            "changed": [
                "open docs.example.org in a tab",
                "open docs.example.com/api in a tab",
                "open ducks.example.org/api in a tab",
            ],
            "omitted": ["open in a tab"],
            "unresolved": ["open docs example org api in a tab", "open www.docs.example.org/api in a tab"],
        },
    ),
    (
        "email",
        "lena.ray@example.com",
        "mail lena dot ray at example dot com about it",
        {},
        {
            "retained": ["mail lena.ray@example.com about it"],
            "changed": [
                "mail lenaray@example.com about it",
                "mail lena.rae@example.com about it",
                "mail Lena about it",
            ],
            "unresolved": ["mail lena ray at example.com about it", "mail lena dot ray at example com about it"],
        },
    ),
    (
        "identifier",
        "user_id",
        "group by user underscore i d in the query",
        {},
        {
            "retained": ["group by user_id in the query", "group by user_ID in the query"],
            "changed": ["group by userID in the query", "group by users_id in the query"],
            "unresolved": ["group by userid in the query", "group by user id in the query"],
        },
    ),
    (
        "identifier",
        "fetch-all",
        "call the script fetch dash all from cron",
        {},
        {
            "retained": ["call the script fetch-all from cron"],
            "changed": [
                "call the script fetchAll from cron",
                "call the script fetch_all from cron",
                "call the script fetch-hall from cron",
            ],
            "unresolved": ["call the script fetch all from cron"],
        },
    ),
    (
        "code",
        "X9-Q4",
        "use voucher x nine dash q four at the till",
        {},
        {
            "retained": ["use voucher X9Q4 at the till", "use voucher ex nine cue four at the till"],
            "changed": [
                "use voucher X9-Q14 at the till",
                "use voucher X9 at the till",
                "use voucher X9-Q for at the till",
            ],
            "unresolved": ["use voucher x nine queue four at the till"],
        },
    ),
    (
        "code",
        "555-0187",
        "text five five five zero one eight seven at dawn",
        {},
        {
            "retained": [
                "text 555-0187 at dawn",
                "text 5550187 at dawn",
                "text five five five oh one eight seven at dawn",
                "text triple five zero one eight seven at dawn",
            ],
            "changed": ["text 555-0178 at dawn", "text 555 187 at dawn"],
        },
    ),
    (
        "email",
        "ida@example.org",
        "write to ida at example dot org about rent",
        {},
        {
            "retained": ["write to ira@example.org, sorry, ida@example.org about rent"],
            "changed": ["write to ida@example.org, I mean ira@example.org about rent"],
            "unresolved": ["write to ira@example.org ida@example.org about rent"],
        },
    ),
    (
        "code",
        "RT-55",
        "load case r t dash five five on the cart",
        {},
        {
            "retained": ["load case RT-56, no, RT-55 on the cart"],
            "changed": ["load case RT-55, no wait, RT-56 on the cart"],
            "unresolved": ["load case RT-56 RT-55 on the cart"],
        },
    ),
    (
        "code",
        "aB3x",
        "the key is small a capital b three small x for now",
        {"case": "exact"},
        {
            "retained": ["The key is aB3x for now", "the key is small a capital b three small x for now"],
            "changed": ["The key is AB3X for now"],
            "unresolved": ["the key is ab3x for now"],
        },
    ),
    (
        "url",
        "http://box.local:8080/status?full=1",
        "open box dot local colon eighty eighty slash status question mark full equals one in the browser",
        {},
        {
            "retained": [
                "open box.local:8080/status?full=1 in the browser",
                "open box dot local colon eighty eighty slash status question mark full equals one in the browser",
            ],
            "changed": [
                "open box.local/status?full=1 in the browser",
                "open box.local:8080/status in the browser",
                "open box.local:8081/status?full=1 in the browser",
            ],
            "unresolved": ["open box local 8080 status full 1 in the browser"],
        },
    ),
    (
        "url",
        "https://ferry.example.com",
        "check ferry dot example dot com for delays",
        {},
        {
            "retained": ["check ferry.example.com for delays", "check ferry.example.com/ for delays"],
            "changed": [
                "check fairy.example.com for delays",
                "check ferries.example.com for delays",
                "check example.com for delays",
                "check ferryexample.com for delays",
            ],
            "unresolved": ["check www.ferry.example.com for delays", "check ferry example com for delays"],
        },
    ),
    (
        "code",
        "KLM 9",
        "board flight kilo lima mike nine at gate b",
        {},
        {
            "retained": [
                "board flight KLM9 at gate b",
                "board flight kilo lima mike nine at gate b",
                "board flight K L M 9 at gate b",
            ],
            "changed": ["board flight KLN9 at gate b", "board flight KLM 5 at gate b"],
        },
    ),
    (
        "code",
        "B",
        "board flight kilo lima mike nine at gate b",
        {},
        {
            "retained": ["board flight KLM9 at gate B", "board flight KLM9 at gate bravo"],
            "changed": ["board flight KLM9 at gate D"],
            "omitted": ["board flight KLM9 at gate"],
            "unresolved": ["board flight KLM9 at gate be"],
        },
    ),
    (
        "code",
        "007",
        "ask for agent zero zero seven at the desk",
        {},
        {
            "retained": [
                "ask for agent 007 at the desk",
                "ask for agent double oh seven at the desk",
                "ask for agent oh oh seven at the desk",
            ],
            "changed": ["ask for agent 7 at the desk"],
        },
    ),
    (
        "identifier",
        "HTTP_PORT",
        "export h t t p underscore port in the shell",
        {},
        {
            "retained": ["export HTTP_PORT in the shell", "export http_port in the shell"],
            "changed": ["export HTTP_PART in the shell"],
            "unresolved": ["export HTTP port in the shell", "export HTTPPORT in the shell"],
        },
    ),
    (
        "identifier",
        "order-total",
        "fill in the field order dash total on the form",
        {},
        {
            "retained": ["fill in the field order-total on the form", "fill in the field order dash total on the form"],
            "changed": ["fill in the field order_total on the form", "fill in the field orders-total on the form"],
            "unresolved": ["fill in the field order total on the form", "fill in the field ordertotal on the form"],
        },
    ),
    (
        "code",
        "7Q-41-ZU",
        "read out seven q dash four one dash z u slowly",
        {},
        {
            "retained": ["read out 7Q41ZU slowly", "read out 7Q-41-ZU slowly", "read out 7 Q 41 Z U slowly"],
            "changed": ["read out 7Q-14-ZU slowly", "read out 7Q-41 slowly"],
            "unresolved": ["read out 7Q-4I-ZU slowly", "read out seven queue forty one zed you slowly"],
        },
    ),
    (
        "code",
        "ext 220",
        "dial ext two two zero from the desk",
        {},
        {
            "retained": ["dial ext 220 from the desk", "dial ext two twenty from the desk"],
            "changed": ["dial extension 220 from the desk", "dial ext 202 from the desk"],
        },
    ),
    (
        "identifier",
        "lib-core",
        "bump lib dash core and lib dash util",
        {},
        {
            "retained": ["bump lib-core and lib-util"],
            "changed": ["bump lib-util and lib-core", "bump lib-cor and lib-util"],
            "omitted": ["bump and lib-util"],
            "unresolved": ["bump lib core and lib util"],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
