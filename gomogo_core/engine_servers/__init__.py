"""Our agents as engines for other programs: they answer the commands of Gomocup's or the Go Text Protocol."""
