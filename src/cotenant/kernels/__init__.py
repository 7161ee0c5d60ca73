"""Compiled loops: arrays in, arrays out; the only room that knows numba."""
