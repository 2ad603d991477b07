"""Conditions of sound: noise, rooms, lines, levels; seeded, composable, of whole recordings and of a stream."""
