# The functions of the C-level API by their names, as capsules; see ``_capi.pxd``.
__pyx_capi__: dict[str, object]
