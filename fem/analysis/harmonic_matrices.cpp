#include "fem/analysis/harmonic_matrices.hpp"

#include "device/error.hpp"
#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/operator/linearisation.hpp"
#include "fem/preconditioners/block_norms.hpp"
#include "fem/ranks/own_field.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace ritz {
namespace {

// Cells of both, in ascending order; of an integral over all cells those of the region.
std::vector<Index> common_cells(const Integral& integral, const std::vector<Index>& cells) {
  if (integral.everywhere) return cells;
  std::vector<Index> own = integral.cells, result;
  std::ranges::sort(own);
  std::ranges::set_intersection(own, cells, std::back_inserter(result));
  return result;
}

// The parts of the stiffness in these cells, times their loss factors.
std::vector<Integral> lossy_parts(const std::vector<Integral>& equations, const std::vector<RegionLoss>& losses) {
  std::vector<Integral> result;
  for (const RegionLoss& loss : losses) {
    std::vector<Index> cells = loss.cells;
    std::ranges::sort(cells);
    for (const Integral& integral : equations) {
      if (integral.field != loss.field || !integral.form.has_matrix || !integral.facets.empty() ||
          !integral.nodes.empty())
        continue;
      Integral part = integral;
      part.cells = common_cells(integral, cells);
      part.everywhere = false;
      part.factor *= loss.factor;
      if (!part.cells.empty()) result.push_back(std::move(part));
    }
  }
  return result;
}

// damping: the square block of a field.
void add_dashpots(const OwnModel& own, const std::vector<Dashpot>& dashpots, int field, SparseMatrix& damping) {
  if (std::ranges::none_of(dashpots, [&](const Dashpot& each) { return each.field == field; })) return;
  std::vector<double> all = damping.values().host();
  const std::vector<Index> first = damping.pattern().offsets().host();
  const std::vector<std::int32_t> columns = damping.pattern().columns().host();
  const Index b = damping.block_size();
  for (const Dashpot& each : dashpots)
    for (const Node node : each.nodes) {
      const std::optional<Index> unknown = own.first_unknown(each.field, node);
      if (!unknown || each.field != field) continue;
      const Index row = (*unknown - own.layout().first(field)) / b;
      for (Index k = first[static_cast<std::size_t>(row)]; k < first[static_cast<std::size_t>(row) + 1]; ++k)
        for (Index c = 0; c < std::min<Index>(b, 3) && columns[static_cast<std::size_t>(k)] == row; ++c)
          all[static_cast<std::size_t>((k * b + c) * b + c)] +=
              each.viscosity[static_cast<std::size_t>(c)] / static_cast<double>(each.nodes.size());
    }
  damping.values().upload(all);
}

class MatricesOfOne final : public HarmonicMatrices {
 public:
  MatricesOfOne(const Model& model, const DirectHarmonic& analysis, const OwnModel& own)
      : own_(own),
        part_(dynamic_cast<const OwnField*>(own.part())),
        all_(dynamic_cast<const Constraints&>(own.supports()), part_, with_matrix(analysis), false) {
    SparseMatrix stiffness = stiffness_of(model, analysis.begin),
                 mass = tangent_matrix(equations({model.inertia}), with_ghosts(own.zeros())),
                 viscous(stiffness.shared_pattern(), stiffness.block_size()),
                 hysteretic(stiffness.shared_pattern(), stiffness.block_size());
    axpby(analysis.structural, stiffness.values(), 0.0, hysteretic.values());
    if (const std::vector<Integral> lossy = lossy_parts(model.equations, analysis.losses); !lossy.empty())
      axpy(1.0, tangent_matrix(equations({lossy}), with_ghosts(own.zeros())).values(), hysteretic.values());
    axpby(analysis.rayleigh.mass, mass.values(), 0.0, viscous.values());
    axpy(analysis.rayleigh.stiffness, stiffness.values(), viscous.values());
    add_dashpots(own, analysis.dashpots, 0, viscous);
    const double pivot = max_abs(stiffness.diagonal());
    all_.add(std::move(stiffness), pivot);
    for (SparseMatrix* each : {&mass, &viscous, &hysteretic}) all_.add(std::move(*each), 0);
  }

  int block() const override { return own_.spaces().front().components(); }
  const LinearOperator& matrix(std::size_t number) const override { return all_.matrix(number); }
  HostRows host_rows(std::size_t number) const override { return all_.host_rows(number); }
  void report() override { all_.report(); }

