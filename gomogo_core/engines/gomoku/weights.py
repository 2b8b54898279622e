"""The fitted parameters of the evaluation; training/gomoku_classes.py writes this file.

There are two numbers for each shape, then two for each class: the value for the player to move, and for the opponent.
The numbers are in sixteenths of a unit of value. 256 units of value are one unit of the logarithm of the odds of a win.
"""

TEMPO = -12  # units of value that are added for the player to move

PARAMETERS = (
    0, 0, 0, 0, -7, -9, 15, 14,
    12, 13, 263, 77, 243, 56, 280, 67,
    183, 18, 158, 242, 259, 197, 215, 453,
    0, 0, 0, 0, 0, 0, 0, 0,
    -255, -55, -142, 11, -355, -32, -289, 79,
    22, -32, 361, 198, 41, -136, 76, -281,
    197, 173, -57, 561, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0,
)  # fmt: skip
