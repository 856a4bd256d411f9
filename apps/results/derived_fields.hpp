// What forms derive from a solution for the results: fluxes, stresses, states at points. The solution is there by then
// and is not lost: where memory is short for them, lists of the equations go first, then the results are written
// without them, and the run ends with exit code 6 when all else is done.
//
//   EvaluatedFields derived = derive(results, equations, {names_at_nodes, names_in_cells},
//       [&] { ... equations.evaluate(u) ... });
#pragma once

#include "apps/results/results.hpp"
#include "fem/operator/operator.hpp"

#include <functional>
#include <vector>

namespace ritz {

struct EvaluatedFields {
  std::vector<Field> nodal, cells;
};

// What `make` returns, or `names`, whose fields have no values: Run::write() leaves them out.
EvaluatedFields derive(Results& results, const Operator& equations, EvaluatedFields names,
                       const std::function<EvaluatedFields()>& make);

// What a form (by default all) derives from u, as a phase.
DerivedFields evaluate(Results& results, const Operator& equations, const Vector& u, const std::string& form = {});

// Of the host while results are computed and written: fields as computed, taken apart, and in the file's buffer; of
// several steps two more are on their way to the file. [bytes]
Index host_of_results(const Results& results, const FunctionSpace& space, const std::vector<Integral>& integrals,
                      int steps);

}  // namespace ritz
