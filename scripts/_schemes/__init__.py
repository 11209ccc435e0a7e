"""The parts of scripts/study schemes: scenes, and the page."""
