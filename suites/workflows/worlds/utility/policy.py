"""The rules of the utility: who is verified, what a payment plan costs, and why a bill rose."""

from datetime import date
from fractions import Fraction

MOST_FAILURES = 3
SHUTOFF_CENTS, SHUTOFF_DAYS = 50_000, 60
LEAST_ARREARS_CENTS = 5_000
MONTH = Fraction("30.44")
"""Days in a month, for how long ago a plan was broken."""
FIRST_DUE_DAYS = 30
TERMS = ((150, 60), (250, 36), (300, 12))
"""The longest plan, in months, for an income up to so many per cent of the poverty level."""
USUAL_TERM = 6
SOUNDS = ("bfpv", "cgjkqsxz", "dt", "l", "mn", "r")
SOUNDEX = {letter: digit for digit, letters in enumerate(SOUNDS, 1) for letter in letters}

_ACCOUNT = "SELECT * FROM accounts WHERE number = (SELECT account FROM calls WHERE id = 1)"
_CARDS = "SELECT id, last4 FROM payment_cards WHERE account = :number ORDER BY id"
_LATE = "SELECT * FROM bills WHERE account = :number AND left_cents > 0 AND due_on < :today ORDER BY due_on"


def verify(work):
    """Verify the caller; it says only whether that worked, and how often it may be tried again."""
    failures = work.value("SELECT failures FROM calls WHERE id = 1")
    if failures >= MOST_FAILURES:
        work.refuse("locked out")
    account = work.row("SELECT * FROM accounts WHERE number = :account_number")
    if account is not None and _same_name(work.args["name"], account["name"]) and _knows(work, account):
        work.write("UPDATE calls SET account = :account_number WHERE id = 1")
        return {"verified": True}
    work.write("UPDATE calls SET failures = failures + 1 WHERE id = 1")
    return {"verified": False, "attempts_remaining": MOST_FAILURES - failures - 1}


def _knows(work, account):
    """The second factor: last four digits of a card, the postcode, or the total of the latest bill."""
    said = "".join(sign for sign in work.args["second_factor"] if sign.isdigit())
    number = {"number": account["number"]}
    cards = work.rows(_CARDS, **number)
    latest = work.row("SELECT * FROM bills WHERE account = :number ORDER BY due_on DESC", **number)
    known = {card["last4"] for card in cards} | {account["postcode"]}
    if latest is not None:
        known.add(str(latest["metered_cents"] + latest["fixed_cents"] + latest["tax_cents"]))
    return said in known


def _same_name(heard, name):
    one, other = heard.casefold().split(), name.casefold().split()
    return len(one) == len(other) and all(_sound(a) == _sound(b) for a, b in zip(one, other, strict=True))


def _sound(word):
    """Soundex: the first letter, and up to three digits for the sounds that follow."""
    letters = [letter for letter in word if letter.isalpha()]
    digits, last = "", SOUNDEX.get(letters[0], 0) if letters else 0
    for letter in letters[1:]:
        digit = SOUNDEX.get(letter, 0)
        if digit and digit != last:
            digits += str(digit)
        if letter not in "hw":
            last = digit
    return (letters[0] + f"{digits}000"[:3]) if letters else ""


def account(work):
    """The account that the caller was verified for."""
    held = work.row(_ACCOUNT)
    arrears, days = _arrears(work, held)
    return {
        "account_number": held["number"],
        "email": held["email"],
        "paperless": bool(held["paperless"]),
        "past_due_cents": arrears,
        "days_past_due": days,
        "longest_plan": _term(held),
        "must_transfer": _is_shutoff(arrears, days),
        "active_plan": _plan(work, held) is not None,
        "cards": work.rows(_CARDS, number=held["number"]),
    }


def _arrears(work, held):
    """What is open and past due, in cents, and how many days the oldest of it is late."""
    late = work.rows(_LATE, number=held["number"])
    days = max(((work.today - date.fromisoformat(bill["due_on"])).days for bill in late), default=0)
    return sum(bill["left_cents"] for bill in late), days


def _is_shutoff(arrears, days):
    return arrears >= SHUTOFF_CENTS and days >= SHUTOFF_DAYS


def _term(held):
    income = held["income_fpl"]
    return next((months for most, months in TERMS if income is not None and income <= most), USUAL_TERM)


def _plan(work, held):
    return work.row("SELECT * FROM plans WHERE account = :number AND status = 'active'", number=held["number"])


def bills(work):
    """Its bills, the newest first."""
    return {
        "bills": work.rows(
            "SELECT id, period_from, period_to, due_on, kwh, metered_cents + fixed_cents + tax_cents AS total_cents,"
            " left_cents FROM bills WHERE account = (SELECT account FROM calls WHERE id = 1) ORDER BY due_on DESC"
        )
    }


def _bill(work, name):
    bill = work.row("SELECT * FROM bills WHERE id = :id", id=work.args[name])
    if bill is None or bill["account"] != work.value("SELECT account FROM calls WHERE id = 1"):
        work.refuse(f"the account has no bill {work.args[name]}")
    return bill


