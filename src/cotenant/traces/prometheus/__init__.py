"""Prometheus range queries, saved and live."""
