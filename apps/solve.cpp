// ritz-solve: the equations of any form that is known by name, of Ritz or of a plugin.
#include "apps/analyses/analyses.hpp"
#include "apps/cases/fields_case.hpp"
#include "apps/program/run_app.hpp"

namespace {

const char* example = R"(plugin = "my_form.cpp"         # docs/your-own-element.md; without it: the forms of Ritz

[mesh]
file = "part.msh"

[model]
form = "my_form"

[space]
order = 2

[[material]]
region = "all"
conductivity = 200             # the form's own parameters: ritz-solve case.toml --describe

[[prescribe]]
region = "base"
value = 100

[[load]]
region = "top"
value = 5e4
)";

}  // namespace

int main(int argc, char** argv) {
  return ritz::run_app(argc, argv,
                       {"ritz-solve",
                        "Equations of any form, also of your own: steady, in time, or their free vibration; nonlinear "
                        "ones by Newton's method.",
                        example, 3, true},
                       [](ritz::Run& run) { run_case(run, ritz::read_form_case); });
}
