"""The textbook definition of every public function: what the tests compare fastauc with.

Pairs are compared pair by pair, rows are counted row by row at every threshold, and every result is
an exact ``Fraction``. No sorting tricks, no rounding, no input checks: slow, and easy to believe.

The names and arguments are those of ``fastauc``; each is defined in the file of its family. A class
is a function here, from the fields of the class to a dict with the value of each of its properties
or methods. What is undefined is NaN.
"""

from naive.averages import *
from naive.bands import *
from naive.bootstrap import *
from naive.curves import *
from naive.exchanges import *
from naive.gains import *
from naive.groups import *
from naive.inference import *
from naive.pairs import *
from naive.parts import *
from naive.power import *
from naive.threshold_validation import *
