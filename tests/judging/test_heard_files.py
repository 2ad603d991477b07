"""Paths, file names and flags as recognisers write them."""

from __future__ import annotations

import pytest

from tests.judging.policy import Row, by_label

FILES = ("archive/minutes_may.docx", "archive/minutes_june.docx", "plans/site-plan.pdf", "README.md", "a/logs-2.txt")

CASES: list[Row] = [
    (
        "filename",
        "notes.odt",
        "open notes dot o d t and print it",
        {},
        {
            "retained": [
                "open notes dot o dt and print it",
                "open notes.odt and print it",
                "Open notes.ODT and print it",
            ],
            "changed": ["open notes dot odd and print it", "open knots.odt and print it"],
            "omitted": ["open and print it"],
            "unresolved": ["open notes o d t and print it", "open notes and print it"],
        },
    ),
    (
        "filename",
        "week 3.csv",
        "import week space three dot c s v now",
        {},
        {
            "retained": ["import week 3.csv now", "import week three dot csv now"],
            "changed": ["import weak 3.csv now"],
            "unresolved": ["import week3.csv now", "import week_3.csv now"],
        },
    ),
    (
        "filename",
        "config.json",
        "edit config dot jason and reload",
        {},
        {
            "retained": [
                "edit config dot jason and reload",
                "edit config.json and reload",
                "edit config dot j son and reload",
                "Edit config .json and reload",
            ],
            "changed": ["edit config.jason and reload"],
        },
    ),
    (
        "path",
        "/srv/www/index.html",
        "serve slash s r v slash w w w slash index dot h t m l at night",
        {},
        {
            "retained": [
                "serve /srv/www/index.html at night",
                "serve /SRV/www/index.html at night",
                "serve slash srv slash www slash index.html at night",
            ],
            "changed": ["serve /srv/www/indexes.html at night", "serve /srv/index.html at night"],
            "omitted": ["serve at night"],
            "unresolved": ["serve srv www index html at night"],
        },
    ),
    (
        "flag",
        "--no-cache",
        "build with dash dash no cache and push",
        {},
        {
            "retained": [
                "build with --no-cache and push",
                "build with dash dash no cache and push",
                "build with —no-cache and push",
            ],
            "changed": ["build with --no-cash and push", "build with --cache and push"],
            "omitted": ["build and push", "build with and push"],
            "unresolved": [
                "build with no cache and push",
                "build with -no-cache and push",
                "build with --nocache and push",
            ],
        },
    ),
    (
        "flag",
        "-R",
        "copy it with dash capital r to the stick",
        {"case": "exact"},
        {
            "retained": ["copy it with -R to the stick", "copy it with dash capital r to the stick"],
            "changed": ["Copy it with -r to the stick"],
            "unresolved": ["copy it with -r to the stick", "copy it with dash r to the stick"],
        },
    ),
    (
        "filename",
        "report.pdf",
        "print report dot p d f in colour",
        {},
        {
            "omitted": ["Print [unclear] in colour"],
            "unresolved": ["Print [inaudible: report.pdf or reports.pdf] in colour"],
        },
    ),
    (
        "filename",
        "minutes_may.docx",
        "attach minutes underscore may dot doc x to the invite",
        {"files": FILES},
        {
            "retained": [
                "attach minutes may.docx to the invite",
                "attach minutes may to the invite",
                "attach minutes-may.docx to the invite",
            ],
            "changed": [
                "attach minutes_june.docx to the invite",
                "attach minutes_mai.docx to the invite",
                "attach minutes to the invite",
                "attach minutes_may.doc to the invite",
            ],
        },
    ),
    (
        "filename",
        "site-plan.pdf",
        "print site dash plan dot p d f on big paper",
        {"files": FILES},
        {
            "retained": [
                "print site plan.pdf on big paper",
                "print siteplan.pdf on big paper",
                "print site-plan on big paper",
            ],
            "changed": ["print sight-plan.pdf on big paper", "print site-plan.png on big paper"],
        },
    ),
    (
        "filename",
        "report-7.txt",
        "write it to report dash seven dot t x t at once",
        {"files": FILES},
        {
            "retained": ["write it to report-7.txt at once", "write it to report dash seven dot text at once"],
            "changed": ["write it to report-17.txt at once", "write it to report-7.text at once"],
            "unresolved": ["write it to report 7.txt at once", "write it to report7.txt at once"],
        },
    ),
    (
        "path",
        "~/music/live",
        "scan tilde slash music slash live for gaps",
        {},
        {
            "retained": ["scan ~/music/live for gaps"],
            "changed": ["scan ~/music for gaps", "scan ~/music/life for gaps"],
            "unresolved": ["scan /music/live for gaps", "scan tilde music live for gaps"],
        },
    ),
    (
        "path",
        "C:\\Users\\Ana",
        "back up c colon backslash users backslash ana today",
        {},
        {
            "retained": ["back up C:\\Users\\Ana today", "back up c colon backslash users backslash ana today"],
            "changed": ["back up C:\\Users\\Anna today"],
            "unresolved": ["back up C:/Users/Ana today"],
        },
    ),
    (
        "flag",
        "--max-depth",
        "list it with dash dash max depth three",
        {},
        {
            "retained": [
                "list it with --max-depth 3",
                "list it with --max depth 3",
                "list it with dash dash max dash depth three",
                "list it with – max-depth 3",
            ],
            "changed": ["list it with --min-depth 3", "list it with --max-death 3"],
            "unresolved": ["list it with --maxdepth 3", "list it with max depth three", "list it with -max-depth 3"],
        },
    ),
    (
        "flag",
        "-q",
        "start it with dash q in the shell",
        {},
        {
            "retained": ["start it with -q in the shell", "start it with minus q in the shell"],
            "changed": ["start it with -u in the shell"],
            "omitted": ["start it in the shell"],
            "unresolved": [
                "start it with dash queue in the shell",
                "start it with q in the shell",
                "start it with --q in the shell",
            ],
        },
    ),
    (
        "path",
        "/var/tmp/b",
        "clean slash var slash t m p slash b tonight",
        {},
        {
            "retained": ["clean /var/tmp/a, no, /var/tmp/b tonight"],
            "changed": ["clean /var/tmp/b, no, /var/tmp/a tonight", "clean /var/tmp/a tonight"],
            "unresolved": ["clean /var/tmp/a /var/tmp/b tonight"],
        },
    ),
    (
        "filename",
        "Makefile",
        "edit the capital m makefile in vim",
        {"case": "exact"},
        {
            "retained": ["edit the Makefile in vim"],
            "changed": ["Edit the makefile in vim"],
            "unresolved": ["edit the makefile in vim"],
        },
    ),
    (
        "flag",
        "-v",
        "call it with dash v and wait",
        {},
        {
            "retained": [
                "call it with -v and wait",
                "call it with dash v and wait",
                "call it with minus V and wait",
                "call it with dash vee and wait",
            ],
            "changed": ["call it with dash b and wait"],
            "omitted": ["call it and wait"],
            "unresolved": ["call it with v and wait", "call it with --v and wait"],
        },
    ),
    (
        "flag",
        "--color=always",
        "print with dash dash color equals always to the log",
        {},
        {
            "retained": ["print with --color=always to the log"],
            "changed": ["print with --colour=always to the log", "print with --color=auto to the log"],
            "unresolved": ["print with --color always to the log", "print with -color=always to the log"],
        },
    ),
    (
        "path",
        "/etc/hosts.allow",
        "append it to slash e t c slash hosts dot allow please",
        {},
        {
            "retained": ["append it to /etc/hosts.allow please"],
            "changed": [
                "append it to /etc/host.allow please",
                "append it to /etc/hosts.aloud please",
                "append it to slash etsy slash hosts dot allow please",
            ],
            "unresolved": ["append it to etc/hosts.allow please", "append it to /etc/hosts allow please"],
        },
    ),
    (
        "filename",
        "todo",
        "save it as todo in the folder",
        {},
        {
            "retained": ["save it as todo in the folder"],
            "changed": ["save it as toodle in the folder"],
            "unresolved": ["save it as to do in the folder"],
        },
    ),
    (
        "filename",
        "data.v2.csv",
        "load data dot v two dot c s v in the sheet",
        {},
        {
            "retained": ["load data.v2.csv in the sheet"],
            "changed": [
                "load data.v3.csv in the sheet",
                "load data.v2.tsv in the sheet",
                "load data.v to.csv in the sheet",
            ],
            "unresolved": ["load data v2.csv in the sheet", "load datav2.csv in the sheet"],
        },
    ),
]


@pytest.mark.parametrize("row", CASES, ids=lambda row: f"{row[0]} {row[1]}")
def test_labels(row: Row) -> None:
    assert by_label(row) == row[-1]
