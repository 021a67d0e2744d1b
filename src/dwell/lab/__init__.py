"""The lab: learners in worlds that are known, so that their regret is known too."""
