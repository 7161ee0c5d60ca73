"""Files to demands: readers of usage formats, cleaning, one canonical form."""

from cotenant.traces import planetlab
from cotenant.traces.schema import Reader

# Asked in this order when the format is `auto`: the most particular first.
READERS: dict[str, Reader] = {
    "planetlab": Reader(planetlab.recognise, planetlab.read),
}