 private:
  Vector with_ghosts(Vector x) const { return part_ != nullptr ? part_->with_ghosts(std::move(x)) : std::move(x); }
  Operator equations(const IntegralsOfFields& integrals) const {
    return dynamic_cast<const Operator&>(*own_.of(integrals));
  }
  SparseMatrix stiffness_of(const Model& model, const State& begin) const {
    const auto& equations = dynamic_cast<const Operator&>(own_.equations());
    if (!begin.u.empty()) {
      std::vector<Integral> geometric = geometric_integrals(model, "harmonic response");
      if (part_ != nullptr) geometric = part_->own(geometric);
      return stiffness_at(equations, std::move(geometric), with_ghosts(own_.own(begin.u)));
    }
    SparseMatrix result = equations.make_matrix();
    equations.assemble(with_ghosts(own_.zeros()), result);
    return result;
  }

  const OwnModel& own_;
  const OwnField* part_;  // null: one process
  EliminatedMatrices all_;
};

// y += factor x, block by block; both have the same ones.
void add(double factor, const BlockOperator& x, BlockOperator& y) {
  const int count = x.layout().count();
  for (int i = 0; i < count; ++i)
    for (int j = 0; j < count; ++j) {
      if (i == j && x.square(i) != nullptr) axpy(factor, x.square(i)->values(), y.square(i)->values());
      if (i != j && x.coupling(i, j) != nullptr) axpy(factor, x.coupling(i, j)->values(), y.coupling(i, j)->values());
    }
}

class MatricesOfFields final : public HarmonicMatrices {
 public:
  MatricesOfFields(const Model& model, const DirectHarmonic& analysis, const OwnModel& own) : own_(own) {
    const Vector state = own.own(analysis.begin.u);
    BlockOperator stiffness = matrix_of(own.equations(), state), mass = matrix_of(*own.of(inertia(model)), {}),
                  viscous = zero(), hysteretic = zero();
    if (!state.empty()) {
      const std::vector<Integral> geometric = geometric_integrals(model, "harmonic response");
      if (!geometric.empty()) add(1, matrix_of(*own.of({geometric}), state), stiffness);
    }
    add(analysis.structural, stiffness, hysteretic);
    if (const std::vector<Integral> lossy = lossy_parts(model.equations, analysis.losses); !lossy.empty())
      add(1, matrix_of(*own.of({lossy}), {}), hysteretic);
    add(analysis.rayleigh.mass, mass, viscous);
    add(analysis.rayleigh.stiffness, stiffness, viscous);
    for (int k = 0; k < viscous.layout().count(); ++k)
      if (viscous.square(k) != nullptr) add_dashpots(own, analysis.dashpots, k, *viscous.square(k));
    const double pivot = BlockNorms(stiffness).pivot();
    for (BlockOperator* each : {&stiffness, &mass, &viscous, &hysteretic}) {
      dynamic_cast<const FieldsConstraints&>(own.supports()).eliminate(*each, each == &stiffness ? pivot : 0);
      all_.push_back(std::move(*each));
    }
  }

  int block() const override { return 1; }
  const LinearOperator& matrix(std::size_t number) const override { return all_[number]; }
  HostRows host_rows(std::size_t number) const override {
    const BlockOperator& A = all_[number];
    if (!own_.layout().is_divided()) return HostRows(joined_matrix(A));
    return HostRows(*divided_matrix(own_.layout().ranks(), A.device(), joined_rows(A)));
  }

 private:
  static IntegralsOfFields inertia(const Model& model) { return {model.inertia, model.of_fields.inertia}; }
  // On the pattern of the equations.
  BlockOperator zero() const { return dynamic_cast<const FieldsOperator&>(own_.equations()).make_matrix(); }
  BlockOperator matrix_of(const Equations& equations, const Vector& u) const {
    BlockOperator result = zero();
    dynamic_cast<const FieldsOperator&>(equations).assemble(u, result);
    return result;
  }

  const OwnModel& own_;
  std::vector<BlockOperator> all_;
};

}  // namespace

LinearSolverOptions with_matrix(const DirectHarmonic& analysis) {
  return {.operator_kind = OperatorKind::matrix, .ranks = analysis.ranks, .say = analysis.say};
}

std::unique_ptr<HarmonicMatrices> harmonic_matrices(const Model& model, const DirectHarmonic& analysis,
                                                    const OwnModel& own) {
  if (model.has_fields()) return std::make_unique<MatricesOfFields>(model, analysis, own);
  return std::make_unique<MatricesOfOne>(model, analysis, own);
}

}  // namespace ritz
