#!/bin/sh
# Makes the .msh files of this folder again, with gmsh 4.8.
set -e
cd "$(dirname "$0")"
flavours() { # name geo options...
  name=$1; geo=$2; shift 2
  gmsh -v 2 "$geo" -3 "$@" -format msh41 -o "$name.41.ascii.msh"
  gmsh -v 2 "$geo" -3 "$@" -format msh41 -bin -o "$name.41.binary.msh"
  gmsh -v 2 "$geo" -3 "$@" -format msh22 -o "$name.22.ascii.msh"
  gmsh -v 2 "$geo" -3 "$@" -format msh22 -bin -o "$name.22.binary.msh"
}
flavours mixed1 mixed.geo -order 1
flavours mixed2 mixed.geo -order 2 -setnumber Mesh.SecondOrderIncomplete 0
flavours mixed2i mixed.geo -order 2 -setnumber Mesh.SecondOrderIncomplete 1
flavours two_boxes two_boxes.geo -order 1
gmsh -v 2 plate.geo -2 -order 1 -format msh41 -o plate1.41.ascii.msh
gmsh -v 2 plate.geo -2 -order 2 -format msh41 -o plate2.41.ascii.msh
gmsh -v 2 plate.geo -2 -order 2 -setnumber Mesh.SecondOrderIncomplete 1 -format msh22 -bin -o plate2i.22.binary.msh
gmsh -v 2 periodic.geo -2 -setnumber Mesh.SaveParametric 1 -format msh41 -o periodic.41.ascii.msh
gmsh -v 2 periodic.geo -2 -setnumber Mesh.SaveParametric 1 -format msh41 -bin -o periodic.41.binary.msh
gmsh -v 2 two_boxes.geo -3 -part 3 -format msh41 -o partitioned.41.ascii.msh
gmsh -v 2 two_boxes.geo -3 -part 3 -format msh41 -bin -o partitioned.41.binary.msh
gmsh -v 2 two_boxes.geo -3 -part 3 -format msh22 -o partitioned.22.ascii.msh
gmsh -v 2 two_boxes.geo -3 -save_all -format msh41 -o everything.41.ascii.msh
gmsh -v 2 plate.geo -2 -order 3 -format msh41 -o order3.41.ascii.msh
