"""How many machines do these workloads need, which goes where, what to expect?"""

__version__ = "0.1.0"
