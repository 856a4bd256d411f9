"""Draws models, checks some relations of each, and collects what fails."""
import collections
import time

import numpy as np

import ritz
from relations import draw, relations, solutions

EVERY = relations.NAMES
# Faults that are known: (reason, whether this model, relation and its first sentence show it).
KNOWN = [
    ("ties by the surface of bent facets, whose parts depend on the frame by 1e-4",
     lambda model, name, sentence: model.has("tie") and "'surface'" in str(model.case()) and name in ("move", "turn", "mirror", "renumber", "units")),
    ("fewer modes than were asked for", lambda model, name, sentence: "eigenvalues were asked for, but only" in sentence),
    ("reactions of supports on a rigid region: their distribution where they are redundant, and in time the error of the step",
     lambda model, name, sentence: model.has("rigid") and model.has("displacement") and "reaction" in sentence and (model.time or "fact" not in sentence)),
    ("loads of a part that act on supports alone", lambda model, name, sentence: name in ("superposition", "steps") and "nothing acts on the model" in sentence),
    ("free bodies whose field has a lower order than its bent cells", lambda model, name, sentence: "its rigid rotations strain it" in sentence),
    ("answers to loads on supports alone", lambda model, name, sentence: "moves nothing" in sentence),
    ("loads that make nothing buckle", lambda model, name, sentence: "the loads make nothing buckle" in sentence),
    ("laws that the load, or an increment of it, is too large for",
     lambda model, name, sentence: any("law" in e.content for e in model.entries if e.key == "material") and "Newton's method" in sentence),
    ("a tolerance of 1e-11 that rounding does not allow",
     lambda model, name, sentence: "the tolerance is below what double precision can reach" in sentence),
    ("thick shells that meet a solid askew, whose footprint does not lie on it", lambda model, name, sentence: "touch a solid and cannot be joined with it" in sentence),
    ("cells of order 2 that are bent too far", lambda model, name, sentence: "is folded (the Jacobian" in sentence),
    ("modes that Lanczos does not find in extreme units, an error", lambda model, name, sentence: name == "units" and "block Lanczos did not converge" in sentence),
    ("plasticity whose load is too large in its increments",
     lambda model, name, sentence: name == "solution" and "Newton's method did not converge in increment" in sentence),
    ("springs at mid nodes with [space] order 1 or 3", lambda model, name, sentence: "a mid node of the mesh, where elements of order" in sentence),
]


class Outcome:
    def __init__(self):
        self.models, self.checked, self.failures, self.known, self.solves = collections.Counter(), collections.Counter(), [], collections.Counter(), 0
        self.begin = time.monotonic()

    def summary(self):
        checked = ", ".join(f"{name} {count}" for name, count in sorted(self.checked.items()))
        models = ", ".join(f"{name} {count}" for name, count in sorted(self.models.items()))
        known = "".join(f"; known: {reason} ({count})" for reason, count in self.known.items())
        return f"{sum(self.models.values())} models ({models}), {sum(self.checked.values())} relations ({checked}) in {time.monotonic() - self.begin:.0f} s{known}"


def reason_known(model, name, sentences):
    return next((reason for reason, shows in KNOWN if shows(model, name, sentences[0])), None)


def run(seed, index, outcome, relations_each, ranks=False, only=None, save=None):
    """Model `index` of a seed: its solution, and some relations, chosen at random, or `only` those named."""
    random = np.random.default_rng([seed, index, 1])
    model = draw.model(seed, index)
    outcome.models[model.program] += 1

    def fail(name, sentences):
        reason = reason_known(model, name, sentences)
        if reason:
            outcome.known[reason] += 1
            return
        outcome.failures.append(f"{model.name}, {name}: " + "; ".join(sentences))
        if save:
            save(model, relations.check.last if name != "solution" else None, index, name)

    try:
        base = solutions.solve(model)
    except ritz.Error as error:
        return fail("solution", [str(error)])
    if relations.is_at_rest(model, base):
        return None  # all loads act on supports: what remains is rounding
    names = only or list(random.permutation(EVERY))
    done = 0
    first = [] if only else ["balance", "preload"]  # that few models have
    for name in first + [n for n in names if n not in first] + ["ranks"] * (ranks and not only):
        if done >= relations_each and name not in ("ranks",) and not only:
            continue
        relations.check.last = None
        try:
            found = relations.check(model, base, name, np.random.default_rng([seed, index, sum(map(ord, name))]))
        except (ritz.Error, RuntimeError) as error:
            found = [str(error)]
        if found is None:
            continue
        done += 1
        outcome.checked[name] += 1
        if found:
            fail(name, found[:3])
