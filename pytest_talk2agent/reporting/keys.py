"""Names of report properties that more than one module must know. Imports nothing: the idle plugin reads it."""

RECORD = "t2a.result"
