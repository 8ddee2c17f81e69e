from ._fcps import ffi, lib
