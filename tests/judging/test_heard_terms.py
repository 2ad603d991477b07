"""Names as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

CASES: list[Row] = [
    (
        "term",
        "Marlowe Hall",
        "book marlowe hall for friday night",
        {},
        {
            "retained": ["Book Marlowe Hall for Friday night", "Book marlowehall for Friday night"],
            "changed": ["Book Harlow Hall for Friday night", "Book the hall for Friday night"],
            "omitted": ["Book for Friday night"],
            "unresolved": ["Book Marlow Hall for Friday night", "Book Marlowe Haul for Friday night"],
        },
    ),
    (
        "term",
        "Dr. Reyes",
        "send it to doctor reyes before lunch",
        {},
        {
            "retained": ["Send it to Dr. Reyes before lunch", "Send it to Doctor Reyes before lunch"],
            "changed": ["Send it to Mr. Reyes before lunch"],
        },
    ),
    (
        "term",
        "Krita",
        "open the poster in krita and crop it",
        {},
        {
            "retained": ["Open the poster in Krita and crop it", "Open the poster in K R I T A and crop it"],
            "changed": ["Open the poster in Critter and crop it", "Open the poster in Creta and crop it"],
            "omitted": ["open the poster and crop it"],
            "unresolved": ["Open the poster in Kreeta and crop it"],
        },
    ),
    (
        "term",
        "Sage",
        "paint the wall sage and the door plum",
        {},
        {
            "retained": ["Paint the wall sage and the door plumb"],
            "changed": ["Paint the wall page and the door plum"],
        },
    ),
    (
        "term",
        "plum",
        "paint the wall sage and the door plum",
        {},
        {
            "changed": ["Paint the wall sage and the door plump"],
            "unresolved": ["Paint the wall sage and the door plumb"],
        },
    ),
    (
        "term",
        "main",
        "switch to the branch main and pull",
        {},
        {
            "changed": ["switch to the branch mean and pull"],
            "omitted": ["switch to the branch and pull"],
            "unresolved": ["switch to the branch mane and pull", "switch to the branch maine and pull"],
        },
    ),
    (
        "term",
        "spell",
        "turn on the option spell in the editor",
        {},
        {
            "retained": ["turn on the option spell in the editor"],
            "changed": ["turn on the option shell in the editor", "turn on the option spelled in the editor"],
        },
    ),
    (
        "term",
        "Tess and Bo",
        "invite tess and bo to dinner",
        {},
        {
            "retained": ["Invite Tess & Bo to dinner"],
            "changed": ["Invite Tess to dinner", "Invite Jess and Bo to dinner"],
            "unresolved": ["Invite Tess and Beau to dinner"],
        },
    ),
    (
        "term",
        "Studio 2",
        "stream from studio two at noon",
        {},
        {
            "retained": ["Stream from Studio 2 at noon", "Stream from Studio Two at noon"],
            "changed": ["stream from studio ten at noon"],
            "unresolved": ["stream from studio to at noon"],
        },
    ),
    (
        "term",
        "Nora",
        "call nora about the keys",
        {},
        {
            "omitted": ["Call [inaudible] about the keys"],
            "unresolved": [
                "Call [inaudible: Nora or Cora] about the keys",
                "Call Nora or Cora about the keys",
                "Call Nora/Laura about the keys",
                "Call [Nora|Cora] about the keys",
            ],
        },
    ),
    (
        "term",
        "Maple & Sons",
        "order the oak from maple and sons today",
        {},
        {
            "retained": ["order the oak from Maple & Sons today", "order the oak from Maple and Sons today"],
            "changed": ["order the oak from Maples and Sons today"],
            "omitted": ["order the oak today"],
            "unresolved": ["order the oak from Maple and Suns today"],
        },
    ),
    (
        "term",
        "C++",
        "set the language to c plus plus in the form",
        {},
        {
            "retained": ["set the language to C++ in the form", "set the language to C plus plus in the form"],
            "changed": ["set the language to C in the form", "set the language to C# in the form"],
            "unresolved": ["set the language to see plus plus in the form"],
        },
    ),
    (
        "term",
        "Node.js",
        "install node dot j s on the server",
        {},
        {
            "retained": [
                "install Node.js on the server",
                "install node js on the server",
                "install nodejs on the server",
            ],
            "changed": ["install Node on the server"],
        },
    ),
    (
        "term",
        "SQL",
        "install the s q l plugin first",
        {},
        {
            "retained": ["install the SQL plugin first", "install the S.Q.L. plugin first"],
            "changed": ["install the SQ plugin first"],
            "omitted": ["install the plugin first"],
            "unresolved": ["install the sequel plugin first"],
        },
    ),
    (
        "term",
        "Visual Studio Code",
        "open it in visual studio code please",
        {},
        {
            "retained": ["open it in Visual Studio Code please"],
            "changed": [
                "open it in VS Code please",
                "open it in visual studio please",
                "open it in Visual Studio Coat please",
            ],
        },
    ),
    (
        "term",
        "LibreOffice",
        "open it in libre office please",
        {},
        {
            "retained": ["open it in LibreOffice please", "open it in Libre Office please"],
            "changed": ["open it in Libra Office please", "open it in OpenOffice please"],
        },
    ),
    (
        "term",
        "Ødegård",
        "send the keys to ødegård in the hall",
        {},
        {
            "retained": ["send the keys to Ødegård in the hall"],
            "unresolved": ["send the keys to Odegard in the hall"],
        },
    ),
    (
        "term",
        "Chloé",
        "send the keys to chloé in the hall",
        {},
        {
            "retained": ["send the keys to Chloé in the hall"],
        },
    ),
    (
        "term",
        "O'Brien",
        "ring o'brien after the match",
        {},
        {
            "retained": ["ring O'Brien after the match", "ring OBrien after the match", "ring O Brien after the match"],
            "changed": ["ring Bryan after the match"],
        },
    ),
    (
        "term",
        "Jean-Luc",
        "ring jean luc after the match",
        {},
        {
            "retained": [
                "ring Jean-Luc after the match",
                "ring Jean Luc after the match",
                "ring Jeanluc after the match",
            ],
            "changed": ["ring John Luke after the match"],
        },
    ),
    (
        "term",
        "Ravi",
        "share the deck with ravi but not with ravina",
        {},
        {
            "retained": ["share the deck with Ravi but not with Ravina", "share the deck with Ravi"],
            "changed": ["share the deck with Ravina but not with Ravi", "share the deck with Revi but not with Ravina"],
            "omitted": ["share the deck but not with Ravina"],
        },
    ),
    (
        "term",
        ["North", "South"],
        "compare north and south in one chart",
        {},
        {
            "retained": ["compare North and South in one chart", "compare South and North in one chart"],
            "changed": ["compare North and Mouth in one chart", "compare North in one chart"],
            "omitted": ["compare in one chart"],
        },
    ),
    (
        "term",
        "Wrenfield",
        "drive to wrenfield by the lake",
        {},
        {
            "retained": ["drive to Wren Field by the lake"],
            "changed": ["drive to Wrenfeld by the lake", "drive to Brentfield by the lake"],
            "unresolved": ["drive to Renfield by the lake"],
        },
    ),
    (
        "term",
        "Café Lumen",
        "meet at cafe lumen at six",
        {},
        {
            "retained": ["meet at Café Lumen at six"],
            "changed": ["meet at Café Luna at six"],
            "unresolved": ["meet at Café Loomen at six"],
        },
    ),
    (
        "term",
        "Bob",
        "lend the bike to bob on sunday",
        {},
        {
            "retained": ["lend the bike to Bob on Sunday"],
            "changed": ["lend the bike to Rob on Sunday", "lend the bike to bulb on Sunday"],
            "omitted": ["lend the bike on Sunday"],
            "unresolved": ["lend the bike to Bobb on Sunday"],
        },
    ),
    (
        "term",
        "Zoe Wright",
        "lend the bike to zoe wright on sunday",
        {},
        {
            "retained": ["lend the bike to Zoe Wright on Sunday"],
            "changed": [
                "lend the bike to Zoe on Sunday",
                "lend the bike to Zoe White on Sunday",
                "lend the bike to Joe Wright on Sunday",
            ],
            "unresolved": ["lend the bike to Zoey Right on Sunday"],
        },
    ),
    (
        "term",
        "Inkscape",
        "trace the logo in inkscape at once",
        {},
        {
            "retained": [
                "trace the logo in ink scape at once",
                "trace the logo in Inkscape at once",
                "trace the logo in InkScape at once",
            ],
            "changed": ["trace the logo in ink escape at once", "trace the logo in Inscape at once"],
        },
    ),
    (
        "term",
        "Hull",
        "sail from hull to esbjerg on friday",
        {},
        {
            "retained": ["sail from Hull to Esbjerg on Friday"],
            "changed": ["sail from Hall to Esbjerg on Friday", "sail from Esbjerg to Hull on Friday"],
            "omitted": ["sail to Esbjerg on Friday"],
            "unresolved": ["sail from Hul to Esbjerg on Friday"],
        },
    ),
    (
        "term",
        "tea",
        "put tea and rice on the list",
        {},
        {
            "retained": ["put tea and rice on the list"],
            "omitted": ["put and rice on the list"],
            "unresolved": [
                "put tee and rice on the list",
                "put T and rice on the list",
                "put [inaudible: tea or peas] and rice on the list",
            ],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
