"""Files tolka writes: atomic writes, checked containers, model bundles."""
