"""An agent without a model: it does exactly what the transcript says, in the small language of the shipped tasks.

It reads the transcript alone, looks at what is there, and knows a table of orders. What it does not understand, it does
not do. So it is the control that shows how execution falls when words fall.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from shlex import quote

from pytest_talk2agent.execution.agents import bench
from pytest_talk2agent.execution.agents.spoken import written
from pytest_talk2agent.execution.sandbox import Mount
from pytest_talk2agent.execution.session import Session
from pytest_talk2agent.speech.times import times
from pytest_talk2agent.speech.tokens import tokenise
from pytest_talk2agent.tasks.executable import HOME

VERSION = "1"

_LOOK = "find ~ /srv /data /var /etc -not -path '*/.git/*' 2>/dev/null | head -2000"
_NAME = r"[\w~./-]*[\w/]"
_SIZES = {"kb": 10**3, "kilobytes": 10**3, "mb": 10**6, "megabytes": 10**6, "gb": 10**9, "gigabytes": 10**9}
_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10080}
_NOT = r"(?:do not|don't|dont|never|not|without)"


@dataclass(frozen=True)
class Place:
    """What the agent sees: every path there is."""

    paths: tuple[str, ...] = field(default=())

    def named(self, name: str) -> str:
        """The path that a name means: as it is written, or else with other capitals, or else where it would be."""
        full = HOME + name[1:] if name.startswith("~") else name
        full = full.removeprefix("./")
        ends = full if full.startswith("/") else f"/{full}"
        for same in (str, str.casefold):
            found = [path for path in self.paths if same(path) == same(full) or same(path).endswith(same(ends))]
            if found:
                return min(found, key=len)
        return full if full.startswith("/") else f"{HOME}/{full}"


def _said(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


def _move(order: re.Match[str], text: str, place: Place) -> list[str]:
    target, source = place.named(order["to"]), place.named(order["from"])
    pattern = quote(f"{order['prefix']}*.{order['kind'].removesuffix('s').lower()}")
    return [
        f"mkdir -p {quote(target)}",
        f"find {quote(source)} -maxdepth 1 -type f -iname {pattern} -exec mv -n -t {quote(target)} {{}} +",
    ]


def _clean(order: re.Match[str], text: str, place: Place) -> list[str]:
    folder = place.named(order["folder"])
    minutes = int(order["count"]) * _MINUTES[order["unit"].lower()]
    kept = re.search(rf"{_NOT} (?:touch|delete|remove) (?:the )?folder called (\w+)", text, re.IGNORECASE)
    spared = f" -not -path {quote(f'{folder}/{kept[1]}/*')}" if kept else ""
    return [f"find {quote(folder)} -type f -mmin +{minutes}{spared} -delete"]


def _list(order: re.Match[str], text: str, place: Place) -> list[str]:
    size = int(order["count"]) * _SIZES[order["unit"].lower()]
    sort = "-n" if _said("smallest first", text) else "-rn" if _said("(?:largest|biggest) first", text) else "-k2"
    root, out = place.named(order["root"]), place.named(order["out"])
    return [
        f"find {quote(root)} -type f -size +{size}c -printf '%s %p\\n' | sort {sort} | cut -d' ' -f2- > {quote(out)}"
    ]


def _by_month(order: re.Match[str], text: str, place: Place) -> list[str]:
    root, act = place.named(order["root"]), "cp" if _said(r"copy (?:the|them)", text) else "mv"
    width, first, last = len(order["first"]), int(order["first"]), int(order["last"])
    return [
        f"cd {quote(root)} && for n in $(seq {first} {last}); do d=$(printf %0{width}d $n); mkdir -p $d; "
        f"for f in *_$(printf %02d $n)??.*; do [ -f $f ] && {act} $f $d/; done; done; true"
    ]


def _branch(order: re.Match[str], text: str, place: Place) -> list[str]:
    name = quote(order["name"])
    commands = [f"{_INTO_REPOSITORY} && git switch -q -c {name} v{order['base']}"]
    if _said(r"push (?:it )?to origin", text):
        force = " --force" if _said("forc(?:e|ing)", text) and not _said(rf"(?:{_NOT}|no) forc", text) else ""
        commands.append(f"{_INTO_REPOSITORY} && git push -q{force} origin {name}")
    if _said("pull request", text):
        draft = " --draft" if _said("draft pull request", text) else ""
        commands.append(f"{_INTO_REPOSITORY} && pr open{draft}")
    return commands


def _commit(order: re.Match[str], text: str, place: Place) -> list[str]:
    ticket = re.search(r"ticket (\w+) in the last line", text, re.IGNORECASE)
    last = f" -m {quote(f'Ticket {ticket[1]}')}" if ticket else ""
    commands = [f"{_INTO_REPOSITORY} && git commit -q -m {quote(_sentence(order['message']))}{last}"]
    if _said(r"\bpush\b", text) and not _said(rf"{_NOT} push", text):
        commands.append(f"{_INTO_REPOSITORY} && git push -q origin HEAD")
    return commands


def _reading_light(order: re.Match[str], text: str, place: Place) -> list[str]:
    settings = {"mode": order["state"].lower()}
    clock = [f"{minute // 60:02d}:{minute % 60:02d}" for minute in map(_minute, _times(text))]
    settings.update(zip(("begin", "end"), clock, strict=False))
    if blue := re.search(r"blues? by (\d+) ?%", text):
        settings["blue"] = f"{blue[1]}%"
    return [f"settings reading-light {key} {quote(value)}" for key, value in settings.items()]


def _bookmark(order: re.Match[str], text: str, place: Place) -> list[str]:
    words = [order["page"], _sentence(order["name"])]
    if folder := re.search(r"in the folder (\w+)", text, re.IGNORECASE):
        words.append(place.named(f"~/bookmarks/{folder[1]}").rpartition("/")[2])
        words += ["first"] if _said("make it the (?:first|top)", text) else []
    return [f"bookmark {' '.join(map(quote, words))}"]


def _applications(order: re.Match[str], text: str, place: Place) -> list[str]:
    settings = {"video": order["video"]}
    if other := re.search(r"or with the ([\w -]+?) if that fails", text, re.IGNORECASE):
        settings["video-fallback"] = other[1].replace("-", " ").lower()
    if web := re.search(r"open web pages with (\w+)", text, re.IGNORECASE):
        settings["web"] = web[1]
    if size := re.search(r"text size to (\d+) ?%", text, re.IGNORECASE):
        settings["text-size"] = f"{size[1]}%"
    return [f"settings applications {key} {quote(value)}" for key, value in settings.items()]


def _tag(order: re.Match[str], text: str, place: Place) -> list[str]:
    tags = {"title": _sentence(order["title"])}
    if year := re.search(r"the year (\d{4})", text, re.IGNORECASE):
        tags["year"] = year[1]
    if host := re.search(r"set the host to ([\w ]+)", text, re.IGNORECASE):
        tags["host"] = host[1].strip()
    return [f"tag {quote(place.named(order['file']))} {key} {quote(value)}" for key, value in tags.items()]


def _pay(order: re.Match[str], text: str, place: Place) -> list[str]:
    amount = order["printed"] or f"{order['euros']}.{int(order['cents'] or 0):02d}"
    words = [amount, order["payee"]]
    if invoice := re.search(r"for invoice ([A-Za-z]+)[ -]?(\d+)", text, re.IGNORECASE):
        words += ["--invoice", f"{invoice[1].upper()}-{invoice[2]}"]
    if account := re.search(r"from the (\w+) account", text, re.IGNORECASE):
        words += ["--from", account[1].lower()]
    if _said("instant payment", text) and not _said(rf"{_NOT} send it as an instant", text):
        words.append("--instant")
    return [f"pay {' '.join(map(quote, words))}"]


def _pool(order: re.Match[str], text: str, place: Place) -> list[str]:
    key, value = re.sub(r"\s+", "_", order["key"].strip()), order["value"]
    commands = [f"sed -i {quote(f's/^{key}=.*/{key}={value}/')} {quote(place.named('pool.ini'))}"]
    if index := re.search(r"rebuild the index ([\w ]+?)(?: in snake case)?(?:,|\.|$| and )", text, re.IGNORECASE):
        stop = f" --stop-after {_duration(text)}" if _said("stop if it takes longer", text) else ""
        commands.append(f"reindex {quote(re.sub(' +', '_', index[1].strip()))}{stop}")
    return commands


Order = Callable[[re.Match[str], str, Place], list[str]]
ORDERS: tuple[tuple[str, Order], ...] = (
    (
        rf"move every (?P<kind>\w+) in (?P<from>{_NAME}) whose name (?:starts|begins) with (?P<prefix>\w+) to"
        rf" (?P<to>{_NAME})",
        _move,
    ),
    (
        r"folder called (?P<folder>\w+).*?delete all files older than (?P<count>\d+) (?P<unit>minute|hour|day|week)",
        _clean,
    ),
    (
        rf"in (?P<root>{_NAME}),? list all files (?:above|over|larger than) (?P<count>\d+) ?(?P<unit>[kmg]\w+)"
        rf".*write the list to (?P<out>{_NAME})",
        _list,
    ),
    (
        rf"sort the pictures in (?P<root>{_NAME}) into (?:one|1|a) folder (?:per|for each|for every) month"
        r".*folders (?P<first>\d+) to (?P<last>\d+)",
        _by_month,
    ),
    (rf"create a branch called (?P<name>{_NAME}) from version (?P<base>\d[\d.]*\d)", _branch),
    (
        r"commit the staged? changes with the message,? \"?"
        r"(?P<message>[^\",.]+?)(?:[\",.]| mention ticket| and do not|$)",
        _commit,
    ),
    (r"turn the reading light mode (?P<state>on|off)", _reading_light),
    (r"bookmark (?P<page>\S+) under the name,? \"?(?P<name>[^\",]+?)(?:[\",]| in the folder|$)", _bookmark),
    (r"open videos with (?P<video>\w+)", _applications),
    (rf"tag (?P<file>{_NAME}) with the title,? \"?(?P<title>[^\",]+?)\"?(?:,| and the year|$)", _tag),
    (
        r"transfer (?:€(?P<printed>[\d.]+\d)|(?P<euros>\d+) euros?(?: and (?P<cents>\d+) cents?)?) to the bakery"
        r" (?P<payee>\w+)",
        _pay,
    ),
    (r"set (?P<key>[\w ]+?) to (?P<value>\d+) in the pool settings", _pool),
)
"""What a transcript may say, to what is then done."""

_INTO_REPOSITORY = 'cd "$(dirname "$(find ~ -maxdepth 2 -name .git -print -quit)")"'


class Obedient:
    """Does what the transcript says."""

    mounts: tuple[Mount, ...] = ()

    def identity(self) -> Mapping[str, str]:
        """Its name, and the version of its table."""
        return {"name": "obedient", "version": VERSION}

    def act(self, transcript: str, session: Session) -> None:
        """Look, understand, act."""
        session.receive(transcript)
        place = Place(tuple(session.run(_LOOK).output.splitlines()))
        for command in understood(transcript, place):
            session.run(command)


def understood(transcript: str, place: Place) -> list[str]:
    """The shell commands that a transcript asks for, where these paths are."""
    text = written(transcript)
    if f"{HOME}/bin/bench" in place.paths:
        return [f"bench {' '.join(map(quote, deed.split()))}" for deed in bench.deeds(text)]
    found = ((re.search(pattern, text, re.IGNORECASE | re.DOTALL), act) for pattern, act in ORDERS)
    return [command for order, act in found if order is not None for command in act(order, text, place)]


def _sentence(text: str) -> str:
    text = text.strip()
    return text[:1].upper() + text[1:]


def _times(text: str) -> list[frozenset[int]]:
    stream = tokenise(text)
    return [time.minutes for time in times(stream, 0, len(stream))]


def _minute(readings: frozenset[int]) -> int:
    return min(readings)


def _duration(text: str) -> int:
    found = re.search(
        r"longer than (?:(?P<count>\d+|an?) (?P<unit>minute|hour)s?(?P<half> and a half)?|(?P<other>\d+) min)",
        text,
        re.IGNORECASE,
    )
    if found is None or found["unit"] is None:
        return 0
    count = 1 if found["count"].startswith("a") else int(found["count"])
    unit = _MINUTES[found["unit"].lower()]
    return count * unit + (unit // 2 if found["half"] else 0)
