#include "fem/analysis/answers_of_fields.hpp"

#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/preconditioners/block_norms.hpp"
#include "fem/preconditioners/field_motions.hpp"
#include "fem/ranks/fields_of_rank.hpp"
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
void require_masses(const MixedOperator& equations, const BlockOperator& M) {
  for (int k = 0; k < equations.field_count(); ++k)
    if (M.square(k) == nullptr || !(max_abs(M.square(k)->values()) > 0))
      throw Error(ErrorKind::analysis,
                  fmt::format("modes of equations whose field '{}' has no inertia", equations.terms().field_name(k)),
                  "the solvers of eigenvalues take a mass matrix that is positive definite",
                  "give the field an inertia, or take a form without this field");
}

// Two matrices on the pattern that has the entries of both.
std::pair<BlockRows, BlockRows> on_one_pattern(const BlockRows& first, const BlockRows& second) {
  struct Entry {
    std::int32_t column;
    double first, second;
  };
  std::pair<BlockRows, BlockRows> result;
  std::vector<Entry> row;
  for (std::size_t i = 0; i + 1 < first.offsets.size(); ++i) {
    row.clear();
    for (auto k = static_cast<std::size_t>(first.offsets[i]); k < static_cast<std::size_t>(first.offsets[i + 1]); ++k)
      row.push_back({first.columns[k], first.values[k], 0});
    for (auto k = static_cast<std::size_t>(second.offsets[i]); k < static_cast<std::size_t>(second.offsets[i + 1]); ++k)
      row.push_back({second.columns[k], 0, second.values[k]});
    std::ranges::sort(row, {}, &Entry::column);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].column == row[k - 1].column) {
        result.first.values.back() += row[k].first;
        result.second.values.back() += row[k].second;
        continue;
      }
      result.first.columns.push_back(row[k].column);
      result.first.values.push_back(row[k].first);
      result.second.values.push_back(row[k].second);
    }
    result.first.offsets.push_back(std::ssize(result.first.columns));
  }
  result.second.columns = result.first.columns;
  result.second.offsets = result.first.offsets;
  return result;
}

std::pair<SparseMatrix, SparseMatrix> on_one_pattern(const SparseMatrix& first, const SparseMatrix& second) {
  const auto rows_of = [](const SparseMatrix& A) { return RowsOfMatrix(A).range(0, A.rows()); };
  const auto [one, other] = on_one_pattern(rows_of(first), rows_of(second));
  const auto pattern = std::make_shared<const SparsityPattern>(first.device(), one.offsets, one.columns);
  std::pair result{SparseMatrix(pattern, 1), SparseMatrix(pattern, 1)};
  result.first.values().upload(one.values);
  result.second.values().upload(other.values);
  return result;
}

// Fields of displacements: by their name, since rotations may have as many components; or those of beams and shells,
// whose rotations come after.
std::vector<int> moving_fields(const MixedOperator& equations) {
  std::vector<int> fields;
  for (int k = 0; k < equations.field_count(); ++k) {
    const Mesh& mesh = equations.space(k).mesh();
    const bool is_displacement =
        equations.terms().field_name(k) == "displacement" && equations.space(k).components() == mesh.dimension();
    if (is_displacement || mesh.structural()) fields.push_back(k);
  }
  return fields;
}

// Adds the geometric stiffness of fields that no form couples.
void add_geometric_stiffness(const MixedOperator& geometric, const Vector& u, BlockOperator& K) {
  BlockOperator added = geometric.make_matrix();
  geometric.assemble(u, added);
  for (int k = 0; k < geometric.field_count(); ++k)
    if (added.square(k) != nullptr) axpy(1.0, added.square(k)->values(), K.square(k)->values());
}

// The body moved by 1 along an axis.
Vector translation(const MixedOperator& equations, const std::vector<int>& fields, int axis) {
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

// The equations of the whole mesh, or of the part of this rank.
class VibratingFields {
 public:
  VibratingFields(const FieldsOfModel& fields, const VibrationModel& model, Ranks* ranks) : fields_(fields) {
    if (ranks != nullptr) rank_.emplace(*fields.equations, *fields.supports, *ranks, fields.rates.get());
    if (model.state != nullptr) state_ = own(*model.state);
    if (rank_) rank_->take_states();
    if (model.stressed == nullptr) return;
    geometric_ = std::make_unique<MixedOperator>(model.stressed->spaces(), std::vector<MixedIntegral>(),
                                                 geometric_integrals(*model.stressed, modes_under_preload));
    if (rank_) geometric_ = rank_->own(*geometric_);
  }

  const MixedOperator& stiffness() const { return rank_ ? rank_->equations() : *fields_.equations; }
  const MixedOperator& masses() const { return rank_ ? rank_->rates() : *fields_.rates; }
  const FieldsConstraints& supports() const { return rank_ ? rank_->supports() : *fields_.supports; }

  // Without supports.
  BlockOperator stiffness_matrix() const {
    BlockOperator K = stiffness().make_matrix();
    stiffness().assemble(state_, K);
    if (geometric_) add_geometric_stiffness(*geometric_, state_, K);
    return K;
  }
  BlockOperator mass_matrix() const {
    BlockOperator M = masses().make_matrix();
    masses().assemble({}, M);
    require_masses(stiffness(), M);
    return M;
  }

  // Takes both with their supports, where no field may move freely.
  void eliminate(BlockOperator& K, BlockOperator& M) const {
    eliminate(K);
    supports().eliminate(M, 0);
  }
  void eliminate(BlockOperator& K) const {
    const BlockNorms sizes(K);
    supports().eliminate(K, sizes.pivot());
    if (fields_.free) return;
    require_none_is_free(stiffness(), K, sizes, rank_ ? rank_->whole().motions : motions_left(stiffness(), supports()));
  }

  Vector own(const Vector& u) const {
    if (rank_) return rank_->own(u);
    Vector same = stiffness().zeros();
    copy(u, same);
    return same;
  }
  Vector gathered(const Vector& u) const { return rank_ ? rank_->gathered(u) : own(u); }

  EigenSolution modes(const BlockOperator& K, const BlockOperator& M, const EigenOptions& options) const {
    if (!rank_) {
      const auto [joined, masses] = on_one_pattern(joined_matrix(K), joined_matrix(M));
      return solve_eigen(joined, masses, options, {});
    }
    auto [own_rows, own_masses] = on_one_pattern(joined_rows(K), joined_rows(M));
    Ranks& ranks = stiffness().layout().ranks();
    const Device& device = stiffness().device();
    const auto joined = divided_matrix(ranks, device, std::move(own_rows)),
               masses = divided_matrix(ranks, device, std::move(own_masses));
    EigenSolution found = solve_eigen(*joined, *masses, options);
    found.layout = stiffness().layout();
    return found;
  }

 private:
  const FieldsOfModel& fields_;
  std::optional<FieldsOfRank> rank_;  // null: one process
  Vector state_;                      // empty: zero
  std::unique_ptr<MixedOperator> geometric_;
};

}  // namespace

