#include "fem/analysis/answers_of_fields.hpp"

#include "fem/analysis/attached.hpp"
#include "fem/analysis/matrices_of_fields.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"

#include <algorithm>
#include <exception>
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

// Fields of displacements: by their name, since rotations may have as many components; or those of beams and shells,
// whose rotations come after.
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

// The body moved by 1 along an axis.
Vector translation(const FieldsOperator& equations, const std::vector<int>& fields, int axis) {
  Vector t = equations.zeros();
  for (const int k : fields) {
    std::vector<double> moved(static_cast<std::size_t>(equations.layout().size(k)), 0.0);
    for (auto i = static_cast<std::size_t>(axis); i < moved.size();
         i += static_cast<std::size_t>(equations.space(k).components()))
      moved[i] = 1;
    equations.layout().put(Vector(equations.device(), std::span<const double>(moved), "vectors"), k, t);
  }
  return t;
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

struct AnswersOfFields::Parts {
  VibratingFields problem;
  std::optional<SparseMatrix> joined = {};
  std::unique_ptr<DividedMatrix> divided = {};
  std::optional<DirectSolver> factor = {};
  Vector moved = {};
  int unwinding = std::uncaught_exceptions();

  Parts(const FieldsOfModel& fields, const VibrationModel& model, Ranks* ranks) : problem(fields, model, ranks) {
    problem.eliminate_held();
    const FieldsOperator& equations = problem.fields.equations();
    if (ranks != nullptr) divided = divided_matrix(*ranks, equations.device(), joined_rows(problem.K));
    else joined.emplace(joined_matrix(problem.K));
    factor.emplace(divided ? DirectInput(*divided) : DirectInput(*joined), DirectKind::symmetric);
    moved = equations.zeros();
  }
  // A factor goes by all ranks together, unless one is lost.
  ~Parts() {
    try {
      if (divided && factor && std::uncaught_exceptions() == unwinding) factor->end();
    } catch (const Error&) {  // the job ends
    }
  }
};

AnswersOfFields::AnswersOfFields(const FieldsOfModel& fields, const VibrationModel& model, Ranks* ranks)
    : parts_(std::make_unique<Parts>(fields, model, ranks)) {}
AnswersOfFields::~AnswersOfFields() = default;

Vector AnswersOfFields::zeros() const { return parts_->problem.fields.equations().zeros(); }
Vector AnswersOfFields::own(const Vector& of_all) const { return parts_->problem.fields.own(of_all); }
Vector AnswersOfFields::gathered(const Vector& own) const { return parts_->problem.fields.gathered(own); }

const Vector& AnswersOfFields::mass_times(const Vector& x) {
  parts_->problem.M.apply(x, parts_->moved);
  return parts_->moved;
}

Vector AnswersOfFields::translation(int direction) const {
  const FieldsOperator& equations = parts_->problem.fields.equations();
  return ritz::translation(equations, moving_fields(equations), direction);
}

const Supports& AnswersOfFields::supports() const { return parts_->problem.fields.supports(); }
SolveReport AnswersOfFields::solve(const Vector& b, Vector& x) { return parts_->factor->solve(b, x); }

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
    const Vector t = translation(stiffness, moving, d);
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
