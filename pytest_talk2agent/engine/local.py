"""The pass in a thread of this process."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from pytest_talk2agent.engine.job import Job
from pytest_talk2agent.engine.mailbox import Mailbox
from pytest_talk2agent.engine.progress import Progress
from pytest_talk2agent.engine.setup import Setup
from pytest_talk2agent.engine.transcription import transcribe_all
from pytest_talk2agent.results.store import Store


def start_local(jobs: Sequence[Job], store: Store, setup: Setup, report: Callable[[Progress], None]) -> Mailbox:
    """Transcribe in the background; the mailbox fills while the caller goes on and is closed at the end."""
    mailbox = Mailbox()

    def run() -> None:
        reason = "the transcription pass ended without this recording"
        try:
            transcribe_all(jobs, store, setup, mailbox.deliver, report)
        except Exception as error:
            reason = f"the transcription pass failed: {type(error).__name__}: {error}"
        finally:
            mailbox.close(reason)

    threading.Thread(target=run, name="t2a-transcription", daemon=True).start()
    return mailbox
