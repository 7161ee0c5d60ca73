"""Engine 1: tasks that share a machine. May this demand join, and where does it go?"""

from cotenant.colocate.rules import Rule, best_fit, first_fit

RULES: dict[str, Rule] = {"best-fit": best_fit, "first-fit": first_fit}
