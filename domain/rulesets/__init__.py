"""One folder a title; `domain.catalogue` finds every package in here."""
