#include "fem/analysis/direct_harmonic.hpp"

#include "device/error.hpp"
#include "fem/analysis/exciting_forces.hpp"
#include "fem/analysis/harmonic_matrices.hpp"
#include "fem/analysis/harmonic_projection.hpp"
#include "fem/analysis/setup.hpp"
#include "solvers/algebra/vectors.hpp"
#include "solvers/direct/direct_solver.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <fmt/format.h>
#include <functional>
#include <iterator>
#include <numbers>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace ritz {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;

// [A B; B -A], of the real part of an answer and the negative imaginary part, which is symmetric: two block rows for
// each node, one after the other, in the pattern of A and B.
class RealSystem {
 public:
  RealSystem(const HostRows& one, int block, const Device& device) : block_(block), device_(device) {
    for (std::size_t i = 0; i + 1 < one.offsets.size(); ++i)
      for (int part = 0; part < 2; ++part) {
        for (auto k = static_cast<std::size_t>(one.offsets[i]); k < static_cast<std::size_t>(one.offsets[i + 1]); ++k)
          for (int other = 0; other < 2; ++other) columns_.push_back(2 * one.columns[k] + other);
        offsets_.push_back(static_cast<Index>(columns_.size()));
      }
    if (one.ghosts == nullptr) {
      whole_.emplace(std::make_shared<const SparsityPattern>(device, std::span<const Index>(offsets_),
                                                             std::span<const std::int32_t>(columns_)),
                     block, SparseMatrix::Values::undefined);
      return;
    }
    std::vector<Index> reached;
    for (const Index node : one.ghosts->reached()) reached.insert(reached.end(), {2 * node, 2 * node + 1});
    ghosts_ = std::make_shared<const Ghosts>(one.ghosts->ranks(), 2 * one.ghosts->owned(), std::move(reached));
  }

  // values: as the pattern has them.
  void factorise(std::vector<double> values) {
    const DirectInput system = with(std::move(values));
    if (factor_) factor_->refactorise(system);
    else factor_.emplace(system, DirectKind::symmetric);
    rows_ = std::move(next_rows_);
  }
  // The real and the imaginary part of the answer to a force, zero where unknowns are prescribed or follow others.
  std::array<Vector, 2> answer(const std::array<Vector, 2>& force) {
    const auto b = static_cast<std::size_t>(block_);
    std::vector<double> both(2 * static_cast<std::size_t>(force[0].size()));
    const auto place = [&](std::size_t unknown, std::size_t part) {
      return (2 * (unknown / b) + part) * b + unknown % b;
    };
    for (std::size_t part = 0; part < 2; ++part) {
      const std::vector<double> f = force[part].host();
      for (std::size_t i = 0; i < f.size(); ++i) both[place(i, part)] = f[i];
    }
    const Vector right(device_, std::span<const double>(both), "vectors");
    Vector x(device_, right.size(), "vectors");
    fill(0.0, x);
    const SolveReport report = factor_->solve(right, x);
    if (!report.converged())
      throw Error(ErrorKind::vibration,
                  fmt::format("the harmonic answer was not solved for: {}", name_of(report.reason)),
                  "it is in a resonance that nothing damps, or the body is free at frequency 0",
                  "give [damping], or take other frequencies");
    const std::vector<double> solution = x.host();
    std::array<Vector, 2> result;
    for (std::size_t part = 0; part < 2; ++part) {
      std::vector<double> u(static_cast<std::size_t>(force[0].size()));
      for (std::size_t i = 0; i < u.size(); ++i) u[i] = (part == 0 ? 1 : -1) * solution[place(i, part)];
      result[part] = Vector(device_, std::span<const double>(u), "vectors");
    }
    return result;
  }
  void end() {
    if (factor_ && ghosts_) factor_->end();
  }

 private:
  DirectInput with(std::vector<double> values) {
    if (whole_) {
      whole_->values().upload(values);
      return *whole_;
    }
    std::vector<Index> offsets = offsets_;  // with room for the ghosts' rows
    std::vector<std::int32_t> columns = columns_;
    offsets.resize(static_cast<std::size_t>(ghosts_->size()) + 1, offsets_.back());
    columns.resize(columns.size() + static_cast<std::size_t>(DividedMatrix::ghost_entries(columns_, ghosts_->owned())));
    values.resize(columns.size() * static_cast<std::size_t>(block_ * block_));
    next_rows_ = std::make_unique<const DividedMatrix>(
        ghosts_, BlockMatrix{.rows = ghosts_->owned(),
                             .columns = ghosts_->size(),
                             .row_block = block_,
                             .column_block = block_,
                             .offsets = Array<Index>(device_, std::span<const Index>(offsets), "pattern"),
                             .column = Array<std::int32_t>(device_, std::span<const std::int32_t>(columns), "pattern"),
                             .values = Vector(device_, std::span<const double>(values), "matrix")});
    return *next_rows_;
  }

