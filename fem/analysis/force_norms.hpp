// Norms of residuals. Forces of several fields have different units and do not add up: each is relative to the largest
// force of its field in this solution, and the field with the largest counts.
//
//   ForceNorms norms(equations);   norms.begin();   norms.widen(reactions);   double size = norms.of(r);
#pragma once

#include "fem/operator/equations.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ritz {

class ForceNorms {
 public:
  explicit ForceNorms(const Equations& equations) : equations_(equations.shared()) {}

  void begin();                                           // of a solution: no force is known
  bool are_relative() const { return !scales_.empty(); }  // to the forces that were seen
  double of(const Vector& r) const;
  void widen(const Vector& r, double share = 1);  // these forces act
  // Terms in the equations of a field may cancel, as flows into a cell do: their size is what the tangent at u makes of
  // x with random signs. It counts where nothing else acts on the field.
  void widen_by_flows(const Vector& u, const Vector& x);

 private:
  std::shared_ptr<const Equations> equations_;
  std::vector<double> scales_;  // [field] the largest force; none: there is one field
};

// For messages: the first place where r is not finite, or that it is on another rank.
std::string not_finite_in(const Equations& equations, const Vector& r);
// For messages: the unknown with the largest |r|, and the regions of cells around it; or that it is on another rank.
std::string place_of_largest(const Equations& equations, const Vector& r);

}  // namespace ritz
