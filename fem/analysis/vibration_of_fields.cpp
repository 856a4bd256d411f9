#include "fem/analysis/attached.hpp"
#include "fem/analysis/matrices_of_fields.hpp"
#include "fem/analysis/own_model.hpp"
#include "fem/analysis/vibration.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <optional>
#include <utility>

namespace ritz {
namespace {

// Every field that moves has a mass: that of a pressure or of a multiplier would be none.
void require_masses(const FieldsOperator& equations, const BlockOperator& M) {
  for (int k = 0; k < equations.field_count(); ++k)
    if (M.square(k) == nullptr || !(max_abs(M.square(k)->values()) > 0))
      throw Error(ErrorKind::analysis,
                  fmt::format("modes of equations whose field '{}' has no inertia", equations.terms().field_name(k)),
                  "the solvers of eigenvalues take a mass matrix that is positive definite",
                  "give the field an inertia, or take a form without this field");
}

// Stiffness, of the state where there is one, and masses, without supports.
struct VibratingFields {
  VibratingFields(const FieldsOfModel& model_fields, const VibrationModel& model, Ranks* ranks)
      : fields(*model_fields.equations, *model_fields.supports, ranks, model_fields.rates.get()),
        may_be_free(model_fields.free.has_value()),
        K(fields.equations().make_matrix()),
        M(fields.rates().make_matrix()) {
    const Vector state = model.state != nullptr ? fields.own(*model.state) : Vector();
    fields.equations().assemble(state, K);
    if (model.stressed != nullptr) add_geometric_stiffness(fields, *model.stressed, modes_under_preload, state, K);
    fields.rates().assemble({}, M);
    require_masses(fields.equations(), M);
  }
  void eliminate_held() { ritz::eliminate_held(fields, may_be_free, K); }

  const OwnFields fields;
  const bool may_be_free;
  BlockOperator K, M;
};

}  // namespace

// By a factor: no preconditioner is known for all fields at a shift.
VibrationModes solve_vibration(const FieldsOfModel& fields, const VibrationModel& model, EigenOptions options) {
  if (options.method == EigenMethod::lobpcg)
    throw Error(ErrorKind::several_fields, "the method 'lobpcg' was asked for, and the equations have several fields",
                "it takes one preconditioner for all of them", "use 'lanczos' or 'auto'");
  options.method = EigenMethod::lanczos;
  Profile& profile = fields.equations->device().profile();
  std::optional<Profile::Phase> phase(std::in_place, profile, "assembly");
  VibratingFields problem(fields, model, options.ranks);
  const int asked = options.count;
  VibrationModes modes{.rigid_motions = fields.rigid_motions()};
  options.zero_count = modes.rigid_motions + model.spring_motions;
  options.verify = options.verify || model.state != nullptr;  // negative eigenvalues are not to be missed
  options.count = modes_to_solve(options, {.rigid_motions = modes.rigid_motions});
  const Attached attached =
      attached_to(*fields.equations, model.attached, problem.fields.supports(), problem.fields.part());
  std::vector<Vector> forces;  // M t of translations t
  const FieldsOperator& stiffness = problem.fields.equations();
  const std::vector<int> moving = moving_fields(stiffness);
  for (int d = 0; !moving.empty() && d < stiffness.space(moving.front()).mesh().dimension(); ++d) {
    const Vector t = translation_of(stiffness, moving, stiffness.spaces(), d);
    Vector Mt = stiffness.zeros();
    problem.M.apply(t, Mt);
    attached.add_masses(1, t, Mt);
    modes.directions.push_back(d);
    modes.total_mass.push_back(dot(t, Mt));
    forces.push_back(std::move(Mt));
  }
  phase.emplace(profile, "constraints");
  problem.eliminate_held();
  problem.fields.supports().eliminate(problem.M, 0);
  phase.emplace(profile, "solve");
  modes.eigen = JoinedMatrices(problem.fields, problem.K, problem.M).solve([&](const auto& K, const auto& M) {
    return solve_eigen(K, M, options, {}, attached.motions);
  });
  if (options.ranks != nullptr) modes.eigen.layout = stiffness.layout();
  phase.emplace(profile, "fields");
  if (model.state != nullptr) throw_if_unstable(modes.eigen);
  finish_modes(asked, options, problem.fields.supports(), forces, modes);
  return modes;
}

}  // namespace ritz
