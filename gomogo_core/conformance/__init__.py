"""The checks that games, agents and protocols must pass. `agent_suite.check_agent` runs the checks of an agent."""
