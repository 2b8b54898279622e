"""The live page: games watched, replayed and played in a browser. Needs the extra `web`; imported by `serve` only."""
