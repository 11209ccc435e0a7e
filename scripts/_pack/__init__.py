"""The parts of scripts/pack: sizes, scenes, and the search for a solid fraction."""
