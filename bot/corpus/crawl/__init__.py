"""Crawlers: documents fetched politely into a folder, with a manifest of their origins.

A source lists Targets; the run asks for each under one policy, keeps what it gets, and goes on where it was killed.
"""
