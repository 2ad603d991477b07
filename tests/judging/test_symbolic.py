from __future__ import annotations

import pytest

from tests.judging.policy import label_of

PATH = "copy it to slash srv slash archive slash two zero two four and stop"
NOTES = "open report underscore final dot doc x and print it"
FLAG = "run it with dash dash dry run and then wait"
URL = "open h t t p s colon slash slash status dot example dot com slash live and wait"
EMAIL = "write to amy dot lee at example dot com about the roof"
NAME = "rename the function camel case get user name in the file"
SNAKE = "create the table get underscore user underscore name in the base"
CODE = "close ticket b r dash one zero four seven today"
VERSION = "install version two point ten point one today"


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("copy it to /srv/archive/2024 and stop", "retained"),
        ("Copy it to /srv slash archive/2024, and stop.", "retained"),
        ("copy it to slash srv slash archive slash twenty twenty four and stop", "retained"),
        ("copy it to slash s r v slash archive slash 2024 and stop", "retained"),
        ("copy it to forward slash SRV forward slash archive forward slash 2024 and stop", "retained"),
        ("copy it to sierra romeo victor and stop", "changed"),
        ("copy it to /srv/archive/2025 and stop", "changed"),
        ("copy it to /srv/archives/2024 and stop", "changed"),
        ("copy it to /srv/archive/2024/old and stop", "changed"),
        ("copy it to /mnt/srv/archive/2024 and stop", "changed"),
        ("copy it to /srv/archive and stop", "changed"),
        ("copy it to srv archive 2024 and stop", "unresolved"),
        ("copy it to srv/archive/2024 and stop", "unresolved"),
        ("copy it to \\srv\\archive\\2024 and stop", "unresolved"),
        ("copy it to and stop", "omitted"),
    ],
)
def test_path(transcript: str, label: str) -> None:
    assert label_of("/srv/archive/2024", "path", PATH, transcript) == label


@pytest.mark.parametrize(
    ("transcript", "files", "label"),
    [
        ("open report_final.docx and print it", (), "retained"),
        ("open report underscore final dot docx and print it", (), "retained"),
        ("open Report_Final.DOCX and print it", (), "retained"),
        ("open report final.docx and print it", (), "unresolved"),
        ("open report-final.docx and print it", (), "unresolved"),
        ("open reportfinal.docx and print it", (), "unresolved"),
        ("open report final and print it", (), "unresolved"),
        ("open report final.docx and print it", ("a/report_final.docx", "b.txt"), "retained"),
        ("open report final and print it", ("a/report_final.docx", "b.txt"), "retained"),
        ("open report final.docx and print it", ("report_final.docx", "report-final.docx"), "unresolved"),
        ("open report final.docx and print it", ("report-final.docx",), "unresolved"),
        ("open report_final.doc and print it", ("report_final.docx",), "changed"),
        ("open report_finals.docx and print it", ("report_final.docx",), "changed"),
        ("open old_report_final.docx and print it", (), "changed"),
        ("open report_final.docx.bak and print it", (), "changed"),
        ("open and print it", (), "omitted"),
    ],
)
def test_filename(transcript: str, files: tuple[str, ...], label: str) -> None:
    assert label_of("report_final.docx", "filename", NOTES, transcript, files) == label


