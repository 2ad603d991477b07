from __future__ import annotations

import hashlib
import importlib
import sys
from pathlib import Path

import pytest

from pytest_talk2agent.interfaces.local.python import PythonInterface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import (
    Hypothesis,
    InterfaceError,
    TranscriptionError,
    Utterance,
)
from tests.interfaces.recordings import fingerprint

MODULE = """
from pytest_talk2agent.interfaces.utterance import Hypothesis, TranscriptionError

def upper(batch):
    return [utterance.script.upper() for utterance in batch]

def mixed(batch):
    return [Hypothesis("a", {"score": 1}), TranscriptionError("too quiet")]

def picky(batch):
    if any(utterance.take == "bad" for utterance in batch):
        raise ValueError("cannot\\nhear")
    return upper(batch)

def exiting(batch):
    if any(utterance.take == "bad" for utterance in batch):
        raise SystemExit(0)
    return upper(batch)

class Mute(Exception):
    def __str__(self):
        raise OSError("no words")

def wordless(batch):
    if any(utterance.take == "bad" for utterance in batch):
        raise Mute
    return upper(batch)

def short(batch):
    return []

def nothing(batch):
    return None

def text(batch):
    return "said"

def numbers(batch):
    return [1 for _ in batch]

class Model:
    batch_size = 8

    def __init__(self):
        self.calls = 0

    def identity(self):
        return {"weights": "abc", "name": "ignored"}

    def transcribe(self, batch):
        self.calls += 1
        return [f"{self.calls} {len(batch)}" for _ in batch]

class Long:
    def transcribe(self, batch):
        return ["a" * 100_000 if utterance.take == "a" else "b" * 100_001 for utterance in batch]

class Wordy:
    def identity(self):
        return {"weights": "x" * 100_000}

    def transcribe(self, batch):
        return upper(batch)

class Odd(list):
    def __len__(self):
        raise OSError("no length")

class Text(str):
    def __len__(self):
        return -1

    def __str__(self):
        raise OSError("no text")

def lengthless(batch):
    return Odd(["a"])

def own_texts(batch):
    return [Text(utterance.script) for utterance in batch]

class Failing:
    def __init__(self):
        raise OSError("no weights")

class Unready:
    def check(self):
        raise RuntimeError("no GPU")

    def transcribe(self, batch):
        return upper(batch)

class Holder:
    inner = Model()

upper.batch_size = 4
picky.batch_size = 0
constant = 7
"""


@pytest.fixture(autouse=True)
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "my_asr"
    package.mkdir()
    (package / "__init__.py").write_text("import my_asr_marker_that_is_missing\n")
    (tmp_path / "my_model.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "my_model", raising=False)
    importlib.invalidate_caches()
    return tmp_path / "my_model.py"


def python(target: str, options: str = "") -> PythonInterface:
    return PythonInterface(parse_spec(f"python{options}:{target}"))


BATCH = [Utterance("t", "a", "", "copy it"), Utterance("t", "bad", "", "move it")]


def test_a_function() -> None:
    interface = python("my_model:upper")
    interface.check()
    assert interface.transcribe(BATCH) == [Hypothesis("COPY IT"), Hypothesis("MOVE IT")]
    assert interface.batch_size == 4


def test_hypotheses_and_errors_are_passed_on() -> None:
    first, second = python("my_model:mixed").transcribe(BATCH)
    assert first == Hypothesis("a", {"score": 1})
    assert isinstance(second, TranscriptionError)


def test_a_class_is_made_once() -> None:
    interface = python("my_model:Model")
    assert interface.transcribe(BATCH) == [Hypothesis("1 2"), Hypothesis("1 2")]
    assert interface.transcribe(BATCH[:1]) == [Hypothesis("2 1")]
    assert interface.batch_size == 8
    assert python("my_model:Holder.inner").transcribe(BATCH[:1]) == [Hypothesis("1 1")]


def test_an_identity_that_no_record_should_hold_is_refused() -> None:
    with pytest.raises(InterfaceError, match=r"identity\(\) has 100007 characters; at most 100000 are taken"):
        python("my_model:Wordy").identity()


def test_a_class_is_not_made_to_name_it() -> None:
    assert python("my_model:Failing").identity()["target"] == "my_model:Failing"


@pytest.mark.parametrize(
    ("name", "fault"), [("picky", "ValueError: cannot hear"), ("exiting", "SystemExit: 0"), ("wordless", "Mute")]
)
def test_an_exception_is_the_error_of_its_utterance(name: str, fault: str) -> None:
    first, second = python(f"my_model:{name}").transcribe(BATCH)
    assert first == Hypothesis("COPY IT")
    assert isinstance(second, TranscriptionError)
    assert str(second) == f"task 't', take 'bad': {fault}"


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("constant", r"is no function and has no transcribe\(\)"),
        ("missing", "cannot be imported: AttributeError: module 'my_model' has no attribute 'missing'"),
        ("Failing", "cannot be used: OSError: no weights"),
        ("Unready", "cannot be used: RuntimeError: no GPU"),
    ],
)
def test_what_is_no_recogniser_says_so(name: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=f"python:my_model:{name}.* ?{fault}"):
        python(f"my_model:{name}").transcribe(BATCH)


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("short", "returned 0 transcripts for 2 utterances; return as many"),
        ("nothing", "returned NoneType; return a list, one transcript an utterance"),
        ("text", "returned str; return a list, one transcript an utterance"),
        ("numbers", "returned a int as a transcript; return str or Hypothesis"),
    ],
)
def test_what_is_no_transcript_is_the_error_of_its_utterances(name: str, fault: str) -> None:
    found = python(f"my_model:{name}").transcribe(BATCH)
    assert [str(one) for one in found] == [f"python:my_model:{name} {fault}"] * len(BATCH)


