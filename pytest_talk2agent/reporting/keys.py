"""Names of report properties that more than one module must know. Imports nothing: the idle plugin reads it."""

RECORD = "t2a.result"

ITEM = "t2a.item"
"""The user property by which the report of an item says what the item is."""
