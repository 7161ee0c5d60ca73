"""Numbers as the ledger says them: plain decimals for people."""


def percent(share: float) -> str:
    """Return a share in percent, three digits and never an exponent.

    >>> percent(0.00087), percent(2.49e-7), percent(0.5), percent(0.0), percent(3e-14)
    ('0.087 %', '0.0000249 %', '50 %', '0 %', 'under 0.00000001 %')
    """
    if 0.0 < share < 1e-10:
        return "under 0.00000001 %"
    digits = f"{100.0 * share:.3g}"
    if "e" in digits:
        digits = f"{float(digits):.10f}".rstrip("0").rstrip(".")
    return f"{digits} %"
