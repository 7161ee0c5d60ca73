"""Which experiments can be run, and what do they show?

Gives: `profile`, what a usage trace is like. Its figures are functions of arrays, so that
other studies call them one by one. May import every room but `cli` and `service`.
"""
