"""Crawlers: documents fetched politely into a folder, with a manifest that says of each where it came from.

A source lists Targets; the run asks for each under one policy, keeps what it gets, and goes on where it was killed.
"""
