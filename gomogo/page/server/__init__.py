"""The server: context of all pages, settings, middleware, server-sent events, and how it is run."""