struct AnswersOfFields::Parts {
  VibratingFields problem;
  BlockOperator K, M;
  std::optional<SparseMatrix> joined = {};
  std::unique_ptr<DividedMatrix> divided = {};
  std::optional<DirectSolver> factor = {};
  Vector moved = {};
  int unwinding = std::uncaught_exceptions();

  Parts(const FieldsOfModel& fields, const VibrationModel& model, Ranks* ranks)
      : problem(fields, model, ranks), K(problem.stiffness_matrix()), M(problem.mass_matrix()) {
    problem.eliminate(K);
    if (ranks != nullptr) divided = divided_matrix(*ranks, problem.stiffness().device(), joined_rows(K));
    else joined.emplace(joined_matrix(K));
    factor.emplace(divided ? DirectInput(*divided) : DirectInput(*joined), DirectKind::symmetric);
    moved = problem.stiffness().zeros();
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

Vector AnswersOfFields::zeros() const { return parts_->problem.stiffness().zeros(); }
Vector AnswersOfFields::own(const Vector& of_all) const { return parts_->problem.own(of_all); }
Vector AnswersOfFields::gathered(const Vector& own) const { return parts_->problem.gathered(own); }

const Vector& AnswersOfFields::mass_times(const Vector& x) {
  parts_->M.apply(x, parts_->moved);
  return parts_->moved;
}

Vector AnswersOfFields::translation(int direction) const {
  const MixedOperator& equations = parts_->problem.stiffness();
  return ritz::translation(equations, moving_fields(equations), direction);
}

const Supports& AnswersOfFields::supports() const { return parts_->problem.supports(); }
SolveReport AnswersOfFields::solve(const Vector& b, Vector& x) { return parts_->factor->solve(b, x); }

// By a factor: no preconditioner is known for all fields at a shift.
VibrationModes solve_vibration(const FieldsOfModel& fields, const VibrationModel& model, EigenOptions options) {
  if (options.method == EigenMethod::lobpcg)
    throw Error(ErrorKind::several_fields, "the method 'lobpcg' was asked for, and the equations have several fields",
                "it takes one preconditioner for all of them", "use 'lanczos' or 'auto'");
  options.method = EigenMethod::lanczos;
  Profile& profile = fields.equations->device().profile();
  std::optional<Profile::Phase> phase(std::in_place, profile, "assembly");
  const VibratingFields problem(fields, model, options.ranks);
  BlockOperator K = problem.stiffness_matrix(), M = problem.mass_matrix();
  const int asked = options.count;
  VibrationModes modes{.rigid_motions = fields.rigid_motions()};
  options.zero_count = modes.rigid_motions;
  options.verify = options.verify || model.state != nullptr;  // negative eigenvalues are not to be missed
  options.count = modes_to_solve(options, {.rigid_motions = modes.rigid_motions});
  std::vector<Vector> forces;  // M t of translations t
  const MixedOperator& stiffness = problem.stiffness();
  const std::vector<int> moving = moving_fields(stiffness);
  for (int d = 0; !moving.empty() && d < stiffness.space(moving.front()).mesh().dimension(); ++d) {
    const Vector t = translation(stiffness, moving, d);
    Vector Mt = stiffness.zeros();
    M.apply(t, Mt);
    modes.directions.push_back(d);
    modes.total_mass.push_back(dot(t, Mt));
    forces.push_back(std::move(Mt));
  }
  phase.emplace(profile, "constraints");
  problem.eliminate(K, M);
  phase.emplace(profile, "solve");
  modes.eigen = problem.modes(K, M, options);
  phase.emplace(profile, "fields");
  if (model.state != nullptr) throw_if_unstable(modes.eigen);
  finish_modes(asked, options, problem.supports(), forces, modes);
  return modes;
}

}  // namespace ritz
