#include "fem/analysis/sector_modes.hpp"

#include "device/error.hpp"
#include "fem/analysis/revolution_with_waves.hpp"
#include "fem/space/linear_equations.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <numbers>
#include <numeric>
#include <utility>

namespace ritz {
namespace {

constexpr double one_turn = 2 * std::numbers::pi;

double angle_of(const Model& sector) { return sector.cyclic.front().rotation.angle; }

bool is_pair(int waves, int sectors) { return waves > 0 && 2 * waves != sectors; }

// Equations of one pair of sides for motions with waves.
class WaveEquations {
 public:
  WaveEquations(const Model& sector, const CyclicSides& sides, int waves)
      : sides_(sides), components_(sector.space.components()), dimension_(sector.space.mesh().dimension()) {
    waves_ = waves;
    pair_ = is_pair(waves, sector_count(sector));
    cosine_ = std::cos(waves * sides.rotation.angle), sine_ = std::sin(waves * sides.rotation.angle);
    result_.origin = sector.relations[sides.relations].origin;
  }

  LinearEquations of(const LinearEquations& shared) {
    const auto is_on_axis = [&](Node node) { return std::ranges::find(sides_.on_axis, node) != sides_.on_axis.end(); };
    for (Index i = 0; i < shared.size(); ++i)
      if (const auto row = shared.terms_of(i); !is_on_axis(row.front().node)) add_side(row);
    for (const Node node : sides_.on_axis) add_on_axis(node);
    return std::move(result_);
  }

 private:
  // u = sum of R u' becomes a = R (a' cos + b' sin), b = R (b' cos - a' sin).
  void add_side(std::span<const UnknownTerm> shared) {
    for (int copy = 0; copy < (pair_ ? 2 : 1); ++copy) {
      row_.clear();
      add({shared.front().node, shared.front().component, shared.front().factor, copy});
      for (const UnknownTerm& term : shared.subspan(1)) {
        add({term.node, term.component, cosine_ * term.factor, copy});
        if (pair_) add({term.node, term.component, (copy == 0 ? sine_ : -sine_) * term.factor, 1 - copy});
      }
      result_.add(row_);
    }
  }

  // All sectors share the node: with one wave it moves across the axis, by a = c and b = -k x c; with more it rests.
  void add_on_axis(Node node) {
    const auto [along, across, other] = sides_.rotation.frame();
    for (int first = 0; first < components_; first += 3) {
      if (waves_ > 1 || dimension_ == 3)
        for (int copy = 0; copy < (pair_ ? 2 : 1); ++copy) add_component(node, first, along, copy);
      for (const Point& direction : {across, other}) {
        if (waves_ > 1)
          for (int copy = 0; copy < (pair_ ? 2 : 1); ++copy) add_component(node, first, direction, copy);
        else if (pair_) add_turning(node, first, direction, along);
      }
    }
  }

  void add_component(Node node, int first, const Point& direction, int copy) {
    row_.clear();
    add_along(node, first, direction, copy);
    keep_row();
  }
  // d . b + d . (k x a) = 0
  void add_turning(Node node, int first, const Point& direction, const Point& along) {
    row_.clear();
    add_along(node, first, direction, 1);
    add_along(node, first, cross(direction, along), 0);
    keep_row();
  }
  void add_along(Node node, int first, const Point& direction, int copy) {
    for (int d = 0; d < dimension_; ++d)
      if (const double factor = direction[static_cast<std::size_t>(d)]; std::abs(factor) > 1e-14)
        add({node, first + d, factor, copy});
  }
  void add(UnknownTerm term) {
    if (!pair_) term.field = -1;
    row_.push_back(term);
  }
  void keep_row() {
    if (row_.empty()) return;
    std::ranges::stable_sort(row_, std::ranges::greater{}, [](const UnknownTerm& t) { return std::abs(t.factor); });
    result_.add(row_);
  }

