"""What scripts/pack makes a packing with: sizes, scenes, and the search for a solid fraction."""