  int block_;
  Device device_;
  std::vector<Index> offsets_ = {0};
  std::vector<std::int32_t> columns_;
  std::optional<SparseMatrix> whole_;
  std::shared_ptr<const Ghosts> ghosts_;                   // null: one process
  std::unique_ptr<const DividedMatrix> rows_, next_rows_;  // that the factor refers to
  std::optional<DirectSolver> factor_;
};

}  // namespace

// A = K - w^2 M and B = w C + H.
struct DirectHarmonicSystem::Parts {
  const Model& model;
  Setup setup;
  std::shared_ptr<const OwnModel> own;
  ModalSpace space;
  ExcitingForces forces;
  std::unique_ptr<HarmonicMatrices> matrices;
  std::vector<double> values[HarmonicMatrices::count] = {};  // on one pattern
  std::vector<Index> offsets = {};
  std::optional<RealSystem> system = {};
  int unwinding = std::uncaught_exceptions();

  Parts(const Model& of, const DirectHarmonic& analysis, const Prepared& prepared)
      : model(of),
        setup(of, prepared, Setup::Held::not_needed, Setup::Rates::beside),
        own(std::make_shared<const OwnModel>(of, operators_of(setup), with_matrix(analysis))),
        forces(exciting_forces(of, analysis.loads_excite, *own)),
        matrices(harmonic_matrices(of, analysis, *own)) {
    space = without_columns();
    HostRows rows = matrices->host_rows(HarmonicMatrices::K);
    system.emplace(rows, matrices->block(), own->equations().device());
    for (std::size_t each = 0; each < HarmonicMatrices::count; ++each) {
      HostRows mine = matrices->host_rows(each);
      if (mine.columns != rows.columns)
        throw Error(ErrorKind::internal, "stiffness, masses and damping have not the same pattern");
      values[each] = std::move(mine.values);
    }
    offsets = std::move(rows.offsets);
  }

  // A factor goes by all ranks together, unless one is lost.
  ~Parts() {
    try {
      if (system && std::uncaught_exceptions() == unwinding) system->end();
    } catch (const Error&) {  // the job ends
    }
  }

  ModalSpace without_columns() const {
    ModalSpace result;
    result.load_names = forces.names;
    result.modes.directions = forces.directions;
    result.loads.resize(forces.loads.size());
    result.base.resize(forces.directions.size());
    result.model = own;
    return result;
  }

  void factorise(double frequency) {
    using enum HarmonicMatrices::Number;
    const double w = full_turn * frequency;
    const auto size = static_cast<std::size_t>(matrices->block() * matrices->block());
    std::vector<double> both(4 * values[K].size());
    for (std::size_t i = 0; i + 1 < offsets.size(); ++i) {
      const auto first = static_cast<std::size_t>(offsets[i]), count = static_cast<std::size_t>(offsets[i + 1]) - first;
      for (std::size_t k = 0; k < count; ++k)
        for (std::size_t e = 0; e < size; ++e) {
          const std::size_t from = (first + k) * size + e;
          const double a = values[K][from] - w * w * values[M][from], b = w * values[C][from] + values[H][from];
          const auto put = [&](std::size_t part, std::size_t other, double value) {
            both[(4 * first + part * 2 * count + 2 * k + other) * size + e] = value;
          };
          put(0, 0, a);
          put(0, 1, b);
          put(1, 0, b);
          put(1, 1, -a);
        }
    }
    system->factorise(std::move(both));
  }
};

DirectHarmonicSystem::DirectHarmonicSystem(const Model& model, const DirectHarmonic& analysis,
                                           const Prepared& prepared) {
  check(model, analysis);
  parts_ = std::make_unique<Parts>(model, analysis, prepared);
}
DirectHarmonicSystem::~DirectHarmonicSystem() = default;

const ModalSpace& DirectHarmonicSystem::loads() const { return parts_->space; }

