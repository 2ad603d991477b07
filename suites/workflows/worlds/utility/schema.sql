-- A utility that sells electricity. Amounts are whole cents, days are YYYY-MM-DD.
CREATE TABLE accounts (
  number TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  postcode TEXT NOT NULL,
  email TEXT NOT NULL,
  paperless INTEGER NOT NULL,
  income_fpl INTEGER,          -- income as per cent of the federal poverty level, where it is on record
  defaulted_on TEXT,           -- the last day on which a payment plan was broken
  extended_on TEXT             -- the last day on which a due date was extended
);
CREATE TABLE payment_cards (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (number),
  last4 TEXT NOT NULL,
  declines INTEGER NOT NULL
);
CREATE TABLE bills (
  id TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (number),
  period_from TEXT NOT NULL,
  period_to TEXT NOT NULL,
  due_on TEXT NOT NULL,
  kwh INTEGER NOT NULL,
  metered_cents INTEGER NOT NULL,
  fixed_cents INTEGER NOT NULL,
  tax_cents INTEGER NOT NULL,
  left_cents INTEGER NOT NULL CHECK (left_cents >= 0)
);
CREATE TABLE payments (
  id INTEGER PRIMARY KEY,
  bill_id TEXT NOT NULL REFERENCES bills (id),
  card_id TEXT NOT NULL REFERENCES payment_cards (id),
  cents INTEGER NOT NULL,
  paid_on TEXT NOT NULL
);
CREATE TABLE plans (
  id INTEGER PRIMARY KEY,
  account TEXT NOT NULL REFERENCES accounts (number),
  installments INTEGER NOT NULL,
  financed_cents INTEGER NOT NULL,
  first_cents INTEGER NOT NULL,
  monthly_cents INTEGER NOT NULL,
  first_due_on TEXT NOT NULL,
  status TEXT NOT NULL
);
CREATE TABLE transfers (
  id INTEGER PRIMARY KEY,
  reason TEXT NOT NULL
);
-- This call: the account that the caller was verified for, and how often that failed.
CREATE TABLE calls (
  id INTEGER PRIMARY KEY,
  account TEXT REFERENCES accounts (number),
  failures INTEGER NOT NULL
);
