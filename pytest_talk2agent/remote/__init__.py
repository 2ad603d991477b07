"""One client for every served model: HTTP, keys, faults, budget and prices, chat completions, options."""
