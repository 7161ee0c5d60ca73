"""Files to demands: readers of usage formats, cleaning, one canonical form."""

from cotenant.traces import (
    alibaba,
    azure,
    bitbrains,
    canonical,
    cloudwatch,
    google,
    google_jobs,
    opendc,
    planetlab,
    prometheus,
    table,
)
from cotenant.traces.schema import Reader

# Asked in this order when the format is `auto`: the most particular first.
READERS: dict[str, Reader] = {
    "cotenant": Reader(canonical.recognise, canonical.read),
    "opendc": Reader(opendc.recognise, opendc.read),
    "google-job-days": Reader(google_jobs.recognise, google_jobs.read),
    "bitbrains": Reader(bitbrains.recognise, bitbrains.read),
    "alibaba2018": Reader(alibaba.recognise, alibaba.read),
    "azure2017": Reader(azure.recognise, azure.read),
    "google2011": Reader(google.recognise, google.read),
    "prometheus": Reader(prometheus.recognise, prometheus.read),
    "planetlab": Reader(planetlab.recognise, planetlab.read),
    "cloudwatch": Reader(cloudwatch.recognise, cloudwatch.read),
    "table": Reader(table.recognise, table.read),
}
