// Derivatives by the entries of an array that functions of a model take: the work of residuals on adjoint fields is
// differenced, in each entry within the cells that it reaches. Private to fem/analysis.
#pragma once

#include "device/function_ref.hpp"
#include "fem/sensitivity/model_number.hpp"
#include "fem/physics/mesh_field.hpp"

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace ritz {

struct ArrayWork {
  FunctionRef<void()> numbers_changed;          // the array has other values now
  FunctionRef<std::vector<double>()> in_cells;  // [cell] the work, with these values
};

// result -= d(work)/d(entry). The array ends as it was.
void subtract_by_work(const Mesh& mesh, MeshField& array, const ArrayWork& work, std::vector<double>& result);
// result[cell] -= d(work of the cell)/d(number in this cell alone); work: [cell] with the numbers of a model.
void subtract_by_work(const ModelNumber& number, FunctionRef<std::vector<double>(const Model&)> work,
                      std::vector<double>& result);

// Adds what prescribed values pass on, of supports whose values are functions; by_prescribed: [unknown]. Throws
// Error: Exit::model where an array of cells, or one that stands elsewhere than the unknowns, gives them.
void add_by_prescribed(const FunctionSpace& space, MeshField& array, const std::string& name,
                       std::span<const PrescribedValue* const> supports, std::span<const double> by_prescribed,
                       std::vector<double>& result);

}  // namespace ritz
