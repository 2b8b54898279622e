"""One file a subcommand: a module here that does not begin with `_` defines `command`."""
