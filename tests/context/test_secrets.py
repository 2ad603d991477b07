from __future__ import annotations

import random
import string

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_talk2agent.context.secrets import is_secret_file, looks_secret

ALPHABETS = (
    "0123456789abcdef",
    string.ascii_letters + string.digits,
    string.ascii_letters + string.digits + "-_",
    string.ascii_letters + string.digits + "+/",
    string.ascii_uppercase + "234567",
    string.ascii_lowercase + string.digits,
)


# Derandomised: a random text may, once in ten thousand, look like a name.
@settings(derandomize=True, max_examples=300)
@given(st.integers(min_value=0), st.sampled_from(ALPHABETS), st.integers(24, 64))
def test_random_strings_look_secret(seed: int, alphabet: str, length: int) -> None:
    assert looks_secret("".join(random.Random(seed).choices(alphabet, k=length)))


@pytest.mark.parametrize(
    "text",
    [
        "sk-proj-a1B2c3",
        "sk_live_51Habc",
        "ghp_16C7e42F292c",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9",
        "xoxb-2048-garden",
        "3f2b8c1e-9d4a-4e6b-8f70-1c2d3e4f5a6b",
        "4000056655665556",
        "x7k2p9qa",
        "the key qzXw81PfLrT0vbNc4Ys2",
        "5e9ca05250ba04bcbeec6a0eb9f29998fedeb807",
        "-----BEGIN PRIVATE KEY-----",
    ],
)
def test_keys_hashes_and_numbers_of_cards_look_secret(text: str) -> None:
    assert looks_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        "invoice_07.pdf",
        "sensors_2026.tar.gz",
        "loadReadings",
        "max_idle_seconds",
        "h264",
        "sha256",
        "HTTPServerConnection",
        "AbstractSingletonProxyFactoryBean",
        "test_the_shipped_suites_fit_the_schema_and_lint",
        "IMG_20260914_181204.jpg",
        "2026-09-14-release-notes.md",
        "Nora Lindgren",
        "garden.example.com/roses",
        "internationalization",
        "Donaudampfschifffahrt",
        "",
    ],
)
def test_names_do_not(text: str) -> None:
    assert not looks_secret(text)


@pytest.mark.parametrize(
    "path",
    [
        ".env",
        "app/.env.production",
        "prod.env",
        "keys/id_rsa",
        "id_ed25519.pub",
        "tls/server.PEM",
        "server.key",
        ".netrc",
        "credentials.json",
        "Credentials",
        ".aws/config",
        "home/.ssh/config",
        "passwords.kdbx",
        "github_token.txt",
        "secrets/api.yaml",
        "secrets.yaml",
        r"C:\work\.env",
    ],
)
def test_files_of_keys(path: str) -> None:
    assert is_secret_file(path)


@pytest.mark.parametrize(
    "path", ["src/secrets.py", "environment.yml", "keyboard.md", "docs/tokens.md", "vault_key.pub", "monkey.png"]
)
def test_other_files(path: str) -> None:
    assert not is_secret_file(path)
