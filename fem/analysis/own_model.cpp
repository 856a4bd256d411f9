#include "fem/analysis/own_model.hpp"

#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

// Axes of space, not of rotations of beams and shells; a body of revolution moves along its axis alone.
std::vector<int> free_directions(const Model& model, const std::vector<int>& moving) {
  if (model.rigid == RigidModes::axisymmetric) return {1};
  int count = std::min(model.space.components(), 3);
  if (model.has_fields())
    count = moving.empty() ? 0 : model.spaces()[static_cast<std::size_t>(moving.front())].mesh().dimension();
  std::vector<int> all(static_cast<std::size_t>(count));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

}  // namespace

VibratingOperators operators_of(const Setup& setup) {
  return {setup.any_equations(), setup.any_rates(), setup.any_supports()};
}

std::vector<int> moving_fields(const FieldsOperator& equations) {
  std::vector<int> fields;
  for (int k = 0; k < equations.field_count(); ++k) {
    const Mesh& mesh = equations.space(k).mesh();
    const bool is_displacement =
        equations.terms().field_name(k) == "displacement" && equations.space(k).components() == mesh.dimension();
    if (is_displacement || mesh.structural()) fields.push_back(k);
  }
  return fields;
}

Vector translation_of(const Equations& equations, const std::vector<int>& fields, const Spaces& spaces, int axis) {
  const Layout& layout = equations.layout();
  std::vector<double> moved(static_cast<std::size_t>(layout.total()), 0.0);
  for (const int k : fields)
    for (Index i = layout.first(k) + axis; i < layout.first(k) + layout.size(k);
         i += spaces[static_cast<std::size_t>(k)].components())
      moved[static_cast<std::size_t>(i)] = 1;
  return Vector(equations.device(), std::span<const double>(moved), "vectors");
}

OwnModel::OwnModel(const Model& model, const VibratingOperators& all, const LinearSolverOptions& linear)
    : spaces_(model.spaces()),
      has_fields_(model.has_fields()),
      all_(all.equations.shared()),
      all_supports_(all.supports.shared()),
      part_(part_of(*all_, *all_supports_, linear)),
      masses_(part_ ? part_->own_equations(all.masses) : all.masses.shared()) {
  const auto* const several = dynamic_cast<const FieldsOperator*>(all_.get());
  moving_ = several != nullptr ? moving_fields(*several) : std::vector{0};
  directions_ = free_directions(model, moving_);
  attached_ = std::make_shared<const Attached>(attached_to(spaces_, model.attached, supports(), part()));
}

Vector OwnModel::own(std::span<const double> of_all) const {
  Vector all(all_->device(), of_all, "vectors");
  return part_ && !all.empty() ? part_->own(all) : std::move(all);
}

Vector OwnModel::gathered(Vector own) const { return part_ ? part_->gathered(own) : std::move(own); }

Vector OwnModel::translation(int direction) const { return translation_of(equations(), moving_, spaces_, direction); }

Vector OwnModel::mass_times(const Vector& x) const {
  Vector y = zeros();
  masses_->residual(x, y);
  attached_->add_masses(1, x, y);
  return y;
}

std::optional<Index> OwnModel::first_unknown(int field, Node node) const {
  Index at = Index{node} * spaces_[static_cast<std::size_t>(field)].components();
  if (layout().is_divided()) at -= layout().rows(field).begin();
  return at >= 0 && at < layout().size(field) ? std::optional(layout().first(field) + at) : std::nullopt;
}

std::shared_ptr<const Equations> OwnModel::of(const IntegralsOfFields& integrals) const {
  std::shared_ptr<const Equations> of_all;
  if (has_fields_) of_all = std::make_shared<const FieldsOperator>(spaces_, integrals.of_several, integrals.of_one);
  else of_all = std::make_shared<const Operator>(spaces_.front(), integrals.of_one);
  return part_ ? part_->own_equations(*of_all) : of_all;
}

std::unique_ptr<TangentSystem> OwnModel::tangent(const Vector& u, const LinearSolverOptions& linear,
                                                 Serves serves) const {
  TangentFacts facts{.keeps_solver = serves == Serves::many};
  if (part_) facts.whole = &part_->whole();
  std::unique_ptr<TangentSystem> system = tangent_system(equations(), supports(), linear, facts);
  if (attached_->any()) system->set_beside(attached_, 1, 0);
  system->linearise(u);
  return system;
}

}  // namespace ritz
