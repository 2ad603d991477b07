"""Whether a chat model answered a recording instead of transcribing it.

Conservative: a transcript that is taken for an answer costs a task its verdict; an answer that is taken for a
transcript is judged, and what it does not retain counts as lost. So only these count, none of which a person says to
an agent:

- an assistant's apology or refusal at the beginning: "I'm sorry, but I can't assist", "I cannot transcribe", "As an
  AI";
- consent at the beginning that goes on to deliver: "Sure, here is", "Certainly! I'll";
- an announcement or a report in place of the words: "Here is the transcript", "Transcription:", "The speaker says",
  even where the words follow in quotation marks: an agent would be given the announcement, too;
- a fenced block of code, or "you can use the following command".
"""

from __future__ import annotations

import re

_CANNOT = r"(?:can(?:'t|not)|can not|could(?:n't| not)|(?:am|'m) (?:not able|unable))"
_MATTER = r"(?:this|that|your|the (?:audio|request))"
_TASK = rf"(?:assist|comply|fulfil+|transcribe|listen to|(?:help|process) (?:with )?{_MATTER})"
# Only behind an apology: "I can't hear the audio, turn it up" is a request.
_ACT = rf"(?:{_TASK}|help|process|access|provide|hear|understand|identify|do that)"
_CONSENT = r"(?:sure(?: thing)?|certainly|of course|absolutely|got it)"
_DELIVERY = r"(?:here(?:'s| is| are| you go)|i(?:'ll| will|'ve| have)|let me)"
_TRANSCRIPT = r"(?:\w+ ){0,3}(?:transcript(?:ion)?|transcribed (?:text|audio))"
_SOURCE = r"(?:speaker|audio(?: clip| file)?|recording|voice(?: message)?)"
_SAYING = r"(?:says|said|is saying|asks|is asking|states|instructs|requests)"

_OPENING = re.compile(
    "|".join(
        (
            rf"(?:i(?:'m| am) sorry|sorry|i apologi[sz]e|unfortunately)[,.]? (?:but )?i ?{_CANNOT} (?:to )?{_ACT}\b",
            rf"i ?{_CANNOT} (?:to )?(?:directly )?{_TASK}\b",
            r"as an? (?:ai(?: (?:(?:language )?model|assistant)|,)|(?:large )?language model)",
            rf"{_CONSENT}[,.!]+ {_DELIVERY}\b",
            rf"(?:here(?:'s| is)|this is|below is|the following is) (?:the|an?|your) {_TRANSCRIPT}\b",
            rf"(?:the )?{_TRANSCRIPT}(?: (?:of|for) (?:the|this|your) {_SOURCE})?(?: is| reads)?(?: as follows)?:",
            rf"(?:in (?:the|this) {_SOURCE}, )?the {_SOURCE}(?: in (?:the|this) {_SOURCE})? {_SAYING}\b",
        )
    )
)
_ANYWHERE = re.compile(r"```|\byou can (?:use|run) the following (?:command|script|code)\b")
_MARKUP = " \t\r\n*_#>\"'“”‘"


def is_answer(text: str) -> bool:
    """Whether this is an assistant's answer rather than the words of a recording."""
    plain = " ".join(text.replace("’", "'").lower().split())
    return bool(_OPENING.match(plain.lstrip(_MARKUP)) or _ANYWHERE.search(plain))
