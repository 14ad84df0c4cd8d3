"""Learn: policies that act step by step and learn from nothing but how good the end is.

Discriminative reinforcement learning (Gesmundo & Henderson 2014, section 3): at one state of the policy's own path another
action is forced; if that ends better, weights move towards all that followed from it. `learn_actions` does so for undirected
search, `learn_policy` for any task that says what its states, actions, features and rewards are.

`BoostedTrees` are classifiers that say how sure they are (Galron 2012, section 4.5.5). `Tagger` gives words labels by them; it
learns from two searches in lock-step, as multitrees do.
"""

from tolka.learn.actions import Learning, Learnt, learn_actions
from tolka.learn.boosting import BoostedTrees
from tolka.learn.learning import Epoch, PolicyLearning
from tolka.learn.policy import Policy, learn_policy
from tolka.learn.tagging import Label, Tagger, TaggingEpoch
from tolka.learn.task import Expert, Task
from tolka.learn.trees import Explanation, Tree

__all__ = [
    "BoostedTrees",
    "Epoch",
    "Expert",
    "Explanation",
    "Label",
    "Learning",
    "Learnt",
    "Policy",
    "PolicyLearning",
    "Tagger",
    "TaggingEpoch",
    "Task",
    "Tree",
    "learn_actions",
    "learn_policy",
]
