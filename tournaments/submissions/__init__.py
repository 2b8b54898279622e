"""Course tournaments: imports submissions, builds, checks, plays and grades them."""
