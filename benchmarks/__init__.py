"""Measurements against a baseline in the same run; never part of the tests."""
