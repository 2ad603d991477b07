from __future__ import annotations

import os
import random
import string
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_talk2agent.tasks import sniff
from pytest_talk2agent.tasks.errors import TaskFileError
from pytest_talk2agent.tasks.loader import TASK_KEYS, load_tasks
from pytest_talk2agent.tasks.sniff import STEPS, classify
from tests.conftest import TASKS as TWO_TASKS
from tests.tasks.foreign_yaml import FOREIGN

ROOT = Path(__file__).parents[2]
SHIPPED = [
    path
    for folder in ("fixtures_audio", "suites")
    for path in sorted((ROOT / folder).rglob("*.yaml"))
    if "workflows" not in path.parts
]
TASK = """\
id: net/port
tags: [net]
instruction: Set the port to 8080.
intentions:
  port: {say: "8080", kind: number}
value: port
"""
TASKS = {
    "block": TASK,
    "keys in another order": "value: a\nintentions:\n  a: {say: b}\nid: a\ninstruction: b\n",
    "quoted keys": "'id': a\n\"instruction\" : b\n'intentions':\n  a: {say: b}\n\"value\": a\n",
    "flow": "{id: a, instruction: b, intentions: {c: {say: d}}, value: c}",
    "flow, quoted": '---\n{"id": "a",\n "instruction": "b, {c}",\n "intentions": {"c": {"say": "d"}}, "value": "c"}\n',
    "after a header": "suite: {name: a}\n---\n" + TASK,
    "after an empty document": "---\n# nothing\n---\n" + TASK,
    "start of the document on the line": "--- # a task\n" + TASK,
    "no value on the line": "id:\n  a\ninstruction:\n  b\nintentions:\n  a:\n    say: b\nvalue:\n  a\n",
    "after comments": "# a file\n\n%YAML 1.2\n---\n" + TASK,
    "after many comments": f"# {'words ' * 5000}\n" + TASK,
    "byte order mark": "\ufeff" + TASK,
    "indented": "".join(f"  {line}\n" for line in TASK.splitlines()),
    "CRLF": TASK.replace("\n", "\r\n"),
    "CR": TASK.replace("\n", "\r"),
    "explicit keys": "? id\n: a\n? instruction\n: b\n? intentions\n: {a: {say: b}}\n? value\n: a\n",
    "long text first": f"instruction: >\n{'  many words' * 9000}\n"
    + TASK.replace("instruction: Set the port to 8080.\n", ""),
    "words of a checkout": "id: a\nintentions: {a: {say: b}}\nvalue: a\nsource: {task: c, prompt_sha256: ab}\n",
    "without a value": "id: a\ninstruction: b\nintentions:\n  a: {say: b}\n",
    "without an id": "instruction: b\nintentions:\n  a: {say: b}\n",
    "intentions alone": "intentions:\n  a: {say: b}\n",
    "an unknown key": "description: a task\n" + TASK,
    "intentions as a list": "id: a\ninstruction: b\nintentions:\n- say: c\nvalue: c\n",
    "a tab": TASK.replace("  port:", "\tport:"),
}
MISSPELT = TASK.replace("instruction", "instrction").replace("intentions", "Intentions")
BROKEN = {
    "UTF-16": TASK.encode("utf-16"),
    "UTF-16, little end, no mark": TASK.encode("utf-16-le"),
    "UTF-16, big end, no mark": TASK.encode("utf-16-be"),
    "UTF-16 with a header": ("suite: {name: a}\n---\n" + TASK).encode("utf-16"),
    "UTF-16, CRLF": TASK.replace("\n", "\r\n").encode("utf-16"),
    "UTF-32": TASK.encode("utf-32"),
    "UTF-32, little end, no mark": TASK.encode("utf-32-le"),
    "UTF-32, big end, no mark": TASK.encode("utf-32-be"),
    "UTF-16, both keys misspelt": MISSPELT.encode("utf-16"),
    "NUL in a key": TASK.replace("instr", "ins\0tr").encode(),
    "NUL in a text": TASK.replace("port to", "port\0to").encode(),
    "zeros at the end": TASK.encode() + b"\0" * 4096,
    "both misspelt": MISSPELT.encode(),
    "both misspelt, one": TASK.replace("instruction", "instructions").replace("intentions", "intention").encode(),
    "swapped letters": TASK.replace("instruction", "insturction").replace("intentions", "intnetions").encode(),
    "both misspelt, in flow style": b'{id: a, Instruction: b, intention: {c: {say: d}}, value: c}',
    "all four misspelt": b"ids: a\nintruction: b\nintentoins:\n  c: {say: d}\nvalues: c\n",
    "one missing, one misspelt": b"id: a\ninstructon: b\nvalue: c\nfixed: {c: {}}\n",
    "intentions under another name": b"id: a\ninstruction: b\nintents:\n  c: {say: d}\nvalue: c\n",
    "cut after the instruction": b"id: a\ninstruction: Set the po",
    "cut in a key": b"id: net/port\ninstru",
    "cut after the key": b"id: net/port\ninstruction:",
    "cut before the intentions": b"id: a\ntags: [x]\ninstruction: >\n  Set it.\nscript: Set it.\ninten",
    "cut in the second document": b"suite: {name: net, tags: [net]}\n---\nid: net/po",
    "cut after the header": b"suite: {name: net, tags: [net]}\n---\n",
    "cut before the words of a checkout": b"id: a\nsource:\n  benchmark: osworld\n  prompt_sha256: 23ab",
    "cut in a list of intentions": b"intentions: [\n",
    "the beginning is lost": b"nstruction: Set it.\nintentions:\n  a: {say: it}\nvalue: a\nscript: b\n",
    "both with a colon of another script": TASK.replace("instruction:", "instruction\uff1a").encode()
    .replace(b"intentions:", b"intentions\xef\xbc\x9a") + b"script: a\nrecordings: []\n",
    "a list": ("- " + TASK.replace("\n", "\n  ")).encode(),
    "an indented list after a comment": ("# two\n  - " + TASK.replace("\n", "\n    ")).encode(),
    "a list in JSON": b'[\n {"id": "a", "instruction": "b", "intentions": {"c": {"say": "d"}}, "value": "c"}]',
    "below a key": ("task:\n  " + TASK.replace("\n", "\n  ")).encode(),
    "below a key, far in": ("Tasks:\n      " + TASK.replace("\n", "\n      ")).encode(),
    "below two keys": ("suite:\n  tasks:\n    " + TASK.replace("\n", "\n    ")).encode(),
    "a list below a key": ("tasks:\n- " + TASK.replace("\n", "\n  ")).encode(),
    "an indented list below a key": ("tasks:\n  # the first\n  - " + TASK.replace("\n", "\n    ")).encode(),
    "a list below a key, in JSON": b'{"tasks": [{"id": "a", "instruction": "b", "intentions": {"c": {"say": "d"}}}]}',
    "below a key in JSON": b'{"task": {"id": "a", "instruction": "b", "intentions": {"c": {"say": "d"}}}}',
    "tabs": b"\tid: a\n\tinstruction: b\n",
}  # fmt: skip


