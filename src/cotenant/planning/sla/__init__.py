"""Periodic SLAs: may one replace another, do they share a host, where do they go?"""
