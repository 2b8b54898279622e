"""Pages on which people play: sessions, their referees, and the forms around them."""
