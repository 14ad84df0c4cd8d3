"""Learn: policies that act step by step and learn from nothing but how good the end is.

Discriminative reinforcement learning (Gesmundo & Henderson 2014, section 3): at one state of the policy's own path another
action is forced; if that ends better, weights move towards all that followed from it.
"""

from tolka.learn.actions import Learning, Learnt, learn_actions
from tolka.learn.learning import Epoch, PolicyLearning

__all__ = ["Epoch", "Learning", "Learnt", "PolicyLearning", "learn_actions"]
