"""The lines of text on a screenshot, read by OCR (extra ``ocr``)."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from pytest_talk2agent.context.errors import ContextError

LEAST_SCORE = 0.8
"""Lines that the recogniser is less sure of are left out."""


def lines_of(screenshot: Path) -> tuple[str, ...]:
    """The lines of text, as the recogniser orders them.

    Raises ContextError where the package is missing or the file is no image.
    """
    try:
        content = screenshot.read_bytes()
    except OSError as error:
        raise ContextError(f"{screenshot}: cannot read the screenshot ({error.strerror})") from None
    lines = _recognise(content)
    if lines is None:
        raise ContextError(f"{screenshot}: no image that can be read; save the screenshot as PNG")
    return lines


@cache
def _recogniser() -> Any:
    try:
        from rapidocr import RapidOCR
    except ImportError:
        raise ContextError(
            "screenshots are read with rapidocr, which is not installed; pip install pytest-talk2agent[ocr]"
        ) from None
    # One thread: sums in one order, and no fight with the recogniser's own threads.
    return RapidOCR(params={"Global.log_level": "critical", "EngineConfig.onnxruntime.intra_op_num_threads": 1})


@lru_cache(maxsize=256)
def _recognise(content: bytes) -> tuple[str, ...] | None:
    recogniser = _recogniser()
    from rapidocr.utils.load_image import LoadImageError

    try:
        found = recogniser(content)
    except (LoadImageError, OSError, SyntaxError):  # the latter two are what Pillow raises
        return None
    pairs = zip(found.txts or (), found.scores or (), strict=True)
    return tuple(text for text, score in pairs if score >= LEAST_SCORE)
