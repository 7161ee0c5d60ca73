"""Online placement: where does this task go now, and is the answer kept?

The core (`core.py`) answers and remembers; the ledger (`ledger.py`) makes every answer
durable before it is given. HTTP, the Kubernetes extender and the dashboard sit on top
and hold no state of their own. May import every room below; nothing imports it but the
command line.
"""