def write(folder: Path, data: bytes) -> Path:
    path = folder / "file.yaml"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("text", TASKS.values(), ids=TASKS)
def test_a_task_file_is_seen(tmp_path: Path, text: str) -> None:
    assert classify(write(tmp_path, text.encode())) == "tasks"


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_a_shipped_file_is_seen(path: Path) -> None:
    assert classify(path) == "tasks"


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN)
def test_a_file_that_is_meant_to_be_ours_is_claimed_and_the_loader_says_why(tmp_path: Path, data: bytes) -> None:
    path = write(tmp_path, data)
    assert classify(path) != "other"
    with pytest.raises(TaskFileError, match=r"file\.yaml:\d"):
        load_tasks(path)


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN)
def test_another_file_is_left_alone(tmp_path: Path, text: str) -> None:
    assert classify(write(tmp_path, text.encode("latin-1"))) == "other"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@pytest.mark.parametrize("path", SHIPPED[::9], ids=lambda path: path.stem)
def test_a_shipped_file_in_another_encoding_is_broken(tmp_path: Path, path: Path, encoding: str) -> None:
    wide = write(tmp_path, path.read_text(encoding="utf-8").encode(encoding))
    assert classify(wide) == "broken"
    name = encoding[:6].upper()
    with pytest.raises(TaskFileError, match=rf"file\.yaml:1:1: is {name}; save it as UTF-8$"):
        load_tasks(wide)


def test_a_file_that_was_cut_anywhere_is_ours(tmp_path: Path) -> None:
    text = TWO_TASKS.encode()
    shortest = text.index(b"\nins") + 4
    assert {classify(write(tmp_path, text[:end])) for end in range(shortest, len(text))} == {"tasks", "broken"}


