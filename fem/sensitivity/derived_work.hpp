// A linear function of the quantities that forms derive from a solution, such as stresses: its derivatives by the
// unknowns, and by the numbers of the model that these quantities depend on directly.
//
//   weights . derived = sum_n at_nodes[n] . (mean at the node) + sum_c in_cells[c] . (mean over the cell)
//
// Derived quantities of a cell depend on its own unknowns alone, so each of them is differenced in all cells at once,
// on a mesh whose cells have nodes of their own: exact where they are linear, and to about 1e-10 elsewhere. Only cells
// with a weight take part.
//
//   const DerivedWork work(space, {{model.equations, 1}}, "", weights);
//   std::vector<double> g = work.by_unknowns(u);      add_by_array(work, young, u, gradient);
#pragma once

#include "device/function_ref.hpp"
#include "fem/operator/cells_apart.hpp"
#include "fem/sensitivity/model_number.hpp"
#include "fem/physics/mesh_field.hpp"

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace ritz {

// Results of forms add up with these factors: those of the equations, and of load cases in a combination.
struct DerivedPart {
  std::vector<Integral> integrals;
  double factor = 1;
};

struct DerivedWeights {
  int components = 0;
  std::vector<double> at_nodes = {};  // [node of the space][component]; empty: none
  std::vector<double> in_cells = {};  // [cell][component]; empty: none
};

// The derived quantities of all parts, of the form of this name or by default of all forms on cells. [node of the
// space][component] and [cell][component].
struct DerivedValues {
  int components = 0;
  std::vector<double> at_nodes, in_cells;
};
DerivedValues derived_values(const FunctionSpace& space, std::span<const DerivedPart> parts, const std::string& form,
                             const Time& time, const Vector& u);

class DerivedWork {
 public:
  DerivedWork(const FunctionSpace& space, std::span<const DerivedPart> parts, std::string form,
              const DerivedWeights& weights);

  const FunctionSpace& space() const { return space_; }
  void numbers_changed();
  void replace_numbers(std::span<const DerivedPart> parts);  // of the same forms at the same places
  void set_time(const Time& time);
  double value(const std::vector<double>& u) const;
  std::vector<double> in_cells(const std::vector<double>& u) const;     // [cell] parts of the value
  std::vector<double> by_unknowns(const std::vector<double>& u) const;  // [unknown]

 private:
  struct Part {
    std::vector<Integral> integrals;
    double factor;
    std::vector<double> at_nodes;  // [node apart][component] weights of what the part derives
    std::unique_ptr<Operator> equations;
  };
  void add_part(const DerivedPart& from, const DerivedWeights& weights);
  std::vector<double> in_cells_at(const Vector& apart) const;

  FunctionSpace space_;
  const std::string form_;
  int components_;
  std::unique_ptr<CellsApart> apart_;    // null: nothing has a weight
  std::vector<double> weight_in_cells_;  // [cell apart][component]
  std::vector<Part> parts_;
};

// result += d(value)/d(entry of the array), at fixed u.
void add_by_array(DerivedWork& work, MeshField& array, const std::vector<double>& u, std::vector<double>& result);
// result[cell] += d(value)/d(number in that cell alone). `parts_of`: of what the number gives, the parts; `parts`:
// those with its value, which the work has at the end.
void add_by_number(DerivedWork& work, const ModelNumber& number,
                   FunctionRef<std::vector<DerivedPart>(const Model&)> parts_of, std::span<const DerivedPart> parts,
                   const std::vector<double>& u, std::vector<double>& result);

}  // namespace ritz
