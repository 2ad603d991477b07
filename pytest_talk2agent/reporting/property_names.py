"""Names of report properties that several modules know: a file of its own, as the idle plugin loads no other."""

RECORD = "t2a.result"

ITEM = "t2a.item"
"""The user property by which the report of an item says what the item is."""
