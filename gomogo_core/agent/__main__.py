"""`python -m gomogo_core.agent FILE TEAM [NAME=VALUE ...]` runs the agent of a file."""

from gomogo_core.agent import main

main()
