"""Recognisers that end the process, hang, answer nonsense, flood, loop, or write what a terminal would obey."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping

from campaign.fault import Break, Fault, Wanted, spread, turn
from campaign.observed import Ended
from campaign.project import COUNT, MODES, REPORT, Project

SPEC = "--t2a-interface=python:own:R"
PLAIN = ("suite", SPEC, REPORT)
PROGRAM = ("suite", f"--t2a-interface=command:{sys.executable} hear.py {{audio}}", REPORT)
_ANY = r"\w+Error|InvalidOperation"
"""A recogniser of one's own may raise what it likes, and its message names it."""

_MODULE = """
import ctypes, os, signal, sys, threading, time
from pathlib import Path
from pytest_talk2agent.interfaces.utterance import Hypothesis, TranscriptionError

HERE = Path(__file__).parent
{at_import}


def right(utterance):
    return f"Set the port to {{8000 + int(Path(utterance.path).stem[1:])}} and restart nginx."


def stem(batch):
    return Path(batch[0].path).stem


class R:
{members}
    def identity(self):
        {at_identity}
        return {{"weights": "1"}}

    def __init__(self):
        {at_making}

    def transcribe(self, batch):
        {before}
        text = right(batch[0])
        {after}
        return [text]
"""


def own(
    *,
    at_import: str = "",
    members: str = "",
    at_identity: str = "",
    at_making: str = "",
    before: str = "",
    after: str = "",
) -> Break:
    """A recogniser that is right but for the statements that are put in."""
    text = _MODULE.format(
        at_import=at_import,
        members=members,
        at_identity=at_identity or "pass",
        at_making=at_making or "pass",
        before=before or "pass",
        after=after or "pass",
    )
    return lambda project: project.write("own.py", text)


def faults() -> Iterator[Fault]:
    """Every fault of this subject."""
    for place, statement in ENDS.items():
        for when, (breaks, wanted, items) in _moments(statement).items():
            if when == "in an item" or place in EVERYWHERE:
                want = Wanted.DECIDED if place in MAY_GO_ON else wanted
                name = f"{place} {when}"
                modes = MODES if (place, when) in THOROUGHLY else None
                yield from spread(
                    "recogniser ends the process",
                    name,
                    breaks,
                    *PLAIN,
                    wanted=want,
                    items=items,
                    allowed=_ANY,
                    modes=modes,
                )
    for place, statement in HANGS.items():
        breaks = own(before=f"if stem(batch) == 'r2': {statement}")
        words = ("suite", "--t2a-interface=python?timeout=2:own:R", REPORT)
        yield from spread("recogniser hangs", f"python: {place}", breaks, *words, wanted=Wanted.LOST)
    for place, program in PROGRAMS_THAT_HANG.items():
        patient = ("suite", f"--t2a-interface=command?timeout=2:{sys.executable} hear.py {{audio}}", REPORT)
        yield from spread(
            "recogniser hangs",
            f"command: {place}",
            _program(program),
            *patient,
            wanted=Wanted.LOST,
            modes=("alone", "workers"),
        )
    for place, answer in ANSWERS.items():
        yield from spread("odd answer", place, _answers(answer), *PLAIN, wanted=Wanted.LOST, allowed=_ANY)
    for place, answer in ODD.items():
        yield from spread("odd detail", place, _answers(answer), *PLAIN, wanted=Wanted.DECIDED, modes=turn(place))
    for place, odd in CHARACTERS.items():
        breaks = _answers(ascii(f"Set the port to 8002 {odd} and restart nginx."))
        yield from spread("odd character", place, breaks, *PLAIN, wanted=Wanted.DECIDED, modes=turn(place))
    for place, (program, wanted) in PROGRAMS.items():
        yield from spread("program fails", place, _program(program), *PROGRAM, wanted=wanted, allowed=_ANY)
    for place, text in LOOPS.items():
        yield from spread(
            "looped text",
            f"python: {place}",
            _answers(ascii(text)),
            *PLAIN,
            "--t2a-max-suspect=0",
        )
        yield from spread(
            "looped text",
            f"command: {place}",
            _program(f"print({text!r} if stem == 'r2' else right)"),
            *PROGRAM,
            "--t2a-max-suspect=0",
            modes=("alone",),
        )
    for place, told in CONTROLS.items():
        for where, breaks in _speaks(told).items():
            yield from spread(
                "control characters",
                f"{place} {where}",
                breaks,
                *PLAIN,
                check=_obeyed,
                allowed=_ANY,
                modes=turn(place + where),
            )