def test_what_cannot_be_looked_at_is_the_error_of_its_utterances() -> None:
    found = python("my_model:lengthless").transcribe(BATCH)
    assert [str(one) for one in found] == [f"task 't', take {u.take!r}: OSError: no length" for u in BATCH]


def test_a_text_of_a_class_of_ones_own_is_a_plain_text() -> None:
    found = python("my_model:own_texts").transcribe(BATCH)
    assert found == [Hypothesis("copy it"), Hypothesis("move it")]
    assert [type(one.text) for one in found if isinstance(one, Hypothesis)] == [str, str]


def test_a_batch_size_must_be_a_size() -> None:
    with pytest.raises(InterfaceError, match="batch_size must be a whole number from 1 up, not 0"):
        _ = python("my_model:picky").batch_size


@pytest.mark.parametrize("target", ["my_model", "my_model:", ":upper", "my-model:upper", "my_model:upper()"])
def test_the_form_is_checked(target: str) -> None:
    with pytest.raises(InterfaceError, match=r"write python:package\.module:function"):
        python(target)


@pytest.mark.parametrize(
    ("target", "fault"),
    [
        ("no_such:upper", "no module 'no_such'"),
        ("my_asr.sub:upper", "no module 'my_asr.sub'"),
        ("my_model.sub:upper", "'my_model' is no package"),
    ],
)
def test_a_missing_module_is_found_without_running_code(target: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        python(target).check()
    assert not {"my_asr", "my_model"} & set(sys.modules)


def test_the_identity_follows_the_source_and_what_the_object_adds(module: Path) -> None:
    digest = hashlib.sha256(MODULE.encode()).hexdigest()
    assert python("my_model:upper").identity() == {
        "name": "python",
        "target": "my_model:upper",
        "module_sha256": digest,
        "batch_size": "4",
    }
    assert python("my_model:Model").identity()["weights"] == "abc"
    assert python("my_model:Model").identity()["name"] == "python"
    before = fingerprint(python("my_model:upper"))
    module.write_text(f"{MODULE}\n")
    assert fingerprint(python("my_model:upper")) != before


def test_a_transcript_without_end_is_the_error_of_its_utterance() -> None:
    interface = python("my_model:Long")
    first, second = interface.transcribe(BATCH)
    assert first == Hypothesis("a" * 100_000)
    assert str(second) == "task 't', take 'bad': a transcript of 100001 characters; at most 100000 are taken"


def test_it_says_how_long_it_may_take() -> None:
    for interface, seconds in ((python("my_model:upper"), 300.0), (python("my_model:upper", "?timeout=7.5"), 7.5)):
        assert interface.time_limit == seconds
    assert fingerprint(python("my_model:upper")) == fingerprint(python("my_model:upper", "?timeout=7.5"))
    for value in ("0", "-1", "inf", "nan"):
        with pytest.raises(InterfaceError, match="timeout must be a number of seconds above 0"):
            python("my_model:upper", f"?timeout={value}")


def test_options_behind_the_colon_are_pointed_at() -> None:
    with pytest.raises(InterfaceError, match=r"options stand before the colon: python\?timeout=60:package"):
        python("my_model:upper?timeout=5")


def test_only_what_names_itself_or_is_declared_is_reproducible(tmp_path: Path) -> None:
    (tmp_path / "model.bin").write_bytes(b"one")
    options = f"?weights={tmp_path / 'model.bin'}"
    assert not python("my_model:upper").reproducible
    assert not python("my_model:Long").reproducible
    assert python("my_model:Model").reproducible
    assert python("my_model:Holder.inner").reproducible
    assert python("my_model:upper", "?identity=v2").reproducible
    assert python("my_model:upper", options).reproducible
    assert python("my_model:Model", "?identity=v2").identity()["declared_identity"] == "v2"
    before = python("my_model:upper", options).identity()
    assert before["declared_weights_sha256"] == hashlib.sha256(b"one").hexdigest()
    (tmp_path / "model.bin").write_bytes(b"two")
    assert python("my_model:upper", options).identity() != before


def test_missing_weights_are_found_without_running_code() -> None:
    with pytest.raises(InterfaceError, match=r"python:my_model:upper: no weights './none'; check the path"):
        python("my_model:upper", "?weights=./none").check()
    assert "my_model" not in sys.modules


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("uper", "did you mean 'upper'"),
        ("xyzzy", "name a function or class of it"),
        ("Modell.run", "did you mean 'Model'"),
    ],
)
def test_a_missing_name_is_found_without_running_code(module: Path, name: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=f"python:my_model:{name}: .*my_model.py has no .*; {fault}"):
        python(f"my_model:{name}").check()
    assert "my_model" not in sys.modules


