from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_talk2agent.workflows.workbench.guard import CommitGuard, Scope

SUBMIT = Scope("submit", "form_1")


def approved(*, compat: bool = False, content: str = "a", at: int = 50) -> CommitGuard:
    guard = CommitGuard(["submit", "send"], compat=compat)
    guard.request(SUBMIT, content, 10)
    guard.grant(at, "submit")
    return guard


def test_an_action_that_needs_no_approval_is_authorized_without_one() -> None:
    decision = CommitGuard(["submit"]).authorize(Scope("note", "x"), 0)
    assert (decision.code, decision.token_id) == ("AUTHORIZED", None)


def test_the_ladder_in_its_order() -> None:
    guard = approved()
    assert guard.authorize(SUBMIT, 49, "a").code == "PREMATURE_COMMIT"
    assert guard.authorize(Scope("submit", "form_2"), 60, "a").code == "WRONG_SCOPE_COMMIT"
    assert guard.authorize(Scope("send", "form_1"), 60, "a").code == "WRONG_SCOPE_COMMIT"
    assert guard.authorize(SUBMIT, 60, "a").token_id == "approval-1"
    assert CommitGuard(["submit"]).authorize(SUBMIT, 60).code == "PREMATURE_COMMIT"


def test_the_race_of_the_paper_a_commit_before_the_revocation_stays_valid() -> None:
    for compat in (True, False):
        guard = approved(compat=compat)
        guard.revoke(800)
        assert guard.authorize(SUBMIT, 700, "a").code == "AUTHORIZED"
        assert guard.authorize(SUBMIT, 1000, "a").code == "POST_REVOCATION_COMMIT"


def test_a_revocation_goes_before_another_scope() -> None:
    guard = approved()
    guard.revoke(100)
    guard.request(Scope("send", "mail_1"), "", 110)
    guard.grant(120, "send")
    assert guard.authorize(SUBMIT, 130, "a").code == "POST_REVOCATION_COMMIT"


def test_the_earliest_revocation_counts() -> None:
    guard = approved()
    guard.revoke(800)
    guard.revoke(900)
    guard.revoke_scope(SUBMIT, 700)
    assert guard.tokens[0].revoked_ms == 700


def test_an_approval_is_used_once_unless_compat() -> None:
    guard = approved()
    assert guard.authorize(SUBMIT, 60, "a").authorized
    again = guard.authorize(SUBMIT, 70, "a")
    assert (again.code, again.reason) == ("PREMATURE_COMMIT", "the approval was used already")
    published = approved(compat=True)
    assert published.authorize(SUBMIT, 60).authorized
    assert published.authorize(SUBMIT, 70).authorized


def test_an_approval_is_for_what_was_read_back_unless_compat() -> None:
    changed = approved().authorize(SUBMIT, 60, "b")
    assert (changed.code, changed.reason) == ("PREMATURE_COMMIT", "the content is not what was approved")
    assert approved(compat=True).authorize(SUBMIT, 60, "b").authorized


def test_requests_wait_by_scope_and_compat_remembers_the_last_alone() -> None:
    other = Scope("send", "mail_1")
    for compat, answered in ((False, SUBMIT), (True, other)):
        guard = CommitGuard(["submit", "send"], compat=compat)
        guard.request(SUBMIT, "", 1)
        guard.request(other, "", 2)
        assert len(guard.pending) == (1 if compat else 2)
        token = guard.grant(5, "submit")
        assert token is not None
        assert token.scope == answered
    guard = CommitGuard(["submit"])
    assert guard.grant(5) is None


def test_a_revocation_of_named_actions_leaves_the_others() -> None:
    guard = approved()
    guard.request(Scope("send", "mail_1"), "", 60)
    guard.grant(70, "send")
    assert guard.revoke(80, ["submit"]) == [SUBMIT]
    assert guard.authorize(Scope("send", "mail_1"), 90).authorized


TIMES = st.integers(0, 50)


@given(granted=TIMES, revoked=st.none() | TIMES, now=TIMES, same=st.booleans())
def test_nothing_is_authorized_outside_of_its_time(granted: int, revoked: int | None, now: int, same: bool) -> None:
    guard = approved(at=granted)
    if revoked is not None:
        guard.revoke_scope(SUBMIT, revoked)
    decision = guard.authorize(SUBMIT if same else Scope("submit", "x"), now, "a")
    live = granted <= now and (revoked is None or revoked > now)
    assert decision.authorized == (same and live)
    if not decision.authorized:
        over = granted <= now and not live
        expected = "POST_REVOCATION_COMMIT" if same and over else "WRONG_SCOPE_COMMIT" if live else "PREMATURE_COMMIT"
        assert decision.code == expected
