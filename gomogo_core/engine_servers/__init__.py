"""Offers Gomogo's agents as engines to other programs, which send commands of Gomocup's protocol or the Go Text
Protocol.
"""
