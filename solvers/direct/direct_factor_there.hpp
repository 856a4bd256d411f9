// Direct libraries that take the matrix where it is, on a GPU: the module ritz_direct.cuda registers such a factory as
// "direct". Nothing of the size of the matrix goes to the host or back.
#pragma once

#include "device/function_ref.hpp"
#include "solvers/algebra/scalar_rows.hpp"
#include "solvers/direct/direct_factor.hpp"

#include <functional>

namespace ritz {

class DirectFactorThere : public DirectFactor {
 public:
  void set_values(const HostMatrix&) final {}
  // In place of that: `write` writes the values of the analysed pattern, of which the largest has this size.
  // factorise() comes next.
  virtual void set_values_there(FunctionRef<void(Vector& values)> write, double largest) = 0;
};

struct DirectFactoryThere {
  // Throws Error: Exit::resources for a matrix of more entries than the library takes: asked before its rows of scalars
  // are made.
  void (*check_entries)(Index entries);
  DirectFactorThere* (*analyse)(const Device& device, ScalarRows A, double largest, const DirectAnalysis& analysis);
};

}  // namespace ritz