@pytest.mark.parametrize(
    ("say", "heard", "label"),
    [
        ("data.json", "data dot jason", "retained"),
        ("main.py", "main dot pie", "retained"),
        ("list.txt", "list dot text", "retained"),
        ("list.txt", "list.text", "changed"),
        ("photo.jpg", "photo dot jay peg", "retained"),
        ("photo.jpg", "photo dot jpeg", "retained"),
        ("photo.jpg", "photo.jpeg", "changed"),
        ("letter.docx", "letter dot doc x", "retained"),
        ("changelog.md", "change log.md", "unresolved"),
        ("change_log.md", "changelog.md", "unresolved"),
        ("budget2026.xlsx", "budget 2026.xlsx", "unresolved"),
        ("sale.txt", "sail.txt", "changed"),
        ("archive.tar.gz", "archive dot tar", "changed"),
        ("archive.tar.gz", "archive dot tar dot g z", "retained"),
        (".nvmrc", "dot n v m r c", "retained"),
    ],
)
def test_extensions_and_separators(say: str, heard: str, label: str) -> None:
    spoken = " ".join({"_": "underscore", ".": "dot"}.get(part, part) for part in say.replace(".", " . ").split())
    script = f"please open {spoken.replace('_', ' underscore ')} for me"
    assert label_of(say, "filename", script, f"please open {heard} for me") == label


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("run it with --dry-run and then wait", "retained"),
        ("run it with dash dash dry dash run and then wait", "retained"),
        ("run it with double dash dry run and then wait", "retained"),
        ("run it with minus minus dry run and then wait", "retained"),
        ("run it with —dry-run and then wait", "retained"),
        ("run it with –dry-run and then wait", "retained"),
        ("run it with --dryrun and then wait", "unresolved"),
        ("run it with -dry-run and then wait", "unresolved"),
        ("run it with dash dry run and then wait", "unresolved"),
        ("run it with dry run and then wait", "unresolved"),
        ("run it with --dry-runs and then wait", "changed"),
        ("run it with --try-run and then wait", "changed"),
        ("run it with and then wait", "omitted"),
    ],
)
def test_flag(transcript: str, label: str) -> None:
    assert label_of("--dry-run", "flag", FLAG, transcript) == label


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("Change it with -R now", "retained"),
        ("change it with dash capital r now", "retained"),
        ("Change it with -r now", "changed"),
        ("change it with -r now", "unresolved"),
        ("change it with r now", "unresolved"),
        ("Change it with -v now", "changed"),
    ],
)
def test_flag_with_exact_case(transcript: str, label: str) -> None:
    assert label_of("-R", "flag", "change it with dash capital r now", transcript, case="exact") == label


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("open https://status.example.com/live and wait", "retained"),
        ("open status.example.com/live. And wait", "retained"),
        ("open status dot example dot com slash live and wait", "retained"),
        ("open status.example.com slash live and wait", "retained"),
        ("open https slash slash status dot example dot com slash live and wait", "retained"),
        ("open status.example.com/live/ and wait", "retained"),
        ("open www.status.example.com/live and wait", "unresolved"),
        ("open status example com live and wait", "unresolved"),
        ("open status.example.org/live and wait", "changed"),
        ("open status.example.com and wait", "changed"),
        ("open status.example.com/life and wait", "changed"),
        ("open status.example.com:8080/live and wait", "changed"),
        ("open status.example.com/live?v=2 and wait", "changed"),
        ("open statusexample.com/live and wait", "changed"),
        ("open and wait", "omitted"),
    ],
)
def test_url(transcript: str, label: str) -> None:
    assert label_of("https://status.example.com/live", "url", URL, transcript) == label


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("ping 10.0.12.1 now", "retained"),
        ("ping ten dot zero dot twelve dot one now", "retained"),
        ("ping 10.0.121 now", "changed"),
        ("ping 10.0.12.11 now", "changed"),
        ("ping 10.0.12 now", "changed"),
    ],
)
def test_network_address(transcript: str, label: str) -> None:
    assert label_of("10.0.12.1", "url", "ping ten dot zero dot twelve dot one now", transcript) == label


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("write to amy.lee@example.com about the roof", "retained"),
        ("write to amy dot lee at example.com about the roof", "retained"),
        ("write to amy lee at example dot com about the roof", "unresolved"),
        ("write to amy lee example com about the roof", "unresolved"),
        ("write to amylee@example.com about the roof", "changed"),
        ("write to amy.leigh@example.com about the roof", "changed"),
        ("write to amy.lee@example.org about the roof", "changed"),
        ("write to j.amy.lee@example.com about the roof", "changed"),
        ("write to about the roof", "omitted"),
    ],
)
def test_email(transcript: str, label: str) -> None:
    assert label_of("amy.lee@example.com", "email", EMAIL, transcript) == label


def test_at_in_prose_is_no_address() -> None:
    script = "since at two dot me it broke write to desk at relay dot example dot com"
    assert label_of("desk@relay.example.com", "email", script, "since at two dot me it broke write to") == "omitted"


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("rename the function getUserName in the file", "retained"),
        ("rename the function camel case get user name in the file", "retained"),
        ("rename the function get user name in the file", "unresolved"),
        ("rename the function getusername in the file", "unresolved"),
        ("rename the function get_user_name in the file", "changed"),
        ("rename the function getUsersName in the file", "changed"),
        ("rename the function in the file", "omitted"),
    ],
)
def test_camel_case(transcript: str, label: str) -> None:
    assert label_of("getUserName", "identifier", NAME, transcript) == label


@pytest.mark.parametrize(
    ("transcript", "style", "label"),
    [
        ("create the table get_user_name in the base", "exact", "retained"),
        ("create the table get underscore user_name in the base", "exact", "retained"),
        ("create the table snake case get user name in the base", "exact", "retained"),
        ("create the table get user name in the base", "exact", "unresolved"),
        ("create the table getusername in the base", "exact", "unresolved"),
        ("create the table getUserName in the base", "exact", "changed"),
        ("create the table get-user-name in the base", "exact", "changed"),
        ("create the table get user name in the base", "any", "retained"),
        ("create the table get-user-name in the base", "any", "retained"),
        ("create the table get user games in the base", "any", "changed"),
    ],
)
def test_snake_case(transcript: str, style: str, label: str) -> None:
    assert label_of("get_user_name", "identifier", SNAKE, transcript, style=style) == label


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("close ticket BR-1047 today", "retained"),
        ("close ticket BR1047 today", "retained"),
        ("close ticket br ten forty seven today", "retained"),
        ("close ticket bravo romeo one zero four seven today", "retained"),
        ("close ticket BR-1074 today", "changed"),
        ("close ticket BR-147 today", "changed"),
        ("close ticket BR-10475 today", "changed"),
        ("close ticket P R dash one zero four seven today", "changed"),
        ("close ticket b r dash one o four seven today", "unresolved"),
        ("close ticket BR-1O47 today", "unresolved"),
        ("close ticket today", "omitted"),
    ],
)
def test_code(transcript: str, label: str) -> None:
    assert label_of("BR-1047", "code", CODE, transcript) == label


