"""Libraries that are imported in the middle of a run."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import pytest

from pytest_talk2agent.speech.libraries import quiet_import


def test_a_library_that_warns_is_imported_where_warnings_are_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loud_library.py").write_text("import warnings\nwarnings.warn('old', DeprecationWarning)\nVALUE = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "loud_library", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with quiet_import():
            import loud_library  # type: ignore[import-not-found]
        assert loud_library.VALUE == 7
        with pytest.raises(UserWarning, match="mine"):
            warnings.warn("mine", stacklevel=1)
