from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path

import pytest
import yaml

from pytest_talk2agent.interfaces.nemo.checkpoint import hub_files, is_local, local_files
from pytest_talk2agent.interfaces.utterance import InterfaceError
from pytest_talk2agent.speech.audio import file_sha256
from tests.interfaces.nemo.fakes import CANARY, HYBRID, TDT, write_nemo


def unpacked(folder: Path) -> Path:
    folder.mkdir()
    (folder / "model_config.yaml").write_text(yaml.safe_dump(CANARY))
    (folder / "model_weights.ckpt").write_bytes(b"weights")
    return folder


def test_a_file_is_read_for_its_configuration(tmp_path: Path) -> None:
    path = write_nemo(tmp_path / "a.nemo", TDT)
    files = local_files("parakeet", str(path))
    assert (files.path, files.class_name, files.family) == (path, "EncDecRNNTBPEModel", "rnnt")
    assert files.config["decoding"] == {"durations": [0, 1]}
    assert files.sha256 == file_sha256(path)


def test_a_folder_is_hashed_over_its_files(tmp_path: Path) -> None:
    folder = unpacked(tmp_path / "model")
    mark = local_files("canary", str(folder)).sha256
    assert local_files("canary", str(folder)).family == "aed"
    assert local_files("canary", str(folder)).sha256 == mark
    (folder / "tokenizer.model").write_bytes(b"pieces")
    assert local_files("canary", str(folder)).sha256 != mark


def test_paths_are_found_from_here_and_from_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_nemo(tmp_path / "a.nemo", CANARY)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert local_files("canary", "a.nemo").path == local_files("canary", "~/a.nemo").path == tmp_path / "a.nemo"


def test_a_configuration_of_training_holds_the_models(tmp_path: Path) -> None:
    assert local_files("nemo", str(write_nemo(tmp_path / "a.nemo", {"model": HYBRID}))).family == "hybrid"


@pytest.mark.parametrize("target", ["", "nemo.collections.asr.models.EncDecSpeakerLabelModel", "my.package.Model"])
def test_another_class_is_of_no_family(tmp_path: Path, target: str) -> None:
    assert local_files("nemo", str(write_nemo(tmp_path / "a.nemo", {"target": target}))).family is None


def test_a_path_is_told_from_an_id_of_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nvidia" / "here").mkdir(parents=True)
    assert all(map(is_local, ("a.nemo", "models/a.nemo", "./a", "/a/b", "~/a", "nvidia/here")))
    assert not any(map(is_local, ("nvidia/canary-1b-v2", "canary-1b-v2")))


