"""Keeping the promise tomorrow: what was the day like, and what has to move tonight?

`kept.py` is what a state remembers for it, changed by events only. The night
(`night.py`), the guard of the day (`shed.py`) and the curve (`curve.py`) work on a
picture of the state, beside the thread that decides; what they find is recorded in one
transaction, or not at all. Imported by the state and by the application.
"""
