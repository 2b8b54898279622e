"""The tournament of a course: imports submissions, builds and checks them, plays their games, and grades them."""