def test_a_missing_file_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InterfaceError) as caught:
        local_files("canary", f"{tmp_path}/a.nemo")
    assert str(caught.value) == f"canary: no model {tmp_path}/a.nemo; check the path behind canary:"


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x1f\x8b\x08\x00garbage"])
def test_garbage_is_no_model(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.nemo").write_bytes(content)
    with pytest.raises(InterfaceError, match=r"a\.nemo is no NeMo model, or damaged \(.+\); copy it again") as caught:
        local_files("canary", f"{tmp_path}/a.nemo")
    assert "\n" not in str(caught.value)


def test_a_file_that_was_cut_is_damaged(tmp_path: Path) -> None:
    path = write_nemo(tmp_path / "a.nemo", CANARY, weights=bytes(range(256)) * 4000)
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(InterfaceError, match="or damaged"):
        local_files("canary", str(path))


@pytest.mark.parametrize("config", ["- a\n- b\n", "a: [", "just text", "\x00"])
def test_a_configuration_that_is_none(tmp_path: Path, config: str) -> None:
    folder = unpacked(tmp_path / "model")
    (folder / "model_config.yaml").write_text(config)
    with pytest.raises(InterfaceError, match="no NeMo model"):
        local_files("canary", str(folder))


@pytest.mark.parametrize("file", ["model_config.yaml", "model_weights.ckpt"])
def test_an_incomplete_folder(tmp_path: Path, file: str) -> None:
    folder = unpacked(tmp_path / "model")
    (folder / file).unlink()
    with pytest.raises(InterfaceError, match=f"{folder} holds no {file}; name the folder of an unpacked NeMo model"):
        local_files("canary", str(folder))


def test_an_archive_of_something_else(tmp_path: Path) -> None:
    import tarfile

    (tmp_path / "notes.txt").write_text("a")
    with tarfile.open(tmp_path / "a.nemo", "w") as archive:
        archive.add(tmp_path / "notes.txt", "notes.txt")
    with pytest.raises(InterfaceError, match=r"holds no model_config\.yaml; it is no NeMo model"):
        local_files("canary", f"{tmp_path}/a.nemo")


def test_what_is_neither_a_path_nor_an_id() -> None:
    with pytest.raises(InterfaceError, match=r"no model 'canary-1b'; name a \.nemo file, an unpacked folder"):
        hub_files("canary", "canary-1b")


def test_a_cached_model_of_the_hub_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")
    asked = []

    def cached(repository: str, file: str, local_files_only: bool = False) -> str:
        asked.append((repository, file, local_files_only))
        return str(write_nemo(tmp_path / "b.nemo", CANARY))

    monkeypatch.setattr(hub, "hf_hub_download", cached)
    assert hub_files("canary", "owner/canary-9b").path == tmp_path / "b.nemo"
    assert asked == [("owner/canary-9b", "canary-9b.nemo", True)]


def test_what_is_not_cached_comes_from_the_hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")

    def download(repository: str, file: str, local_files_only: bool = False) -> str:
        if local_files_only:
            raise FileNotFoundError(file)
        return str(write_nemo(tmp_path / "b.nemo", CANARY))

    monkeypatch.setattr(hub, "hf_hub_download", download)
    assert hub_files("canary", "owner/b").family == "aed"


def test_without_cache_and_network_it_says_how_to_fill_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")

    def unreachable(repository: str, file: str, local_files_only: bool = False) -> str:
        raise ConnectionError("name not known\nat all")

    monkeypatch.setattr(hub, "hf_hub_download", unreachable)
    with pytest.raises(InterfaceError) as caught:
        hub_files("canary", "nvidia/canary-1b-v2")
    assert str(caught.value) == (
        "canary: canary-1b-v2.nemo of 'nvidia/canary-1b-v2' is not in the hub's cache on this machine, and the hub "
        "gives none (ConnectionError: name not known at all); fill the cache (HF_HOME), or write "
        "canary:PATH/canary-1b-v2.nemo"
    )


def refused(path: Path) -> str:
    with pytest.raises(InterfaceError) as caught:
        local_files("canary", str(path))
    assert "\n" not in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
@pytest.mark.parametrize("target", ["/etc/hostname", "model_config.yaml", "./model_config.yaml", "none", "weights"])
def test_a_configuration_that_is_a_link_is_not_followed(tmp_path: Path, kind: bytes, target: str) -> None:
    with tarfile.open(tmp_path / "a.nemo", "w") as archive:
        weights = tarfile.TarInfo("weights")
        weights.size = 3
        archive.addfile(weights, io.BytesIO(b"a: "))
        member = tarfile.TarInfo("model_config.yaml")
        member.type, member.linkname = kind, target
        archive.addfile(member)
    assert "is no file but a link" in refused(tmp_path / "a.nemo")


@pytest.mark.parametrize("name", ["model_config.yaml", "././@LongLink"])
@pytest.mark.parametrize("kind", [tarfile.REGTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XHDTYPE])
@pytest.mark.parametrize("size", [8 << 30, (8 << 30) - 1, 1 << 60])
def test_a_header_that_announces_gigabytes(tmp_path: Path, name: str, kind: bytes, size: int) -> None:
    member = tarfile.TarInfo(name)
    member.type, member.size = kind, size
    header = member.tobuf(tarfile.GNU_FORMAT)
    (tmp_path / "a.nemo").write_bytes(header + b"target: a\n".ljust(512, b"\0") + bytes(1024))
    refused(tmp_path / "a.nemo")


@pytest.mark.parametrize(
    "config",
    [
        b"[" * 100_000,
        b"a: " * 50_000,
        b"- " * 50_000,
        b"{a: " * 50_000,
        b"a: &a [*a]\n? [1]\n: 2",
        b"{[1]: 2}",
        b"a: " + b"x" * (1 << 20),
        b"a: \xff\xfe",
        b"a: !!python/object:os.system []",
        b"12",
        b"",
    ],
)
def test_a_configuration_that_cannot_be_read(tmp_path: Path, config: bytes) -> None:
    with tarfile.open(tmp_path / "a.nemo", "w:gz") as archive:
        member = tarfile.TarInfo("./model_config.yaml")
        member.size = len(config)
        archive.addfile(member, io.BytesIO(config))
    refused(tmp_path / "a.nemo")
    folder = unpacked(tmp_path / "model")
    (folder / "model_config.yaml").write_bytes(config)
    refused(folder)


def test_an_archive_that_breaks_off_within_its_compression(tmp_path: Path) -> None:
    whole = gzip.compress(write_nemo(tmp_path / "a.nemo", CANARY).read_bytes())
    for size in (12, len(whole) // 2):
        (tmp_path / "a.nemo").write_bytes(whole[:size])
        refused(tmp_path / "a.nemo")
    (tmp_path / "a.nemo").write_bytes(whole[:20] + b"\0\xff" * 30 + whole[80:])
    refused(tmp_path / "a.nemo")
