"""Models drawn at random, and relations between their solutions: turned, in other units, with other numbers of nodes, by another solver.

    from relations import draw, relations
    model = draw.model(seed, index)
    relations.check(model, "turn", random)        # raises Different

A model is a case of a few cells. Its numbers know how they turn and which unit they have (quantities.py), so that one frame, a rotation or mirror
with factors of length, force and time, transforms mesh, case and results alike.
"""
