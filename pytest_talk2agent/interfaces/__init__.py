"""Sound to text: spec strings, the protocol, and one module for each family of recognisers."""
