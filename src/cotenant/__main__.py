"""`python -m cotenant` is the command `cotenant`."""

from cotenant.cli import main

if __name__ == "__main__":
    main()