namespace {

// The means by which frequencies are solved.
struct Answers {
  std::function<ComplexVector(double frequency)> amplitudes;      // of the forces
  std::function<std::array<Vector, 2>(double frequency)> at;      // real and imaginary part
  std::function<void(Vector& u)> complete;                        // with what follows other unknowns
  std::function<double(const Vector& u)> mass_of;                 // u^T M u
  std::function<MultiVector&(std::size_t columns)> make_columns;  // of the result
};

void solve_all(const Answers& answers, DirectResponse& result) {
  const std::size_t columns = 2 * result.motions.size();
  MultiVector& X = answers.make_columns(columns);
  for (std::size_t at = 0; at < result.motions.size(); ++at) {
    std::array<Vector, 2> u = answers.at(result.motions[at].frequency);
    result.motions[at].q.assign(columns, 0.0);
    for (std::size_t part = 0; part < 2; ++part) {
      answers.complete(u[part]);
      X.set_column(static_cast<int>(2 * at + part), u[part]);
      result.motions[at].q[2 * at + part] = part == 0 ? Complex(1, 0) : Complex(0, 1);
      result.space.mass.push_back(answers.mass_of(u[part]));
    }
    ++result.solved;
  }
}

// Solves, where the residual is largest, until the largest estimated error is within the tolerance.
void extend(HarmonicProjection& projection, const Answers& answers, double tolerance, DirectResponse& result) {
  std::vector<std::uint8_t> is_solved(result.motions.size(), 0);
  const auto solve_at = [&](std::size_t place) {
    const double frequency = result.motions[place].frequency;
    is_solved[place] = 1;
    ++result.solved;
    std::array<Vector, 2> u = answers.at(frequency);
    const double off = projection.size() == 0
                           ? 1
                           : projection.distance(u, projection.coordinates(frequency, answers.amplitudes(frequency)));
    for (Vector& each : u) projection.take(std::move(each));
    return off;
  };
  const std::size_t last = result.motions.size() - 1;
  for (const std::size_t place : std::set<std::size_t>{0, last / 2, last}) solve_at(place);
  std::optional<double> error_of_residual;  // the largest ratio that was seen
  while (result.solved < std::ssize(result.motions)) {
    std::size_t worst = last;
    double largest = -1;
    for (std::size_t place = 0; place <= last; ++place) {
      if (is_solved[place] != 0) continue;
      const double frequency = result.motions[place].frequency;
      const double left = projection.residual(frequency, answers.amplitudes(frequency));
      if (left > largest) largest = left, worst = place;
    }
    result.error = error_of_residual.value_or(1) * largest;
    if (error_of_residual && result.error <= tolerance) return;
    const double off = solve_at(worst);
    error_of_residual = std::max(error_of_residual.value_or(0), off / std::max(largest, 1e-300));
  }
  result.error = 0;
}

void take_span(const HarmonicProjection& projection, const Answers& answers, DirectResponse& result) {
  MultiVector& X = answers.make_columns(projection.size());
  for (std::size_t k = 0; k < projection.size(); ++k) {
    Vector u(X.device(), X.rows(), "vectors");
    copy(projection.column(k), u);
    answers.complete(u);
    X.set_column(static_cast<int>(k), u);
  }
  result.space.mass.assign(projection.size(), 1);
  for (HarmonicMotion& each : result.motions)
    each.q = projection.coordinates(each.frequency, answers.amplitudes(each.frequency));
}

// Loads, then inertia, without what supports take.
std::vector<Vector> free_forces(const ExcitingForces& forces, const Supports& supports) {
  std::vector<Vector> all;
  for (const std::vector<Vector>* list : {&forces.loads, &forces.inertia})
    for (const Vector& each : *list) {
      Vector& f = all.emplace_back(each.device(), each.size(), "vectors");
      copy(each, f);
      supports.gather(f);
      supports.set_zero(f);
    }
  return all;
}

// Factors of these forces in the right-hand side.
ComplexVector amplitudes_of(const ModalSpace& space, const std::vector<Excitation>& excitations, std::size_t loads,
                            double frequency) {
  ComplexVector result(loads + space.base.size(), 0.0);
  for (const Excitation& each : excitations) {
    const Complex amplitude = amplitude_of(each, frequency);
    const std::vector<double> carried = carried_by(space, each);
    if (each.load >= 0) result.at(static_cast<std::size_t>(each.load)) += amplitude;
    for (std::size_t d = 0; d < carried.size(); ++d) result[loads + d] -= amplitude * carried[d];
  }
  return result;
}

}  // namespace

