// ritz-structure: frames, trusses and shells: beams, bars, springs and shells in space, and elements of one's own.
#include "apps/analyses/analyses.hpp"
#include "apps/cases/structures/structure_case.hpp"
#include "apps/program/run_app.hpp"

namespace {

const char* example = R"([mesh]
file = "frame.msh"            # lines and quadrilaterals in space, with physical groups

[[section]]
region = "columns"
element = "beam"              # beam, bar, spring, shell, shell3, or one of your own (plugin = "my_element.cpp")
young = 210e9                 # Pa
poisson = 0.3
profile = "i"                 # or area, inertia_y, inertia_z, torsion, ... by themselves
height = 0.3                  # m, along the local y axis
width = 0.15
web = 0.007
flange = 0.011
orientation = [1, 0, 0]       # of the local y axis

[[section]]
region = "slab"
element = "shell"
young = 30e9
poisson = 0.2
thickness = 0.2

[[support]]
region = "feet"
fixed = true                  # or pinned = true, or some of x, y, z, rx, ry, rz

[[pressure]]
region = "slab"
value = 5000                  # Pa, against the normal

[[force]]
region = "corner"
value = [1e4, 0, 0]           # N
moment = [0, 0, 500]          # N m
)";

}  // namespace

int main(int argc, char** argv) {
  return ritz::run_app(
      argc, argv,
      {"ritz-structure",
       "Frames, trusses and shells: beams, bars, springs, shells, and elements of your own; static or in motion.",
       example, 6, true},
      [](ritz::Run& run) { run_case(run, ritz::read_structure); });
}
