"""The usage formats that are read, by name."""

from cotenant.traces.pieces import by_file, by_rows
from cotenant.traces.prometheus import saved as prometheus
from cotenant.traces.public import (
    alibaba,
    azure,
    bitbrains,
    cloudwatch,
    google,
    google_jobs,
    opendc,
    planetlab,
)
from cotenant.traces.schema import Reader
from cotenant.traces.tables import canonical, table

# Asked in this order when the format is `auto`: the most particular first.
READERS: dict[str, Reader] = {
    "cotenant": Reader(canonical.recognise, canonical.read, by_rows, table.conclude),
    "opendc": Reader(opendc.recognise, opendc.read),
    "google-job-days": Reader(google_jobs.recognise, google_jobs.read),
    "bitbrains": Reader(bitbrains.recognise, bitbrains.read, by_file),
    "alibaba2018": Reader(alibaba.recognise, alibaba.read),
    "azure2017": Reader(azure.recognise, azure.read),
    "google2011": Reader(google.recognise, google.read),
    "prometheus": Reader(prometheus.recognise, prometheus.read),
    "planetlab": Reader(planetlab.recognise, planetlab.read, by_file),
    "cloudwatch": Reader(cloudwatch.recognise, cloudwatch.read),
    "table": Reader(table.recognise, table.read, by_rows, table.conclude),
}
