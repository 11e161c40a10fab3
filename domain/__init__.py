"""The pure core: rulesets, the life of a game around them, chance, and the stored form of a stream."""
