//! Files tolka writes itself: the checked, memory-mapped container that every table and model lives in.
