"""Runs of Scree in Python."""
