#include "fem/analysis/substructure.hpp"

#include "device/error.hpp"
#include "fem/analysis/exciting_forces.hpp"
#include "fem/analysis/own_model.hpp"
#include "fem/analysis/setup.hpp"
#include "fem/analysis/static_answers.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace ritz {
namespace {

constexpr const char* a_substructure = "a substructure";

// [unknown] 1: it follows others by equations.
std::vector<std::uint8_t> following(const Supports& supports, const Layout& layout, const Device& device) {
  Vector ones(device, layout.total(), "vectors");
  fill(1.0, ones);
  supports.set_zero(ones);  // where prescribed or following
  const std::vector<double> free = ones.host();
  std::vector<std::uint8_t> result = supports.host_mask();
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = result[i] == 0 && free[i] == 0 ? 1 : 0;
  return result;
}

// Unknowns that supports leave, node by node.
std::vector<ReducedModel::Unknown> unknowns_of(const Model& model, const Substructure& analysis) {
  const Setup setup(model, {}, Setup::Held::not_needed);
  const Supports& supports = setup.any_supports();
  const Spaces spaces = model.spaces();
  const Layout layout = layout_of(spaces);
  const std::vector<std::uint8_t>& held = supports.host_mask();
  const std::vector<std::uint8_t> follows = following(supports, layout, model.space.device());
  std::vector<ReducedModel::Unknown> result;
  for (int field = 0; field < std::ssize(spaces); ++field) {
    const FunctionSpace& space = spaces[static_cast<std::size_t>(field)];
    std::set<Node> nodes;
    for (const Substructure::Interface& part : analysis.interface)
      if (part.field == field)
        for (const Node node : space.nodes_in(*part.region)) nodes.insert(node);
    for (const Node node : nodes)
      for (int c = 0; c < space.components(); ++c) {
        const auto unknown = static_cast<std::size_t>(layout.first(field) + Index{node} * space.components() + c);
        if (follows[unknown] != 0)
          throw Error(ErrorKind::vibration,
                      fmt::format("the interface has {} of {}, which follows other unknowns", space.component_name(c),
                                  space.name_of(node)),
                      "its motion is not free", "take the other side of the tie or joint as the interface");
        if (held[unknown] == 0) result.push_back({node, c, field});
      }
  }
  if (result.empty())
    throw Error(ErrorKind::vibration, "a substructure whose interface has no free unknown", {},
                "name facets or nodes that no support holds");
  return result;
}

// The same with its interface held.
Model held_at(const Model& model, const std::vector<Substructure::Interface>& interface) {
  Model held = model;
  const Spaces spaces = model.spaces();
  for (const auto& [region, field] : interface)
    for (int c = 0; c < spaces[static_cast<std::size_t>(field)].components(); ++c)
      held.supports.push_back(
          {.region = region, .component = c, .value = 0.0, .origin = "the interface", .field = field});
  return held;
}

class Reduction {
 public:
  Reduction(const Model& model, const Substructure& analysis, const Prepared& prepared)
      : model_(model),
        setup_(model, prepared, Setup::Held::not_needed, Setup::Rates::beside),
        linear_(options_of_answers(analysis.linear, model)) {
    result_.interface = unknowns_of(model, analysis);
    if (!model.has_fields()) divide_for(setup_.equations(), linear_);
    own_.emplace(model, operators_of(setup_), linear_);
  }

  // With the interface held.
  VibrationModes modes(const Model& held, const Modal& modal, const Observer& observer) const {
    return solve(held, modal, observer, of_the_same(held));
  }

  // Columns of static answers to the motion of each unknown of the interface.
  void find_static(const Model& held, int modes) {
    const Setup setup(held, of_the_same(held), Setup::Held::required, Setup::Rates::beside);
    StaticAnswers answers(held, {}, linear_, setup, false);
    result_.layout = own_->layout();
    load_at_rest_ = own_->zeros();
    own_->equations().residual(own_->zeros(), load_at_rest_);
    const int count = static_cast<int>(result_.interface.size());
    result_.shapes.emplace(load_at_rest_.device(), load_at_rest_.size(), count + modes, "eigenvectors");
    Vector force = own_->zeros();
    for (int b = 0; b < count; ++b) {
      Vector moved = unit(result_.interface[static_cast<std::size_t>(b)]);
      own_->supports().set_linear(moved);  // what follows the interface
      stiffness_times(moved, force);
      axpby(0.0, force, -1.0, force);
      axpy(1.0, answers.to(force), moved);
      own_->supports().set_linear(moved);
      result_.shapes->set_column(b, moved);
    }
  }

  void take_modes(const VibrationModes& modes) {
    result_.frequencies = modes.frequencies;
    Vector x = own_->zeros();
    for (std::size_t k = 0; k < modes.frequencies.size(); ++k) {
      modes.eigen.vectors->get_column(static_cast<int>(k), x);
      result_.shapes->set_column(static_cast<int>(result_.interface.size() + k), x);
    }
  }

