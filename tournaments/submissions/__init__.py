"""A night of submissions: taken in, built, checked, played against the house and each other, and graded."""