def _moments(statement: str) -> Mapping[str, tuple[Break, Wanted, int]]:
    """When the statement runs, what must come of it, and how many items must still have a result."""
    indented = statement.replace("\n", "\n        ")
    soon = f"threading.Timer(0.05, lambda: ({_expression(statement)})).start()"
    return {
        "in an item": (own(before=f"if stem(batch) == 'r2': {statement}"), Wanted.LOST, COUNT - 1),
        "in every item": (own(before=indented), Wanted.LOST, 0),
        "in the last item": (own(after=_last(statement)), Wanted.LOST, COUNT - 1),
        "at import": (own(at_import=statement), Wanted.RED, 0),
        "in identity": (own(at_identity=indented), Wanted.RED, 0),
        "when it is made": (own(at_making=indented), Wanted.RED, 0),
        "from a thread": (own(before=f"{soon}; time.sleep(0.5)"), Wanted.LOST, 0),
        "after the last item": (own(after=_last(soon)), Wanted.DECIDED, COUNT),
    }


def _last(statement: str) -> str:
    return f"Path(HERE / 'n').open('a').write('x')\n        if len((HERE / 'n').read_text()) == {COUNT}: {statement}"


def _expression(statement: str) -> str:
    return statement if not statement.startswith(("raise", "import")) else "os._exit(0)"


ENDS: Mapping[str, str] = {
    "exit(0) of C": "ctypes.CDLL(None).exit(0)",
    "_exit(0)": "os._exit(0)",
    "_exit(5)": "os._exit(5)",
    "SystemExit(0)": "raise SystemExit(0)",
    "sys.exit()": "sys.exit()",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "GeneratorExit": "raise GeneratorExit",
    "abort": "os.abort()",
    "segmentation fault": "ctypes.string_at(0)",
    "SIGKILL": "os.kill(os.getpid(), signal.SIGKILL)",
    "SIGTERM": "os.kill(os.getpid(), signal.SIGTERM)",
    "SIGINT": "os.kill(os.getpid(), signal.SIGINT)",
    "another program": "os.execv('/bin/true', ['true'])",
    "closes all files": "os.closerange(0, 256)",
    "closes its output": "os.close(1); os.close(2)",
    "MemoryError": "raise MemoryError",
    "RecursionError": "exec('def f(): f()\\nf()')",
}
MAY_GO_ON = ("SIGINT", "closes its output")
"""A recogniser that survives these may be right."""
EVERYWHERE = ("exit(0) of C", "_exit(0)")
THOROUGHLY = (("exit(0) of C", "in an item"), ("_exit(0)", "in the last item"), ("_exit(0)", "at import"))

HANGS: Mapping[str, str] = {
    "sleeps": "time.sleep(600)",
    "counts": "exec('while True: pass')",
    "holds the interpreter": "ctypes.PyDLL(None).sleep(600)",
    "waits for a lock": "(lambda lock: (lock.acquire(), lock.acquire()))(threading.Lock())",
    "ignores signals": "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32)); time.sleep(600)",
    "reads its input": "os.read(0, 1) or time.sleep(600)",
    "prints without end": "exec('while True: print(\"x\" * 65536)')",
}

_HEAR = """
import os, signal, subprocess, sys, time
from pathlib import Path

stem = Path(sys.argv[1]).stem
right = f"Set the port to {{8000 + int(stem[1:])}} and restart nginx."
{body}
"""


def _program(body: str) -> Break:
    return lambda project: project.write("hear.py", _HEAR.format(body=body))


PROGRAMS_THAT_HANG: Mapping[str, str] = {
    "sleeps": "time.sleep(600 if stem == 'r2' else 0); print(right)",
    "ignores SIGTERM": "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    "time.sleep(600 if stem == 'r2' else 0); print(right)",
    "leaves a child": "if stem == 'r2': subprocess.run(['sleep', '600'])\nprint(right)",
    "child keeps the pipe": "if stem == 'r2': subprocess.Popen(['sleep', '600'])\nprint(right if stem != 'r2' else '')",
    "prints without end": "while stem == 'r2': print('again', flush=True)\nprint(right)",
}

