// Fields that forms derive from a solution: fluxes, stresses, internal variables. The solution is complete by then and
// is not lost: if memory is short for them, lists of the equations are freed first, then the results are written
// without them, and the run ends with exit code 6 when all else is done.
//
//   EvaluatedFields derived = derive(results, equations, {names_at_nodes, names_in_cells},
//       [&] { ... evaluate(equations, u) ... });
#pragma once

#include "apps/results/results.hpp"
#include "device/function_ref.hpp"
#include "fem/operator/operator.hpp"
#include "fem/operator/evaluate.hpp"

#include <functional>
#include <vector>

namespace ritz {

struct EvaluatedFields {
  std::vector<Field> nodal, cells;
};

void add(EvaluatedFields more, EvaluatedFields& fields);  // after those that are there

// Returns the result of `make`, or `names`, whose fields have no values: Run::write() omits them.
EvaluatedFields derive(Results& results, const Operator& equations, EvaluatedFields names,
                       FunctionRef<EvaluatedFields()> make);

// Equations made for such fields alone: over ranks each has its part of them.
Operator equations_of_results(const Results& results, const FunctionSpace& space, std::vector<Integral> integrals);

// Fields that a form (by default all) derives from u, as a phase.
DerivedFields evaluate(Results& results, const Operator& equations, const Vector& u, const std::string& form = {},
                       LawResults of_laws = LawResults::stress);

// Host memory while results are computed and written: fields as computed, split into components, and in the file's
// buffer; with several steps two more wait to be written. [bytes]
Index host_of_results(const Results& results, const FunctionSpace& space, const std::vector<Integral>& integrals,
                      int steps);

}  // namespace ritz
