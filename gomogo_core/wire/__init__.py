"""The file protocol: its lines and files, and waiting for changes in its folder. The package needs only the standard
library.
"""