def test_oh_among_digits_is_zero() -> None:
    assert label_of("4071", "code", "the pin is four zero seven one", "the pin is four oh seven one") == "retained"


def test_leading_zeros_belong_to_a_code() -> None:
    script = "the pin is zero zero four two"
    assert label_of("0042", "code", script, "the pin is double oh four two") == "retained"
    assert label_of("0042", "code", script, "the pin is 42") == "changed"


def test_exact_case_of_a_code() -> None:
    script = "use the password quill seven seven"
    assert label_of("Quill77", "code", script, "Use the password Quill77.", case="exact") == "retained"
    assert label_of("Quill77", "code", script, "use the password quill77", case="exact") == "unresolved"
    assert label_of("Quill77", "code", script, "Use the password quill77.", case="exact") == "changed"


@pytest.mark.parametrize(
    ("transcript", "label"),
    [
        ("install version 2.10.1 today", "retained"),
        ("install v2.10.1 today", "retained"),
        ("install version two dot one zero dot one today", "retained"),
        ("install version 2 10 1 today", "unresolved"),
        ("install version 2.1 today", "changed"),
        ("install version 2.101 today", "changed"),
        ("install version 2.1.1 today", "changed"),
        ("install version 2.10.1.4 today", "changed"),
        ("install version 2.10.11 today", "changed"),
        ("install version today", "omitted"),
    ],
)
def test_version(transcript: str, label: str) -> None:
    assert label_of("2.10.1", "version", VERSION, transcript) == label


def test_letters_are_spelled_one_by_one() -> None:
    script = "open cards dot example dot org slash tea now"
    assert label_of("cards.example.org/tea", "url", script, "open cards.example.o.rg/tea now") == "changed"
    assert label_of("cards.example.org/tea", "url", script, "open cards.example.or.g/tea now") == "changed"
    assert label_of("tea.csv", "filename", "open tea dot c s v now", "open tea.C.S.V. now") == "retained"


KINDS = ["term", "text", "choice", "code", "identifier"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("say", "said", "heard", "label"),
    [
        (">", '">"', '">"', "retained"),
        (">", '">"', ">", "retained"),
        (">", '">"', "greater than", "retained"),
        (">", '">"', "greater than sign", "retained"),
        (">", "greater than sign", ">", "retained"),
        (">", '">"', "less than", "changed"),
        (">", '">"', '"<"', "changed"),
        (">", '">"', '">="', "changed"),
        (">", '">"', "", "omitted"),
        ("#", "#", "#", "retained"),
        ("#", "#", "hash", "retained"),
        ("#", "hash", "a hash sign", "retained"),
        ("#", "#", "ash", "changed"),
        ("#", "#", "C#", "changed"),
        ("√", "√", "√", "retained"),
        ("√", "√", "the square root sign", "retained"),
        ("√", "√", "✓", "changed"),
        ("√", "√", "", "omitted"),
        (",", '","', '","', "retained"),
        (",", '","', "comma", "retained"),
        (",", '","', '";"', "changed"),
        (",", '","', "semicolon", "changed"),
        ("***", "***", "***", "retained"),
        ("***", "***", "star star star", "retained"),
        ("***", "***", "**", "changed"),
        ("->", "->", "dash greater than", "retained"),
        ("->", "->", "-", "changed"),
        ("@", "@", "at sign", "retained"),
        ("—", "—", "—", "retained"),
    ],
)
def test_symbols(kind: str, say: str, said: str, heard: str, label: str) -> None:
    script, transcript = f"put {said} before every line of it", f"put {heard} before every line of it"
    assert label_of(say, kind, script, transcript) == label


def test_a_preposition_is_no_symbol() -> None:
    assert label_of("@", "term", "set the @ sign at the top", "set the sign at the top") == "omitted"


def test_an_option_that_is_another_symbol_is_changed() -> None:
    script = "sort it with > between the rows"
    assert label_of(">", "choice", script, "sort it with < between the rows", options=[">", "<"]) == "changed"


def test_commas_of_a_quoted_list_are_no_symbols() -> None:
    script = 'separate "oak","ash" and "elm" by "," alone'
    assert label_of(",", "text", script, script) == "retained"
    assert label_of(",", "text", script, 'separate "oak","ash" and "elm" by alone') == "omitted"
