// ritz-heat: steady heat conduction.
#include "apps/analyses/analyses.hpp"
#include "apps/cases/heat_case.hpp"
#include "apps/program/run_app.hpp"

namespace {

const char* example = R"([mesh]
file = "sink.msh"
scale = 0.001                 # the mesh is in mm

[[material]]
region = "all"
conductivity = 200            # W/(m K)

[[flux]]
region = "base"
value = 5e4                   # W/m^2 into the body

[[convection]]
region = "fins"
coefficient = 60              # W/(m^2 K)
ambient = 20

[[probe]]
name = "hottest"
field = "temperature"
region = "all"
measure = "max"
)";

}  // namespace

int main(int argc, char** argv) {
  return ritz::run_app(argc, argv,
                       {"ritz-heat", "Heat conduction, steady or in time, with sources, fluxes, powers and convection.",
                        example, 1, true},
                       [](ritz::Run& run) { run_case(run, ritz::read_heat); });
}
