#include "fem/analysis/vibration.hpp"

#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/preconditioners/block_norms.hpp"
#include "fem/preconditioners/field_motions.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// Every field that moves has a mass: that of a pressure or of a multiplier would be none.
void require_masses(const MixedOperator& equations, const BlockOperator& M) {
  for (int k = 0; k < equations.field_count(); ++k)
    if (M.square(k) == nullptr || !(max_abs(M.square(k)->values()) > 0))
      throw Error(ErrorKind::analysis,
                  fmt::format("modes of equations whose field '{}' has no inertia", equations.field_name(k)),
                  "the solvers of eigenvalues take a mass matrix that is positive definite",
                  "give the field an inertia, or take a form without this field");
}

// Two matrices on the pattern that has the entries of both.
std::pair<SparseMatrix, SparseMatrix> on_one_pattern(const SparseMatrix& first, const SparseMatrix& second) {
  const HostMatrix of_first = host_matrix(first), of_second = host_matrix(second);
  std::vector<Index> offsets{0};
  std::vector<std::int32_t> columns;
  std::vector<double> values[2];
  for (Index row = 0; row < of_first.rows(); ++row) {
    const auto r = static_cast<std::size_t>(row);
    auto i = static_cast<std::size_t>(of_first.offsets[r]), j = static_cast<std::size_t>(of_second.offsets[r]);
    const auto last_i = static_cast<std::size_t>(of_first.offsets[r + 1]),
               last_j = static_cast<std::size_t>(of_second.offsets[r + 1]);
    while (i < last_i || j < last_j) {
      const std::int32_t column = i == last_i   ? of_second.columns[j]
                                  : j == last_j ? of_first.columns[i]
                                                : std::min(of_first.columns[i], of_second.columns[j]);
      columns.push_back(column);
      values[0].push_back(i < last_i && of_first.columns[i] == column ? of_first.values[i++] : 0);
      values[1].push_back(j < last_j && of_second.columns[j] == column ? of_second.values[j++] : 0);
    }
    offsets.push_back(static_cast<Index>(columns.size()));
  }
  const auto pattern = std::make_shared<const SparsityPattern>(first.device(), offsets, columns);
  std::pair result{SparseMatrix(pattern, 1), SparseMatrix(pattern, 1)};
  result.first.values().upload(values[0]);
  result.second.values().upload(values[1]);
  return result;
}

// Fields of displacements: by their name, since rotations may have as many components; or those of beams and shells,
// whose rotations come after.
std::vector<int> moving_fields(const MixedOperator& equations) {
  std::vector<int> fields;
  for (int k = 0; k < equations.field_count(); ++k) {
    const Mesh& mesh = equations.space(k).mesh();
    const bool is_displacement =
        equations.field_name(k) == "displacement" && equations.space(k).components() == mesh.dimension();
    if (is_displacement || mesh.structural()) fields.push_back(k);
  }
  return fields;
}

// Adds the geometric stiffness of fields that no form couples.
void add_geometric_stiffness(const Model& stressed, const Vector& u, BlockOperator& K) {
  const MixedOperator geometric(stressed.spaces(), {}, geometric_integrals(stressed, modes_under_preload));
  BlockOperator added = geometric.make_matrix();
  geometric.assemble(u, added);
  for (int k = 0; k < geometric.field_count(); ++k)
    if (added.square(k) != nullptr) axpy(1.0, added.square(k)->values(), K.square(k)->values());
}

// The body moved by 1 along an axis.
Vector translation(const MixedOperator& equations, const std::vector<int>& fields, int axis) {
  Vector t = equations.zeros();
  for (const int k : fields) {
    const FunctionSpace& space = equations.space(k);
    std::vector<double> moved(static_cast<std::size_t>(space.unknown_count()), 0.0);
    for (auto i = static_cast<std::size_t>(axis); i < moved.size(); i += static_cast<std::size_t>(space.components()))
      moved[i] = 1;
    equations.layout().put(Vector(equations.device(), std::span<const double>(moved), "vectors"), k, t);
  }
  return t;
}

}  // namespace

// By a factor: no preconditioner is known for all fields at a shift.
VibrationModes solve_vibration(const FieldsOfModel& fields, const VibrationModel& model, EigenOptions options) {
  const MixedOperator &stiffness = *fields.equations, &masses = *fields.rates;
  if (options.method == EigenMethod::lobpcg)
    throw Error(ErrorKind::several_fields, "the method 'lobpcg' was asked for, and the equations have several fields",
                "it takes one preconditioner for all of them", "use 'lanczos' or 'auto'");
  if (options.ranks != nullptr)
    throw Error(ErrorKind::several_fields, "modes of several fields were asked for over ranks",
                "their matrix is factorised by one process", "take one process");
  options.method = EigenMethod::lanczos;
  Profile& profile = stiffness.device().profile();
  std::optional<Profile::Phase> phase(std::in_place, profile, "assembly");
  BlockOperator K = stiffness.make_matrix(), M = masses.make_matrix();
  const Vector at_rest;
  stiffness.assemble(model.state != nullptr ? *model.state : at_rest, K);
  if (model.stressed != nullptr) add_geometric_stiffness(*model.stressed, *model.state, K);
  masses.assemble({}, M);
  require_masses(stiffness, M);
  const int asked = options.count;
  VibrationModes modes{.rigid_motions = fields.rigid_motions()};
  options.zero_count = modes.rigid_motions;
  options.verify = options.verify || model.state != nullptr;  // negative eigenvalues are not to be missed
  options.count = modes_to_solve(options, {.rigid_motions = modes.rigid_motions});
  std::vector<Vector> forces;  // M t of translations t
  const std::vector<int> moving = moving_fields(stiffness);
  for (int d = 0; !moving.empty() && d < stiffness.space(moving.front()).mesh().dimension(); ++d) {
    const Vector t = translation(stiffness, moving, d);
    M.apply(t, forces.emplace_back(stiffness.zeros()));
    modes.directions.push_back(d);
    modes.total_mass.push_back(dot(t, forces.back()));
  }
  phase.emplace(profile, "constraints");
  const BlockNorms sizes(K);
  fields.supports->eliminate(K, sizes.pivot());
  fields.supports->eliminate(M, 0);
  if (!fields.free) require_none_is_free(stiffness, K, sizes, motions_left(stiffness, *fields.supports));
  const auto [joined, joined_masses] = on_one_pattern(joined_matrix(K), joined_matrix(M));
  phase.emplace(profile, "solve");
  modes.eigen = solve_eigen(joined, joined_masses, options, {});
  phase.emplace(profile, "fields");
  if (model.state != nullptr) throw_if_unstable(modes.eigen);
  finish_modes(asked, options, *fields.supports, forces, modes);
  return modes;
}

}  // namespace ritz
