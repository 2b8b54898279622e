"""The suites that what is new must pass; an agent's is `agent_suite.try_out`. No face, and no tournament."""
