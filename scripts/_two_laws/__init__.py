"""The parts of scripts/study two_laws: flows under both laws of friction, their contacts, and the tables."""