PROGRAMS: Mapping[str, tuple[str, Wanted]] = {
    "exit status 1": ("if stem == 'r2': sys.exit('no model')\nprint(right)", Wanted.LOST),
    "exit status 1 after the right text": ("print(right)\nif stem == 'r2': sys.exit(1)", Wanted.LOST),
    "killed": ("if stem == 'r2': os.kill(os.getpid(), 9)\nprint(right)", Wanted.LOST),
    "prints nothing": ("print(right if stem != 'r2' else '')", Wanted.RED),
    "no UTF-8": ("if stem == 'r2': sys.stdout.buffer.write(b'Set \\xff\\xfe')\nelse: print(right)", Wanted.LOST),
    "UTF-16": ("sys.stdout.buffer.write(right.encode('utf-16'))", Wanted.RED),
    "nul bytes": ("if stem == 'r2': print(right + chr(0) * 100)\nelse: print(right)", Wanted.DECIDED),
    "floods its errors": ("sys.stderr.write('x' * 50_000_000)\nprint(right)", Wanted.DECIDED),
    "floods its output": ("sys.stdout.write('word ' * (20_000_000 if stem == 'r2' else 0))\nprint(right)", Wanted.RED),
    "closes its output": ("if stem == 'r2': os.close(1); os._exit(0)\nprint(right)", Wanted.RED),
    "leaves a child that sleeps": (
        "subprocess.Popen(['sleep', '300'], stdin=-3, stdout=-3, stderr=-3)\nprint(right)",
        Wanted.DECIDED,
    ),
    "leaves a child in a session of its own": (
        "subprocess.Popen(['sleep', '300'], stdin=-3, stdout=-3, stderr=-3, start_new_session=True)\nprint(right)",
        Wanted.DECIDED,
    ),
}


def _answers(answer: str) -> Break:
    """The answer, an expression, for one recording; ``text`` is the right one."""
    return own(after=f"if stem(batch) == 'r2': return [{answer}]")


ANSWERS: Mapping[str, str] = {
    "None": "None",
    "a number": "8002",
    "bytes": "text.encode()",
    "a list": "[text]",
    "half a character": "'Set \\ud800 the port'",
    "two for one": "text, text",
    "none for one": "*()",
    "an exception": "1 / 0",
    "an exception of many lines": "exec('raise RuntimeError(\"a\\\\nb\\\\nc\")')",
    "an exception that cannot be printed": "exec('class E(Exception):\\n"
    "  def __str__(self): raise ValueError\\nraise E')",
    "an error of ours": "TranscriptionError('no sound in it')",
    "a hypothesis without text": "Hypothesis(None)",
    "a state unheard of": "Hypothesis(text, state='sung')",
}
ODD: Mapping[str, str] = {
    "cost no number": "Hypothesis(text, {'cost': 'free'})",
    "cost a list": "Hypothesis(text, {'cost': [1]})",
    "cost endless": "Hypothesis(text, {'cost': float('inf')})",
    "cost not a number": "Hypothesis(text, {'cost': float('nan')})",
    "cost below nought": "Hypothesis(text, {'cost': -1e308})",
    "suspect nothing": "Hypothesis(text, {'suspect': None})",
    "suspect a number": "Hypothesis(text, {'suspect': 7})",
    "suspect of numbers": "Hypothesis(text, {'suspect': [1, None]})",
    "detail nothing": "Hypothesis(text, None)",
    "detail a list": "Hypothesis(text, [1])",
    "detail of objects": "Hypothesis(text, {'at': object()})",
    "detail of sets": "Hypothesis(text, {'at': {1, 2}})",
    "detail of bytes": "Hypothesis(text, {'at': b'x'})",
    "detail with keys of numbers": "Hypothesis(text, {1: {2: 3}, None: 4})",
    "detail that is deep": "Hypothesis(text, eval('{\"a\":' * 80 + '1' + '}' * 80))",
    "detail that is itself": "(lambda d: (d.update(me=d), Hypothesis(text, d))[1])({})",
    "detail with half a character": "Hypothesis(text, {'at': '\\ud800'})",
    "detail of 30 MB": "Hypothesis(text, {'at': 'x' * 30_000_000})",
    "usage no number": "Hypothesis(text, {'usage': 'much', 'line': 'one', 'seconds': 'long'})",
    "text of 20 MB": "'word ' * 4_000_000",
    "text of one long word": "'x' * 3_000_000",
    "text of many digits": "'Set the port to ' + '9' * 20_000 + ' and restart nginx.'",
    "sent a number": "Hypothesis(text, sent=7)",
    "sent of numbers": "Hypothesis(text, sent=(1, None))",
    "a text of one's own": "type('T', (str,), {'split': None})(text)",
}

