"""The parts of scripts/study sweeps: scenes and the command."""