@pytest.mark.parametrize(
    "text",
    [
        "def hear(batch): return []\n",
        "hear = lambda batch: []\n",
        "from json import loads as hear\n",
        "import hear\n",
        "try:\n    from fast import hear\nexcept ImportError:\n    def hear(batch): return []\n",
        "for hear in (len,): pass\n",
        "with open(__file__) as hear: pass\n",
        "from json import *\n",
        "globals()['he' + 'ar'] = len\n",
        "def __getattr__(name): return len\n",
        "exec('he' 'ar = len')\n",
        "def make():\n    global hear\n    hear = len\nmake()\n",
        "if (hear := len): pass\n",
        "def broken(:\n",
        "",
    ],
)
def test_a_name_that_may_be_there_is_looked_for_when_it_is_called(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    (tmp_path / "maker.py").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    if text:
        python("maker:hear").check()
    else:
        with pytest.raises(InterfaceError, match="has no 'hear'"):
            python("maker:hear").check()


PLAIN = "def hear(batch):\n    return ['said' for _ in batch]\n"


@pytest.mark.parametrize(
    ("text", "declares", "inspectable"),
    [
        (PLAIN, "?identity=1", True),
        (f"import subprocess\n{PLAIN}", "?identity=1", True),
        (PLAIN, "", False),
        (f"{PLAIN}hear.batch_size = 4\n", "?identity=1", False),
        (f"{PLAIN}hear.identity = dict\n", "?identity=1", False),
        (f"{PLAIN}setattr(hear, 'batch' + '_size', 4)\n", "?identity=1", False),
        (f"{PLAIN}hear = print\n", "?identity=1", False),
        (f"{PLAIN}from os import walk as hear\n", "?identity=1", False),
        (f"from os import *\n{PLAIN}", "?identity=1", False),
        (f"import functools\n@functools.cache\n{PLAIN}", "?identity=1", False),
        ("class hear:\n    def transcribe(self, batch):\n        return batch\n", "?identity=1", False),
        ("from os import walk as hear\n", "?identity=1", False),
        (f"if True:\n    {PLAIN.replace(chr(10) + '   ', chr(10) + '       ')}", "?identity=1", False),
        (f"{PLAIN}    )\n", "?identity=1", False),
    ],
)
def test_only_a_declared_plain_function_is_known_without_running_its_module(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, declares: str, inspectable: bool
) -> None:
    (tmp_path / "plain_asr.py").write_text(f"{text}\nopen({str(tmp_path / 'ran')!r}, 'w').close()\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "plain_asr", raising=False)
    interface = PythonInterface(parse_spec(f"python{declares}:plain_asr:hear"))
    assert interface.inspectable is inspectable
    if inspectable:
        assert interface.identity()["batch_size"] == "1"
        assert interface.reproducible
    assert not (tmp_path / "ran").exists()
