"""The suites that new games, agents and protocols must pass; an agent's is `agent_suite.check_agent`."""
