"""``talk2agent record``: a local page on which people read the scripts of a suite aloud."""

from __future__ import annotations

import argparse
import re
import sys
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_talk2agent.commands.common import Commands, add_checkouts, checkouts_of, declared, task_files, write
from pytest_talk2agent.recording.page.serving import PORT, Place, listen, serve
from pytest_talk2agent.recording.review import Review
from pytest_talk2agent.tasks.errors import counted
from pytest_talk2agent.tasks.files import read_utf8
from pytest_talk2agent.tasks.loader import load_tasks

if TYPE_CHECKING:
    from pytest_talk2agent.recording.page.fidelity import Listener
    from pytest_talk2agent.recording.page.prompts import Prompt

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,63}")
"""What can be part of a test id and of a file name on any system."""
_MISSING = "talk2agent record needs the packages starlette and uvicorn; run: pip install 'pytest-talk2agent[record]'"


def add_record(commands: Commands) -> None:
    """Declare the command."""
    command = declared(commands, "record", run_record, "a local page on which people read the scripts of a suite aloud")
    command.add_argument("suites", type=Path, nargs="+", metavar="SUITE", help="task file or folder")
    command.add_argument(
        "--out", type=Path, default=Path("recordings"), metavar="DIR", help="where takes are kept (default: recordings)"
    )
    command.add_argument(
        "--speaker", action="append", metavar="NAME", help="who reads; again for each (default: speaker1)"
    )
    command.add_argument("--consent", type=Path, metavar="FILE", help="the text that speakers agree to first")
    command.add_argument("--batch", type=int, default=20, metavar="N", help="takes between breaks (default: 20)")
    command.add_argument(
        "--longest", type=float, default=300.0, metavar="SECONDS", help="the longest take that is taken (default: 300)"
    )
    command.add_argument("--check", metavar="SPEC", help="an interface that says what it heard in each take")
    command.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="to listen on (default: 127.0.0.1)")
    command.add_argument(
        "--port", type=int, default=PORT, metavar="N", help=f"to listen on; 0 takes a free one (default: {PORT})"
    )
    command.add_argument("--url", default="", metavar="URL", help="the address at which speakers open the page")
    command.add_argument("--certificate", type=Path, metavar="FILE", help="of the server, in PEM, for https")
    command.add_argument("--key", type=Path, metavar="FILE", help="of the certificate, in PEM")
    add_checkouts(command)


def run_record(options: argparse.Namespace) -> int:
    """Serve the page until the process is told to end."""
    from pytest_talk2agent.recording.page.links import links_of
    from pytest_talk2agent.recording.page.studio import Rules, Studio

    try:
        from pytest_talk2agent.recording.page.app import make_app
    except ImportError:
        raise ValueError(_MISSING) from None
    place = Place(options.host, options.port, options.url, options.certificate, options.key)
    speakers = _speakers(options.speaker or ["speaker1"])
    rules = Rules(_consent(options.consent), options.batch, options.longest)
    prompts = _prompts(options)
    listener = _listener(options.check)
    with listen(place) as listening:
        studio = Studio(options.out, prompts, rules, listener)
        try:
            links = links_of(options.out, speakers)
            origins = place.origins(listening.getsockname()[1])
            write(_hints(prompts, len(studio.outdated)))
            write(
                f"{name}: {origins[0]}/#{token} ({studio.count(name)} of {len(prompts)} recorded)"
                for name, token in links.tokens.items()
            )
            write([f"takes and manifest: {options.out}; Ctrl-C ends it"])
            sys.stdout.flush()
            serve(make_app(studio, links, origins), place, listening)
        except KeyboardInterrupt:
            pass  # the usual way to end it
        finally:
            studio.close()
    return 0


def _speakers(names: list[str]) -> list[str]:
    """The speakers' names; raises ValueError for one that cannot be part of a file name and a test id."""
    for name in names:
        if not _NAME.fullmatch(name):
            raise ValueError(f"--speaker {name!r}: use at most 64 letters, digits and . _ + -, a letter or digit first")
    folded = [name.casefold() for name in names]
    if twice := next((name for name in names if folded.count(name.casefold()) > 1), None):
        raise ValueError(f"--speaker {twice}: a second speaker of this name; give each another")
    return names


def _consent(path: Path | None) -> str:
    if path is not None:
        return read_utf8(path)
    return files("pytest_talk2agent.recording.page").joinpath("assets/consent.txt").read_text(encoding="utf-8")


def _prompts(options: argparse.Namespace) -> list[Prompt]:
    """The prompts of all suites; raises ValueError where a script has to be read by a person first."""
    from pytest_talk2agent.recording.page.prompts import prompts_of

    checkouts = checkouts_of(options)
    tasks, scripts = [], {}
    for path in task_files(options.suites):
        tasks += checkouts.bind(load_tasks(path))
        for entry in Review.beside(path).entries.values():
            if entry.outdated:
                raise ValueError(
                    f"{path}: the instruction of {entry.task} has changed since its script was read; see"
                    " `talk2agent speak --script`, then --accept"
                )
            scripts[entry.task] = entry.script
    return prompts_of(tasks, scripts)


def _listener(spec: str | None) -> Listener | None:
    if spec is None:
        return None
    from pytest_talk2agent.interfaces.utterance import InterfaceError
    from pytest_talk2agent.recording.page.fidelity import InterfaceListener

    try:
        return InterfaceListener(spec)
    except InterfaceError as error:
        raise ValueError(str(error)) from None


def _hints(prompts: list[Prompt], outdated: int) -> list[str]:
    own = sum(bool(prompt.task.recordings) for prompt in prompts)
    hints = []
    if own:
        hints.append(f"note: recordings that a task lists go before these; {own} of {counted(len(prompts), 'task')} do")
    if outdated:
        hints.append(f"note: the scripts of {counted(outdated, 'take')} have changed since; they are to be read again")
    return hints
