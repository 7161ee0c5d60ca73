"""Time: judges a placement on what happens, or happened, after it was made."""
