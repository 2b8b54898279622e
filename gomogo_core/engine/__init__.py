"""Our agents as engines of other worlds: they read the commands of Gomocup's or of the Go Text Protocol, and answer."""
