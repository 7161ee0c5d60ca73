"""In CI the examples of properties are the same in every run; at a desk they vary.

Nowhere do they fail for being slow: other work may be on the machine.
"""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None)
settings.register_profile("desk", deadline=None)
settings.load_profile("ci" if os.environ.get("CI") else "desk")
