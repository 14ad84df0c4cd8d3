"""What all tests share: on a busy machine anything may take long, and no test is about time."""

from hypothesis import settings

settings.register_profile("tolka", deadline=None)
settings.load_profile("tolka")
