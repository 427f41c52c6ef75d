import constants

constants.N = 16
