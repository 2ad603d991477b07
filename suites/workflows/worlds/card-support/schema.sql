-- The card line of a bank. Whether a caller is who they say is for the agent to find out: no table knows.
CREATE TABLE customers (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  phone TEXT NOT NULL,
  street TEXT NOT NULL,
  city TEXT NOT NULL,
  email TEXT NOT NULL
);
CREATE TABLE cards (
  id TEXT PRIMARY KEY,
  customer_id TEXT NOT NULL REFERENCES customers (id),
  kind TEXT NOT NULL CHECK (kind IN ('debit', 'credit')),
  last4 TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'frozen', 'cancelled'))
);
CREATE TABLE replacements (
  id INTEGER PRIMARY KEY,
  card_id TEXT NOT NULL REFERENCES cards (id),
  new_card_id TEXT NOT NULL,
  new_last4 TEXT NOT NULL,
  reason TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('requested', 'mailed', 'delivered')),
  requested_on TEXT NOT NULL,
  business_days INTEGER NOT NULL
);
-- Numbers that the next new cards get, in this order.
CREATE TABLE card_stock (
  place INTEGER PRIMARY KEY,
  card_id TEXT NOT NULL,
  last4 TEXT NOT NULL
);
