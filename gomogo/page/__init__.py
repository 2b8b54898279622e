"""The page server, with which users watch, replay and play games in a browser.

The package needs the extra `web`; only the command `serve` imports it.
"""