CHARACTERS: Mapping[str, str] = {
    "U+02BC": "\u02bc",
    "apostrophe": "'",
    "dash": "\u2013",
    "ellipsis": "\u2026",
    "combining acute": "\u0301",
    "combining many": "\u0301" * 400,
    "zero width": "\u200b",
    "joiner": "\u200d",
    "right to left": "\u202e",
    "soft hyphen": "\u00ad",
    "line separator": "\u2028",
    "no-break space": "\u00a0",
    "ideographic space": "\u3000",
    "full width": "\uff18\uff10\uff10\uff12",
    "Arabic digits": "\u0668\u0660\u0660\u0662",
    "superscript": "\u2078\u2070",
    "Roman numeral": "\u2167",
    "vulgar fraction": "\u00bd",
    "emoji": "\U0001f44d\U0001f3fd",
    "variation selector": "\ufe0f",
    "replacement": "\ufffd",
    "not a character": "\uffff",
    "private use": "\ue000",
    "byte order mark": "\ufeff",
    "capital I with dot": "\u0130",
    "sharp s": "\u1e9e",
    "ligature": "\ufb03",
    "tags": "\U000e0041",
    "modifier letters": "\u02b0\u02bb\u02bc\u02bd",
    "quotes": "\u201c\u2019\u02ee",
    "degrees": "\u00b0\u2103",
    "currency": "\u20ac\u00a5$",
    "mathematics": "\u2212\u00d7\u00f7\u221e",
}

LOOPS: Mapping[str, str] = {
    "a phrase": "Set the port to 8002 and restart nginx. " + "restart nginx " * 40,
    "a word": "Set the port to 8002 and restart nginx" + " nginx" * 60,
    "hyphens": "Set the port to 8002 and restart nginx. " + "N-" * 80,
    "a letter": "Set the port to 8002 and restart nginx. " + "a" * 400,
    "a sentence": "Set the port to 8002 and restart nginx. " * 12,
    "too much for the sound": "Set the port to 8002 and restart nginx. "
    + " ".join(f"Then word{chr(97 + n % 26)}{chr(97 + n // 26)} followed" for n in range(120)),
    "no blanks": "Set the port to 8002 and restart nginx. " + "thankyou" * 50,
}

CONTROLS: Mapping[str, str] = {
    "clears the screen": "\x1b[2J\x1b[1;1H\x1b]0;pwned\x07 all is well \x1b[8m",
    "moves up": "\x1b[8A\x1b[0J all is well",
    "8-bit CSI": "\x9b2J all is well \x9d0;pwned\x9c",
    "returns": "all is well\rall is well",
    "backspaces": "\b" * 40 + "all is well",
    "nul and bell": "\x00\x07\x0e all is well",
    "right to left": "\u202e all is well \u2066",
    "workflow command": "well\n::stop-commands::abc\n::add-mask::e\n",
    "old workflow command": "well ##[add-mask]e ##[error]none",
    "a command where a line wraps": ("words " * 30 + "::stop-commands::abc ") * 3,
    "azure command": "well\n##vso[task.complete result=Succeeded]\n",
}
_FORBIDDEN = re.compile(
    rb"[\x00-\x08\x0b-\x1a\x1c-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|\xe2\x81[\xa6-\xa9]|\x1b(?!\[[\d;]*m)|\x1b\[8m"
)
_COMMAND = re.compile(rb"^\s*::|##\[|##vso\[", re.MULTILINE)


def _speaks(told: str) -> Mapping[str, Break]:
    text = ascii(f"Set the port to 9 {told}")
    return {
        "in a transcript": _answers(text),
        "in an exception": _answers(f"exec('raise RuntimeError(x)', {{'x': {text}}})"),
    }


def _obeyed(_: Project, ended: Ended) -> Iterable[tuple[str, str]]:
    """Nothing that a recogniser says may reach a terminal as a control character, or a CI as a command."""
    for pattern in (_FORBIDDEN, _COMMAND):
        found = pattern.search(ended.raw)
        if found is not None:
            around = ended.raw[max(0, found.start() - 30) : found.end() + 30]
            yield "obeyed", ascii(around.decode(errors="replace"))
