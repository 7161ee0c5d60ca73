"""Periodic tasks on unit hosts: host tests, rewrites, one by one or repacked."""
