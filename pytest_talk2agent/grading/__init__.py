"""Pure mathematics: expression, game, Native, Shapley and their exact intervals (standard library only)."""