  const CyclicSides& sides_;
  int components_, dimension_, waves_;
  bool pair_;
  double cosine_, sine_;
  std::vector<UnknownTerm> row_;
  LinearEquations result_;
};

// Without the equations of its sides.
Model cut_free(Model sector) {
  for (const CyclicSides& each : sector.cyclic) sector.relations[each.relations] = {};
  std::erase_if(sector.relations, [](const LinearEquations& each) { return each.size() == 0; });
  sector.cyclic.clear();
  return sector;
}

std::vector<int> waves_of(const Model& sector, const SectorModal& analysis) {
  return analysis.waves.empty() ? all_waves(sector) : analysis.waves;
}

// The modes of one of two copies: every other one, as each has another a quarter of a wave away.
void keep_one_of_each_pair(VibrationModes& modes) {
  const auto thin = [](auto& list) {
    for (std::size_t k = 0; 2 * k < list.size(); ++k) list[k] = list[2 * k];
    list.resize((list.size() + 1) / 2);
  };
  EigenSolution& s = modes.eigen;
  if (!s.vectors) return;
  const int kept = (s.vectors->columns() + 1) / 2;
  Vector x(s.vectors->device(), s.vectors->rows(), "vectors");
  for (int k = 1; k < kept; ++k) {
    s.vectors->get_column(2 * k, x);
    s.vectors->set_column(k, x);
  }
  thin(s.values);
  thin(s.residuals);
  thin(s.rounding);
  thin(modes.frequencies);
  modes.rigid_count /= 2;
}

SectorModes solve_waves(const Model& sector, int waves, const Modal& modal, const Observer& observer,
                        const Prepared& prepared) {
  SectorModes result{.waves = waves,
                     .pairs = sector.waves ? waves > 0 : is_pair(waves, sector_count(sector)),
                     .revolved = sector.waves.has_value()};
  if (waves == 0) {
    result.modes = solve(sector, modal, observer, prepared);
  } else if (!result.pairs || result.revolved) {
    result.modes = solve(with_waves(sector, waves), modal, observer);
  } else {
    Modal of_pair = modal;
    of_pair.count *= 2;
    std::vector<double>& u = of_pair.begin.u;
    u.reserve(2 * modal.begin.u.size());
    u.insert(u.end(), modal.begin.u.begin(), modal.begin.u.end());
    result.modes = solve(with_waves(sector, waves), of_pair, observer);
    keep_one_of_each_pair(result.modes);
  }
  VibrationModes& modes = result.modes;
  for (std::vector<std::vector<double>>* each : {&modes.participation, &modes.effective_mass}) each->clear();
  modes.directions.clear();
  modes.total_mass.clear();
  return result;
}

// [node][3] The components of a shape on a meridian that vary by the cosine, or by the sine; without waves none does.
std::vector<double> along_meridian(std::vector<double> shape, bool sine, int waves) {
  for (std::size_t i = 0; i < shape.size(); ++i)
    if ((waves > 0 && i % 3 == 2) != sine) shape[i] = 0;
  return shape;
}

void check_revolution(const SectorModal& analysis) {
  if (analysis.waves.empty() || std::ranges::any_of(analysis.waves, [](int n) { return n < 0; }))
    throw Error(ErrorKind::modal_options, "modes of a body of revolution without numbers of waves", {},
                "give one or more, from 0 on");
}

}  // namespace

Vector SectorModes::part(std::size_t mode, bool sine) const {
  const Vector x = modes.eigen.vector(mode);
  std::vector<double> values = x.host();
  if (revolved) return Vector(x.device(), std::span<const double>(along_meridian(values, sine, waves)), "vectors");
  const std::size_t size = pairs ? values.size() / 2 : values.size();
  std::vector<double> own(values.begin() + static_cast<std::ptrdiff_t>(pairs && sine ? size : 0),
                          values.begin() + static_cast<std::ptrdiff_t>(pairs && sine ? 2 * size : size));
  if (sine && !pairs) std::ranges::fill(own, 0.0);
  return Vector(x.device(), std::span<const double>(own), "vectors");
}

int sector_count(const Model& sector) {
  if (sector.cyclic.empty())
    throw Error(ErrorKind::relation, "modes with waves of a model without sides of a sector",
                "waves go around the axis from sector to sector, or around a body of revolution",
                "join its sides by [[periodic]] with a rotation, or give [model] type = \"axisymmetric\"");
  const double angle = angle_of(sector), count = one_turn / std::abs(angle);
  const double whole = std::round(count);
  if (!(std::abs(count - whole) <= 1e-6 * whole) || whole < 2)
    throw Error(ErrorKind::relation,
                fmt::format("a sector of {:.9g} degrees, which is no part of a turn", std::abs(angle) * 360 / one_turn),
                "a whole number of sectors makes the body", "give the angle as 360 / N");
  for (const CyclicSides& each : sector.cyclic)
    if (std::abs(std::abs(each.rotation.angle) - std::abs(angle)) > 1e-9 * std::abs(angle))
      throw Error(ErrorKind::relation, "sides of a sector that are joined by two angles", {},
                  "give one angle, for all sides");
  return static_cast<int>(whole);
}

std::vector<int> all_waves(const Model& sector) {
  std::vector<int> all(static_cast<std::size_t>(sector_count(sector) / 2 + 1));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

Model with_waves(const Model& sector, int waves) {
  if (sector.waves) {
    Model result = revolution_with_waves(sector, waves);
    result.space = own_space(sector.space, sector.space.components());
    return result;
  }
  if (waves == 0) return sector;
  const bool pair = is_pair(waves, sector_count(sector));
  std::vector<LinearEquations> sides;
  for (const CyclicSides& each : sector.cyclic)
    sides.push_back(WaveEquations(sector, each, waves).of(sector.relations[each.relations]));
  Model result = cut_free(sector);
  result.load_cases.clear();
  result.space = own_space(sector.space, sector.space.components());
  if (pair) {
    Model second = result;
    second.space = own_space(sector.space, sector.space.components());
    result = joined(std::move(result), std::move(second));
    result.copies = true;
  }
  std::ranges::move(sides, std::back_inserter(result.relations));
  return result;
}

std::vector<double> state_around(const Model& body, const Static& analysis, const Observer& observer) {
  const std::vector<double> plane = solve(model_without_waves(body), analysis, observer).u.host();
  std::vector<double> around;
  for (std::size_t i = 0; i < plane.size(); i += 2) around.insert(around.end(), {plane[i], plane[i + 1], 0.0});
  return around;
}

void check(const Model& sector, const SectorModal& analysis) {
  check(sector, analysis.modal);
  if (sector.waves) return check_revolution(analysis);
  const int sectors = sector_count(sector);
  const auto refuse = [](const char* what, const char* fix) {
    throw Error(ErrorKind::vibration, fmt::format("modes with waves of a sector with {}", what),
                "two copies of the sector vibrate, which have displacements alone", fix);
  };
  if (sector.has_fields()) refuse("several fields", "take one field");
  if (!sector.attached.empty()) refuse("masses or springs at reference points", "give them to nodes");
  if (!sector.means.empty()) refuse("mean motions that are held", "hold nodes");
  if (!sector.held_on_axis.empty()) refuse("an axis of revolution", "omit [[periodic]]");
  if (!analysis.modal.begin.points.empty()) refuse("internal variables of a state", "take elastic materials");
  for (const int n : analysis.waves)
    if (n < 0 || 2 * n > sectors)
      throw Error(ErrorKind::modal_options, fmt::format("{} nodal diameters of {} sectors", n, sectors),
                  "a wave needs two sectors: more waves are the same motions again",
                  fmt::format("give numbers from 0 to {}", sectors / 2));
  if (analysis.modal.method == EigenMethod::lobpcg || analysis.modal.operator_kind == OperatorKind::matrix_free)
    throw Error(ErrorKind::modal_options, "modes with waves by an iteration",
                "two copies of the sector are two fields, whose modes are found by factors",
                "omit the method and the operator");
}

std::vector<SectorModes> solve(const Model& sector, const SectorModal& analysis, const Observer& observer,
                               const Prepared& prepared) {
  check(sector, analysis);
  std::vector<SectorModes> all;
  for (const int waves : waves_of(sector, analysis))
    all.push_back(solve_waves(sector, waves, analysis.modal, observer, prepared));
  return all;
}

Forecast forecast(const Model& sector, const SectorModal& analysis, const Prepared& prepared) {
  Modal modal = analysis.modal;
  if (sector.waves) {
    Forecast result = forecast(sector, modal, prepared);
    result.results = static_cast<int>(analysis.waves.size());
    return result;
  }
  const std::vector<int> waves = waves_of(sector, analysis);
  const int sectors = sector_count(sector);
  const bool pairs = std::ranges::any_of(waves, [&](int n) { return is_pair(n, sectors); });
  if (pairs) modal.count *= 2;
  Forecast result = forecast(sector, modal, prepared);
  result.results = static_cast<int>(waves.size());
  if (!pairs) return result;
  // Vectors and matrices of two copies; the factor joins them at the sides.
  result.host_of_columns *= 2;
  result.host_of_elements *= 2;
  for (ForecastPath& path : result.paths) {
    path.peak = path.peak + path.peak;
    path.at_solve = path.peak.total();
    path.factor *= 3;
    path.host_factor *= 3;
  }
  return result;
}

}  // namespace ritz
