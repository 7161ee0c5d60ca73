"""Was the promise kept tomorrow? Seven sets of public traces, three promises."""