  void project(bool loads_excite) {
    ExcitingForces forces = exciting_forces(model_, loads_excite, *own_);
    result_.load_names = std::move(forces.names);
    std::vector<Vector> all = std::move(forces.loads);
    for (std::size_t d = 0; d < forces.directions.size(); ++d) {
      result_.load_names.push_back(fmt::format("base {}", "xyz"[forces.directions[d]]));
      all.push_back(std::move(forces.inertia[d]));
    }
    result_.loads.assign(all.size(), {});
    Vector x = own_->zeros(), y = own_->zeros();
    const MultiVector& X = *result_.shapes;
    for (int j = 0; j < X.columns(); ++j) {
      X.get_column(j, x);
      for (std::size_t i = 0; i < all.size(); ++i) result_.loads[i].push_back(dot(x, all[i]));
    }
    const auto projected = [&](const auto& apply) {
      MultiVector Y(X.device(), X.rows(), X.columns(), "eigenvectors");
      for (int j = 0; j < X.columns(); ++j) {
        X.get_column(j, x);
        apply(x, y);
        Y.set_column(j, y);
      }
      return symmetric(gram(X, Y));
    };
    result_.stiffness = projected([&](const Vector& u, Vector& f) { stiffness_times(u, f); });
    result_.mass = projected([&](const Vector& u, Vector& f) { f = own_->mass_times(u); });
  }

  ReducedModel take() { return std::move(result_); }

 private:
  // With other supports.
  Prepared of_the_same(const Model& held) const {
    if (held.has_fields()) return {};
    return {.equations = &setup_.equations(), .rates = &setup_.rates()};
  }
  Vector unit(const ReducedModel::Unknown& at) const {
    std::vector<double> values(static_cast<std::size_t>(own_->layout().total()), 0.0);
    if (const std::optional<Index> first = own_->first_unknown(at.field, at.node))
      values[static_cast<std::size_t>(*first + at.component)] = 1;
    return Vector(own_->equations().device(), std::span<const double>(values), "vectors");
  }
  void stiffness_times(const Vector& x, Vector& y) const {
    own_->equations().residual(x, y);
    axpy(-1.0, load_at_rest_, y);
  }
  std::vector<double> symmetric(std::vector<double> matrix) const {
    const auto n = static_cast<std::size_t>(result_.size());
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < i; ++j)
        matrix[i * n + j] = matrix[j * n + i] = 0.5 * (matrix[i * n + j] + matrix[j * n + i]);
    return matrix;
  }

  const Model& model_;
  const Setup setup_;
  const LinearSolverOptions linear_;
  std::optional<OwnModel> own_;
  Vector load_at_rest_;
  ReducedModel result_;
};

}  // namespace

Vector ReducedModel::recovered(std::span<const double> q) const {
  Vector u(shapes->device(), shapes->rows(), "vectors"), column(shapes->device(), shapes->rows(), "vectors");
  fill(0.0, u);
  for (std::size_t k = 0; k < q.size(); ++k) {
    shapes->get_column(static_cast<int>(k), column);
    axpy(q[k], column, u);
  }
  return layout.is_divided() ? layout.gathered(u) : std::move(u);
}

void check(const Model& model, const Substructure& analysis) {
  if (analysis.modal) check(model, *analysis.modal);
  const auto refuse = [](const char* what, const char* fix) {
    throw Error(ErrorKind::vibration, fmt::format("{} with {}", a_substructure, what), {}, fix);
  };
  if (!model.linear) refuse("nonlinear equations", "take linear ones");
  if (!model.attached.empty()) refuse("masses or springs at reference points", "give them to nodes");
  if (!model.means.empty()) refuse("mean motions that are held", "hold nodes");
  if (model.inertia.empty() && model.of_fields.inertia.empty()) refuse("no inertia", "give the materials a density");
  if (analysis.modal && analysis.modal->band) refuse("the modes of a band", "give a count");
}

ReducedModel reduce(const Model& model, const Substructure& analysis, const Observer& observer,
                    const Prepared& prepared) {
  check(model, analysis);
  Reduction reduction(model, analysis, prepared);
  const Model held = held_at(model, analysis.interface);
  VibrationModes modes;
  if (analysis.modal) modes = reduction.modes(held, *analysis.modal, observer);
  auto phase = model.space.device().profile().phase("interface");
  reduction.find_static(held, static_cast<int>(modes.frequencies.size()));
  reduction.take_modes(modes);
  reduction.project(true);
  return reduction.take();
}

Forecast forecast(const Model& model, const Substructure& analysis, const Prepared& prepared) {
  const Index columns = std::ssize(unknowns_of(model, analysis));
  Forecast result = forecast_of(model, model.equations, analysis.linear, {.columns = 1, .supports = 1});
  if (analysis.modal) result = forecast(model, *analysis.modal, prepared);
  const Index unknowns = layout_of(model.spaces()).total();
  add_to_ranks(result, model.space, "eigenvectors", 2 * ((columns + 7) / 8 * 8));
  for (ForecastPath& path : result.paths) {
    path.peak.array<double>("eigenvectors", unknowns, 2 * ((columns + 7) / 8 * 8));
    path.at_solve = path.peak.total();
  }
  return result;
}

}  // namespace ritz
