"""The parts of scripts/study accuracy: scenes, figures, and the command."""
