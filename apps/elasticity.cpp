// ritz-elasticity: solids, plane and axisymmetric bodies, linear elastic or of any law of materials.
#include "apps/analyses/analyses.hpp"
#include "apps/cases/elastic_case.hpp"
#include "apps/program/run_app.hpp"

namespace {

const char* example = R"([mesh]
file = "bracket.msh"
scale = 0.001                 # the mesh is in mm

[[material]]
region = "all"
young = 210e9                 # Pa
poisson = 0.3
density = 7850                # kg/m^3

[gravity]
acceleration = [0, 0, -9.81]

[[displacement]]
region = "clamp"
fixed = true                  # or x = 0, y = 0, z = 0 one by one

[[force]]
region = "eye"
value = [0, 0, -2000]         # N in total

[[probe]]
name = "tip"
field = "displacement"
region = "eye"
measure = "mean"
)";

}  // namespace

int main(int argc, char** argv) {
  return ritz::run_app(
      argc, argv,
      {"ritz-elasticity",
       "Elasticity and other laws of materials, small and large displacements: solid, plane and axisymmetric "
       "bodies, static or in motion.",
       example, 3, true},
      [](ritz::Run& run) { run_case(run, ritz::read_elasticity); });
}
