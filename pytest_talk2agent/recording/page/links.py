"""Who may record: a link for each speaker, with a token that nobody can guess.

Apart, as the page reads links and the command line makes them.

The token stands behind the ``#`` of the link, which browsers send to no server and put into no log or referrer; the
page sends it in a header. It is no cookie, so that a page of another site has nothing to make a browser send.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from pytest_talk2agent.recording.durable import PRIVATE, write_durably
from pytest_talk2agent.recording.page.take import TakeError

FILE = ".studio.json"


class Links(BaseModel):
    """The name of a folder to browsers, and the token of each speaker. Kept, so that links outlive the server."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    studio: str
    tokens: dict[str, str]

    def speaker_of(self, token: str) -> str | None:
        """Whose token it is; None for nobody's. Takes as long for a token that is nearly right."""
        found = None
        for speaker, own in self.tokens.items():
            if hmac.compare_digest(own.encode(), token.encode()):
                found = speaker
        return found


def links_of(folder: Path, speakers: Sequence[str]) -> Links:
    """The links of a folder for these speakers, made where they are missing; raises TakeError, OSError."""
    path = folder / FILE
    known = Links(studio=secrets.token_hex(8), tokens={})
    if path.exists():
        try:
            known = Links.model_validate_json(path.read_bytes())
        except ValidationError:
            raise TakeError(f"{path}: damaged; delete it, which makes new links") from None
    tokens = {speaker: secrets.token_urlsafe(32) for speaker in speakers} | known.tokens
    data = {"studio": known.studio, "tokens": tokens}
    write_durably(path, json.dumps(data, indent=1).encode(), PRIVATE)
    return Links(studio=known.studio, tokens={speaker: tokens[speaker] for speaker in speakers})
