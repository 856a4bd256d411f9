#!/bin/sh
# Makes the decks of this folder again, with gmsh 4.8.
set -e
cd "$(dirname "$0")"
gmsh -v 2 ../gmsh/two_boxes.41.ascii.msh -save -o two_boxes.inp
gmsh -v 2 ../gmsh/plate2.41.ascii.msh -save -o plate2.inp