def compare(work):
    """Why one bill differs from another, in cents that add up to the difference."""
    now, was = _bill(work, "bill_id"), _bill(work, "compare_to_bill_id")
    rate_now, rate_was = (Fraction(bill["metered_cents"], bill["kwh"] or 1) for bill in (now, was))
    difference = sum(now[part] - was[part] for part in ("metered_cents", "fixed_cents", "tax_cents"))
    usage = round((now["kwh"] - was["kwh"]) * rate_was)
    rate = round((rate_now - rate_was) * now["kwh"])
    effects = {"usage": usage, "rate": rate, "other": difference - usage - rate}
    return {
        "difference_cents": difference,
        "usage_effect_cents": usage,
        "rate_effect_cents": rate,
        "other_effect_cents": effects["other"],
        "kwh_change": now["kwh"] - was["kwh"],
        "primary_drivers": [name for name, cents in effects.items() if abs(cents) >= 100],
    }


def pay(work):
    """Pay a bill in full."""
    bill, cents = _bill(work, "bill_id"), work.args["amount_cents"]
    card = work.row("SELECT * FROM payment_cards WHERE id = :card_id AND account = :account", account=bill["account"])
    if card is None:
        work.refuse("the account has no such card")
    if bill["left_cents"] == 0:
        work.refuse("the bill is paid already")
    if cents != bill["left_cents"]:
        work.refuse("a bill is paid in full; the amount is not what is left of it")
    if card["declines"]:
        work.refuse("the card was declined")
    number = work.value("SELECT coalesce(max(id), 9000) + 1 FROM payments")
    work.write("INSERT INTO payments VALUES (:number, :bill_id, :card_id, :amount_cents, :today)", number=number)
    work.write("UPDATE bills SET left_cents = 0 WHERE id = :bill_id")
    return {"paid": True, "amount_paid_cents": cents, "payment_id": number}


def _quoted(work):
    held = work.row(_ACCOUNT)
    arrears, days = _arrears(work, held)
    months = work.args["installments"]
    if _is_shutoff(arrears, days):
        work.refuse("the account is due for shutoff; only a colleague may act on it: transfer the call")
    if _plan(work, held) is not None:
        work.refuse("the account has a plan already")
    if arrears < LEAST_ARREARS_CENTS:
        work.refuse("less than 50 dollars is past due; there is no plan for that")
    if not 2 <= months <= _term(held):
        work.refuse(f"a plan for this account has 2 to {_term(held)} installments")
    broken = held["defaulted_on"]
    recent = broken is not None and Fraction((work.today - date.fromisoformat(broken)).days) / MONTH < 12
    down = (arrears + 2) // 4 if recent else 0  # a quarter, rounded to the cent
    base, rest = divmod(arrears - down, months)
    return held, {
        "arrears_cents": arrears,
        "down_payment_cents": down,
        "first_payment_cents": base + rest,
        "monthly_cents": base,
        "installments": months,
        "first_due_on": work.clock.after(FIRST_DUE_DAYS).isoformat(),
    }


def quote(work):
    """What a plan would cost; nothing is written."""
    return _quoted(work)[1]


def create(work):
    """Enrol the account in a plan."""
    held, terms = _quoted(work)
    if terms["down_payment_cents"]:
        work.refuse("this plan needs a down payment, which only a colleague can take: transfer the call")
    number = work.value("SELECT coalesce(max(id), 300) + 1 FROM plans")
    work.write(
        "INSERT INTO plans VALUES (:id, :account, :installments, :financed, :first, :monthly, :due, 'active')",
        id=number,
        account=held["number"],
        financed=terms["arrears_cents"],
        first=terms["first_payment_cents"],
        monthly=terms["monthly_cents"],
        due=terms["first_due_on"],
    )
    return {"plan_id": number, **terms}


def extend(work):
    """Extend the due date of a bill."""
    bill, days = _bill(work, "bill_id"), work.args["days"]
    held = work.row(_ACCOUNT)
    if not 1 <= days <= 15:
        work.refuse("a due date is extended by 1 to 15 days")
    if bill["left_cents"] == 0:
        work.refuse("the bill is paid already")
    last = held["extended_on"]
    if last is not None and Fraction((work.today - date.fromisoformat(last)).days) / MONTH < 12:
        work.refuse("a due date was extended within the last twelve months")
    due = date.fromordinal(date.fromisoformat(bill["due_on"]).toordinal() + days).isoformat()
    work.write("UPDATE bills SET due_on = :due WHERE id = :bill_id", due=due)
    work.write("UPDATE accounts SET extended_on = :today WHERE number = :number", number=held["number"])
    return {"due_on": due}


def paperless(work):
    """Send bills by e-mail or by post."""
    held = work.row(_ACCOUNT)
    work.write(
        "UPDATE accounts SET paperless = :wanted WHERE number = :number",
        wanted=int(work.args["enabled"]),
        number=held["number"],
    )
    return {"paperless": work.args["enabled"], "email": held["email"]}


def transfer(work):
    """Pass the call on."""
    number = work.value("SELECT coalesce(max(id), 0) + 1 FROM transfers")
    work.write("INSERT INTO transfers VALUES (:number, :reason)", number=number)
    return {"transferred": True}
