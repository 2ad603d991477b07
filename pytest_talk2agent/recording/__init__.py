"""From a written instruction to recordings of it: spoken forms, their review, voices."""
