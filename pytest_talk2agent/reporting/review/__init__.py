"""What people are asked about the labels of a run, and how."""
