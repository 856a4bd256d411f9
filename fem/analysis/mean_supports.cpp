#include "fem/analysis/mean_supports.hpp"

#include "solvers/algebra/vectors.hpp"

#include <cmath>
#include <utility>

namespace ritz {
namespace {

constexpr double independent = 1e-9;  // the least part of a mean that others leave

Vector zeros_like(const Vector& x) {
  Vector result(x.device(), x.size(), "vectors");
  result.fill_zero();
  return result;
}

}  // namespace

std::vector<AttachedMotion> held_motions(std::span<const PrescribedMean> means) {
  std::vector<AttachedMotion> result;
  for (const PrescribedMean& each : means)
    result.push_back({.terms = each.terms,
                      .stiffness = each.compliance > 0 ? 1 / each.compliance : INFINITY,
                      .field = each.load.field});
  return result;
}

std::shared_ptr<MeanSupports> mean_supports(const Model& model, const Setup& setup) {
  const Equations& all = setup.part() != nullptr ? setup.part()->equations_of_all() : setup.any_equations();
  return mean_supports(all, model.means, setup.any_supports(), setup.part(), setup.stops(), model.attached);
}

std::shared_ptr<MeanSupports> mean_supports(const Equations& all, std::span<const PrescribedMean> means,
                                            const Supports& supports, const PartOfModel* part,
                                            std::span<const Index> stops, std::span<const AttachedMotion> more) {
  if (means.empty()) return nullptr;
  std::vector<AttachedMotion> motions = held_motions(means);
  motions.insert(motions.end(), more.begin(), more.end());
  auto attached = std::make_shared<const Attached>(attached_to(all, motions, supports, part, stops));
  return std::make_shared<MeanSupports>(std::move(attached), means, supports);
}

MeanSupports::MeanSupports(std::shared_ptr<const Attached> attached, std::span<const PrescribedMean> means,
                           const Supports& supports)
    : contents_(std::make_shared<Contents>(
          Contents{.attached = std::move(attached), .values = {}, .stiffness = {}, .supports = supports.shared()})) {
  contents_->work = zeros_like(contents_->attached->whole.front());
  contents_->more = zeros_like(contents_->work);
  for (std::size_t i = 0; i < means.size(); ++i) {
    contents_->values.push_back(means[i].prescribed);
    contents_->stiffness.push_back(contents_->attached->motions.stiffness[i]);
    if (std::isinf(contents_->stiffness[i])) add_held(i, means[i].origin);
  }
}

// By Gram and Schmidt, twice.
void MeanSupports::add_held(std::size_t mean, const std::string& origin) {
  const Vector& whole = contents_->attached->whole[mean];
  Held held{mean, zeros_like(whole), {}};
  contents_->attached->motions.U.get_column(static_cast<int>(mean), held.along);
  add_at_stops(at_stops(whole), held.along);
  const double length = norm2(held.along);
  held.row.assign(contents_->held.size(), 0.0);
  for (int round = 0; round < 2; ++round)
    for (std::size_t i = 0; i < contents_->held.size(); ++i) {
      const double part = dot(contents_->held[i].along, held.along);
      axpy(-part, contents_->held[i].along, held.along);
      held.row[i] += part;
    }
  const double rest = norm2(held.along);
  if (!(length > independent * norm2(whole) && rest > independent * length))
    throw Error(ErrorKind::conflicting_conditions, "the mean motion is prescribed twice",
                "supports or other prescribed motions determine it: no force moves the surface there",
                "omit this value, or the support on the same surface")
        .at(origin);
  axpby(0.0, held.along, 1 / rest, held.along);
  held.row.push_back(rest);
  contents_->held.push_back(std::move(held));
}

std::vector<double> MeanSupports::at_stops(const Vector& x) const {
  std::vector<double> values;
  for (const Vector& stop : contents_->attached->stops) values.push_back(dot(stop, x));
  return values;
}

void MeanSupports::add_at_stops(const std::vector<double>& values, Vector& x) const {
  for (std::size_t s = 0; s < values.size(); ++s) axpy(values[s], contents_->attached->stops[s], x);
}

void MeanSupports::add_springs(const Vector& u, Vector& r) const {
  for (std::size_t i = 0; i < contents_->values.size(); ++i) {
    const double k = contents_->stiffness[i];
    const Vector& whole = contents_->attached->whole[i];
    if (std::isfinite(k)) axpy(k * (dot(whole, u) - contents_->values[i]), whole, r);
  }
}

std::vector<double> MeanSupports::along(const Vector& r) const {
  std::vector<double> parts;
  for (const Held& each : contents_->held) parts.push_back(dot(each.along, r));
  return parts;
}

// Forces along the means: with the rows R of the means, f = sum_j s_j mean_j has the components R^T s.
std::vector<double> MeanSupports::held_loads(const Vector& r) const {
  Vector& free = contents_->work;
  copy(r, free);
  inner().gather(free);
  std::vector<double> s = along(free);
  for (std::size_t j = s.size(); j-- > 0;) {
    s[j] /= contents_->held[j].row[j];
    for (std::size_t i = 0; i < j; ++i) s[i] -= contents_->held[j].row[i] * s[j];
  }
  return s;
}

std::vector<double> MeanSupports::loads(const Vector& u, const Vector& r, double part) const {
  std::vector<double> result(contents_->values.size(), 0.0);
  for (std::size_t i = 0; i < result.size(); ++i)
    if (std::isfinite(contents_->stiffness[i]))
      result[i] = contents_->stiffness[i] * (part * contents_->values[i] - dot(contents_->attached->whole[i], u));
  const std::vector<double> of_held = held_loads(r);
  for (std::size_t j = 0; j < of_held.size(); ++j) result[contents_->held[j].mean] = of_held[j];
  return result;
}

std::vector<const Vector*> MeanSupports::directions() const {
  std::vector<const Vector*> result;
  for (const Held& each : contents_->held) result.push_back(&each.along);
  return result;
}

void MeanSupports::remove_loads(const std::vector<double>& loads, Vector& r) const {
  for (const Held& each : contents_->held) axpy(-loads[each.mean], contents_->attached->whole[each.mean], r);
}

void MeanSupports::set_values(Vector& u, double part) const {
  const std::vector<double> free = at_stops(u);
  inner().set_values(u, part);
  add_at_stops(free, u);
  if (contents_->held.empty()) return;
  Vector& lift = contents_->work;
  lift.fill_zero();
  std::vector<double> sizes;
  for (const Held& each : contents_->held) {
    double gap = part * contents_->values[each.mean] - dot(contents_->attached->whole[each.mean], u);
    for (std::size_t i = 0; i < sizes.size(); ++i) gap -= each.row[i] * sizes[i];
    sizes.push_back(gap / each.row.back());
    axpy(sizes.back(), each.along, lift);
  }
  inner().set_linear(lift);
  axpy(1.0, lift, u);
}

void MeanSupports::set_zero(Vector& r) const {
  const std::vector<double> free = at_stops(r), parts = along(r);
  inner().set_zero(r);
  add_at_stops(free, r);
  for (std::size_t i = 0; i < parts.size(); ++i) axpy(-parts[i], contents_->held[i].along, r);
}

void MeanSupports::keep_prescribed(Vector& r) const {
  const std::vector<double> free = at_stops(r), parts = along(r);
  inner().keep_prescribed(r);
  for (std::size_t s = 0; s < free.size(); ++s) axpy(-free[s], contents_->attached->stops[s], r);
  for (std::size_t i = 0; i < parts.size(); ++i) axpy(parts[i], contents_->held[i].along, r);
}

void MeanSupports::keep_constrained(Vector& r) const {
  const std::vector<double> sizes = held_loads(r);
  Vector& of_means = contents_->more;
  of_means.fill_zero();
  for (std::size_t j = 0; j < sizes.size(); ++j)
    axpy(sizes[j], contents_->attached->whole[contents_->held[j].mean], of_means);
  axpy(-1.0, of_means, r);
  inner().keep_constrained(r);
  axpy(1.0, of_means, r);
}

}  // namespace ritz
