"""Hypothesis strategies for the values of the package."""

from hypothesis import strategies as st

from cotenant.demand.usage import Usage


def samples(most: float = 0.6, size: int = 8) -> st.SearchStrategy[list[float]]:
    """Usages in hundredths, so that sums are exact on round grids."""
    top = round(most * 100)
    return st.lists(
        st.integers(0, top).map(lambda n: n / 100), min_size=1, max_size=size
    )


usages = samples().map(Usage.from_samples)
rhos = st.floats(1e-4, 0.4)
