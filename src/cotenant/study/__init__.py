"""Which experiments can be run, and what do they show?

Gives: `profile`, what a usage trace is like, its figures functions of arrays
that other studies call; `grid`, experiments as data; `gpa` and `look_ahead`,
the papers' experiments redone. May import every room but `cli` and `service`.
"""
