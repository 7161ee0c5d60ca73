"""Files to demands: readers of usage formats, cleaning, one canonical form."""