DirectResponse DirectHarmonicSystem::solve(const std::vector<double>& frequencies,
                                           const std::vector<Excitation>& excitations, double tolerance) {
  Parts& p = *parts_;
  const OwnModel& own = *p.own;
  const Supports& supports = own.supports();
  auto phase = p.model.space.device().profile().phase("solve");
  DirectResponse result{p.without_columns(), {}};
  for (const Vector& t : p.forces.translations) copy(t, result.space.translations.emplace_back(own.zeros()));
  using enum HarmonicMatrices::Number;
  const HarmonicMatrices& all = *p.matrices;
  HarmonicProjection projection(all.matrix(K), all.matrix(M), all.matrix(C), all.matrix(H),
                                free_forces(p.forces, supports));
  const std::size_t loads = p.forces.loads.size();
  const Answers answers{.amplitudes = [&](double f) { return amplitudes_of(p.space, excitations, loads, f); },
                        .at =
                            [&](double f) {
                              const ComplexVector factors = amplitudes_of(p.space, excitations, loads, f);
                              std::array<Vector, 2> force = {own.zeros(), own.zeros()};
                              for (std::size_t i = 0; i < factors.size(); ++i) {
                                axpy(factors[i].real(), projection.forces()[i], force[0]);
                                axpy(factors[i].imag(), projection.forces()[i], force[1]);
                              }
                              p.factorise(f);
                              return p.system->answer(force);
                            },
                        .complete = [&](Vector& u) { supports.set_linear(u); },
                        .mass_of = [&](const Vector& u) { return dot(u, own.mass_times(u)); },
                        .make_columns = [&](std::size_t columns) -> MultiVector& {
                          return result.space.residual_vectors.emplace(own.equations().device(), own.layout().total(),
                                                                       static_cast<int>(columns), "eigenvectors");
                        }};
  for (const double frequency : frequencies) {
    HarmonicMotion& motion = result.motions.emplace_back(HarmonicMotion{frequency, {}, {}});
    const ComplexVector factors = answers.amplitudes(frequency);
    for (std::size_t d = loads; d < factors.size(); ++d) motion.carried.push_back(-factors[d]);
  }
  if (tolerance > 0) {
    extend(projection, answers, tolerance, result);
    take_span(projection, answers, result);
  } else {
    solve_all(answers, result);
  }
  p.matrices->report();
  result.space.stiffness.assign(result.space.mass.size(), 0);
  return result;
}

void check(const Model& model, const DirectHarmonic& analysis) {
  check(model, ModalBasis{.modal = {{}, analysis.begin}});
  if (!model.attached.empty())
    throw Error(ErrorKind::vibration, "direct harmonic response with masses or springs at reference points",
                "their matrices are full", "take [modal] and method = \"modal\", or point masses");
}

namespace {

// Four matrices, and the real system of four times as many entries; over ranks one for the next frequency, too.
MemoryNeeds more_matrices(const MemoryNeeds& of_one, int systems) {
  return MemoryNeeds()
      .bytes("matrix", (3 + 4 * systems) * of_one.of("matrix"))
      .bytes("pattern", 4 * systems * of_one.of("pattern"));
}

}  // namespace

Forecast forecast(const Model& model, const DirectHarmonic& analysis, int frequencies, const Prepared&) {
  LinearSolverOptions direct;
  direct.method = LinearMethod::direct;
  direct.ranks = analysis.ranks;
  Forecast result = forecast_of(model, model.equations, direct, {.columns = 1, .supports = 1});
  constexpr Index larger_factor = 4;  // of twice the rows and columns
  if (result.ranks)
    for (RankShare& each : result.ranks->shares) {
      each.factor *= larger_factor;
      each.peak += more_matrices(each.peak, 2);
    }
  const Index columns = (2 * frequencies + 7) / 8 * 8;
  add_to_ranks(result, model.space, "eigenvectors", columns);
  for (ForecastPath& path : result.paths) {
    path.peak += more_matrices(path.peak, 1);
    path.peak.array<double>("eigenvectors", model.space.unknown_count(), columns);
    path.at_solve = path.peak.total();
    path.factor *= larger_factor;
    path.host_factor *= larger_factor;
  }
  return result;
}

}  // namespace ritz
