"""The parts of scripts/study schemes: scenes, and the command, which writes the page."""
