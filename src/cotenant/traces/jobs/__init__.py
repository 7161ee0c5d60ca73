"""Job logs: readers, repairs, clusters, load, a model of our own."""
