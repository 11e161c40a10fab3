"""The toy of the laws, as a title that one can play."""

from tests.rulesets.toy import TOY as RULESET

__all__ = ["RULESET"]
