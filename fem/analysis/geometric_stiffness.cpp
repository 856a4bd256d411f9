#include "fem/analysis/geometric_stiffness.hpp"

#include "device/kernels.hpp"
#include "fem/launch/element_arguments.hpp"
#include "fem/launch/geometric_names.hpp"
#include "fem/operator/linearisation.hpp"
#include "solvers/algebra/vectors.hpp"

#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

bool has_geometric_kernels(const FormValue& form, const Device& device) {
  const std::string name = geometric_name(form.name);
  return has_kernels(
      device.backend(), form.module,
      form.cell >= 0 ? whole_kernel_name(name.c_str()) : form_kernel_name(name.c_str(), 0, form.dimension));
}

bool has_large_displacements(const FormValue& form, const Device& device) {
  if (!form.law.kernel.empty()) return form.law.measure != Strain::small;
  return !form.linear &&
         !kernels<FormRecord>(device, form.module, form_record_name(form.name.c_str())).small_displacements;
}

}  // namespace

std::vector<Integral> geometric_integrals(const Model& model, const std::string& analysis) {
  if (!model.of_fields.equations.empty())
    throw Error(ErrorKind::analysis,
                fmt::format("the geometric stiffness of forms of several fields, for {}", analysis),
                "the geometric stiffness is that of one displacement", "take forms of one field");
  const Device& device = model.space.device();
  std::vector<Integral> result;
  for (const Integral& each : model.equations) {
    const FormValue& form = each.form;
    if (!form.state_start.empty())
      throw Error(ErrorKind::analysis, fmt::format("the geometric stiffness of '{}', for {}", form.name, analysis),
                  "its stiffness depends on what has happened to the material, not on the displacement alone",
                  "take an elastic material");
    if (form.codimension > 0 || !each.nodes.empty()) continue;
    if (has_geometric_kernels(form, device)) {
      Integral& geometric = result.emplace_back(each);
      geometric.form.name = geometric.form.kernels = geometric_name(form.name);
      geometric.form.linear = false;
      geometric.form.symmetric = geometric.form.has_matrix = true;
      geometric.form.derived = 0;
    } else if (form.has_matrix && !has_large_displacements(form, device)) {
      throw Error(ErrorKind::analysis, fmt::format("the geometric stiffness of '{}', for {}", form.name, analysis),
                  "there is none: it is known of linear elastic solids, shells, beams, bars and springs between nodes",
                  "take these, or add one to your form (docs/buckling.md)");
    }
  }
  if (model.turning) result.insert(result.end(), model.turning->softening.begin(), model.turning->softening.end());
  return result;
}

SparseMatrix stiffness_at(const Operator& equations, std::vector<Integral> geometric, const Vector& u) {
  SparseMatrix K = tangent_matrix(equations, u);
  if (!geometric.empty())
    axpy(1.0, tangent_matrix(Operator(equations.space(), std::move(geometric)), u).values(), K.values());
  return K;
}

}  // namespace ritz
