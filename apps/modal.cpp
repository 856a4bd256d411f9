// ritz-modal: frequencies and shapes of free vibration of elastic bodies and structures, supported or free.
#include "apps/analyses/analyses.hpp"
#include "apps/cases/structures/vibration_case.hpp"
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

[[displacement]]
region = "clamp"
fixed = true                  # leave it out for a free body

[modal]
count = 10                    # or band = [100, 2000] in Hz
animate = 24                  # files of one period for each mode
)";

}  // namespace

int main(int argc, char** argv) {
  return ritz::run_app(
      argc, argv,
      {"ritz-modal",
       "Frequencies and shapes of free vibration: solid, plane and axisymmetric elastic bodies, frames and shells.",
       example, 3, true},
      [](ritz::Run& run) { run_case(run, ritz::read_vibration); });
}
