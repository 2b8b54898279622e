"""The parts of the server that all pages share: context, settings, middleware, server-sent events, startup."""
