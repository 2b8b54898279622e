"""How a player is reached: each module hides one way behind the questions of gomogo_core.play.player."""
