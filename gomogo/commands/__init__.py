"""The subcommands of `gomogo`. Each module whose name does not begin with `_` defines one, as `command`."""
