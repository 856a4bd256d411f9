"""Makes shapes3, shapes4 and ../foreign/shapes*.cgns again, with the Python packages of gmsh 4.8 and, for CGNS, 4.15: cells of several shapes with
straight edges that share facets, at order 3 and 4. (gmsh 4.8 fails on pyramids of order 4, 4.15 on prisms of order 3 in CGNS.)"""
import sys

import gmsh

POINTS = {1: (0, 0, 0), 2: (1, 0, 0), 3: (1, 1, 0), 4: (0, 1, 0), 5: (0, 0, 1), 6: (1, 0, 1), 7: (1, 1, 1), 8: (0, 1, 1),
          9: (0.5, 0.5, 1.75), 10: (2, 0, 0), 11: (2, 0, 1), 12: (1.5, 0.5, 2)}


def make(name, order, prism, pyramid, version=4.1, binary=0):
    gmsh.initialize()
    gmsh.model.add(name)
    gmsh.model.addDiscreteEntity(3, 1)
    gmsh.model.addDiscreteEntity(2, 1)
    gmsh.model.mesh.addNodes(3, 1, list(POINTS), [x for point in POINTS.values() for x in point])
    gmsh.model.mesh.addElementsByType(1, 5, [1], [1, 2, 3, 4, 5, 6, 7, 8])
    gmsh.model.mesh.addElementsByType(1, 3, [10], [1, 4, 8, 5])
    if prism:
        gmsh.model.mesh.addElementsByType(1, 6, [2], [2, 10, 3, 6, 11, 7])
        gmsh.model.mesh.addElementsByType(1, 2, [11], [2, 10, 3])
    if pyramid:
        gmsh.model.mesh.addElementsByType(1, 7, [3], [5, 6, 7, 8, 9])
        gmsh.model.mesh.addElementsByType(1, 4, [4], [6, 7, 9, 12])
    gmsh.model.addPhysicalGroup(3, [1], 1)
    gmsh.model.setPhysicalName(3, 1, "body")
    gmsh.model.addPhysicalGroup(2, [1], 2)
    gmsh.model.setPhysicalName(2, 2, "sides")
    gmsh.model.mesh.setOrder(order)
    gmsh.option.setNumber("Mesh.MshFileVersion", version)
    gmsh.option.setNumber("Mesh.Binary", binary)
    gmsh.write(name)
    gmsh.finalize()


if sys.argv[1:] == ["cgns"]:
    make("../foreign/shapes3.cgns", 3, False, True)
    make("../foreign/shapes4.cgns", 4, False, True)
else:
    make("shapes3.41.ascii.msh", 3, True, True)
    make("shapes4.22.binary.msh", 4, True, False, 2.2, 1)