@pytest.mark.parametrize("seed", range(200))
def test_one_wrong_letter_in_both_keys_hides_nothing(tmp_path: Path, seed: int) -> None:
    draw = random.Random(seed)

    def misspelt(word: str) -> str:
        place, letter = draw.randrange(len(word)), draw.choice(string.ascii_letters)
        swapped = word[:place] + word[place : place + 2][::-1] + word[place + 2 :]
        return draw.choice(
            [
                *(word[:place] + word[place + 1 :], word[:place] + letter + word[place:], swapped),
                *(word[:place] + letter + word[place + 1 :], word.upper(), word.title()),
            ]
        )

    text = TASK.replace("instruction", misspelt("instruction")).replace("intentions", misspelt("intentions"))
    assert classify(write(tmp_path, text.encode())) in ("tasks", "broken")


def test_every_key_of_a_task_is_known_and_no_other() -> None:
    assert set(TASK_KEYS) == sniff._KNOWN


def test_misspelt_keys_are_named(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError) as caught:
        load_tasks(write(tmp_path, BROKEN["both misspelt"]))
    shown = str(caught.value)
    assert ":3:1: unknown key `instrction`; did you mean `instruction`?\n" in shown
    assert ":4:1: unknown key `Intentions`; did you mean `intentions`?" in shown


def test_keys_in_capitals_are_named(tmp_path: Path) -> None:
    with pytest.raises(TaskFileError, match="unknown key `INSTRUCTION`; did you mean `instruction`"):
        load_tasks(write(tmp_path, TASK.upper().encode()))


class TestWhatIsNoFile:
    def test_missing(self, tmp_path: Path) -> None:
        assert classify(tmp_path / "no.yaml") == "other"
        assert classify(tmp_path / ("x" * 5000)) == "other"

    def test_a_folder(self, tmp_path: Path) -> None:
        assert classify(tmp_path) == "other"

    def test_a_pipe_is_not_waited_for(self, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.yaml")
        assert classify(tmp_path / "pipe.yaml") == "other"

    def test_an_endless_device(self, tmp_path: Path) -> None:
        (tmp_path / "zero.yaml").symlink_to("/dev/zero")
        assert classify(tmp_path / "zero.yaml") == "other"

    def test_a_link_to_itself(self, tmp_path: Path) -> None:
        (tmp_path / "loop.yaml").symlink_to(tmp_path / "loop.yaml")
        assert classify(tmp_path / "loop.yaml") == "other"


class TestHowFarItLooks:
    """Counted in bytes that were read, since time says little on a busy machine."""

    @pytest.fixture
    def read(self, monkeypatch: pytest.MonkeyPatch) -> list[int]:
        asked: list[int] = []
        real = os.read

        def counting(descriptor: int, size: int) -> bytes:
            asked.append(size)
            return real(descriptor, size)

        monkeypatch.setattr(os, "read", counting)
        return asked

    def test_the_head_of_a_cassette(self, tmp_path: Path, read: list[int]) -> None:
        body = "- request: {body: 'instruction: x, intentions: y'}\n  response: {status: 200}\n"
        path = write(tmp_path, b"interactions:\n" + body.encode() * 20_000)
        assert classify(path) == "other"
        assert sum(read) == STEPS[0]

    def test_the_head_of_a_document_of_another_program_in_json(self, tmp_path: Path, read: list[int]) -> None:
        path = write(tmp_path, b'{"rows": [' + b'{"instruction": "a", "id": 3},' * 90_000 + b"{}]}")
        assert classify(path) == "other"
        assert sum(read) == STEPS[0]

    def test_no_more_than_the_last_step_of_what_may_be_ours(self, tmp_path: Path, read: list[int]) -> None:
        path = write(tmp_path, b"id: a\ninstruction: >\n" + b"  words\n" * 500_000)
        assert classify(path) == "broken"
        assert sum(read) == STEPS[-1]


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "{",
            "instruction",
            "---\n",
            " ",
            "instruction ",
            "{instruction ",
            "\n",
            "\n---\n instruction\n",
            "\t",
            "a:\n",
        ),
        *("intentions: ", "suite: {}\n---\n", '"', "'", "? ", "id: a\n", "\\", "&a ", "#", "\r", "- ", "\0i", "[", ":"),
    ],
)
def test_a_hostile_file_takes_no_time(tmp_path: Path, piece: str) -> None:
    path = write(tmp_path, b"id: a\ninstruction: " + piece.encode() * (2_000_000 // len(piece)))
    start = time.process_time()
    classify(path)
    assert time.process_time() - start < 4


def test_it_imports_the_standard_library_only() -> None:
    heavy = "sorted({'yaml', 'pydantic', 'numpy', 'asyncio'} & set(sys.modules))"
    code = f"import sys; import pytest_talk2agent.tasks.sniff; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
