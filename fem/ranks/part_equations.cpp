#include "fem/ranks/part_equations.hpp"

#include "device/error.hpp"
#include "fem/operator/cells_apart.hpp"
#include "fem/operator/evaluate.hpp"
#include "fem/ranks/transposed_tangent.hpp"

#include <algorithm>
#include <utility>

namespace ritz {

RankPart::RankPart(PartData data, const Device& device, Ranks& ranks)
    : part_(std::move(data), ranks.among_all(device)),
      ghosts_(std::make_shared<const Ghosts>(ranks, part_.owned(), part_.reached())) {
  ranks.connect(device);
}

RankRows RankPart::rows(int width) const {
  RankRows rows{.ranks = &ranks(), .first = ghosts_->first()};
  for (Index& row : rows.first) row *= width;
  return rows;
}

EquationsPlace place_of(const Operator& equations) {
  EquationsPlace place{.time = equations.time()};
  for (const Integral& each : equations.integrals()) place.factors.push_back(each.factor);
  return place;
}

PartEquations::PartEquations(std::shared_ptr<const RankPart> part, PartIntegrals integrals)
    : part_(std::move(part)),
      integral_of_(std::move(integrals.integral_of)),
      equations_(part_->space(), std::move(integrals.integrals)) {
  if (equations_.facts().has_states) states_.emplace(equations_);
}

void PartEquations::take(const EquationsPlace& place) {
  for (std::size_t i = 0; i < integral_of_.size(); ++i)
    equations_.inputs().set_factor(i, place.factors[integral_of_[i]]);
  equations_.inputs().set_time(place.time);
}

void PartEquations::set_numbers(const PartIntegrals& integrals) {
  if (!equations_.inputs().set_numbers(integrals.integrals))
    throw Error(ErrorKind::internal, "the equations of a part have got other forms or places");
}

namespace {

void copy_head(const Vector& from, Vector& to) {
  from.device().machine().copy_on_device(to.data(), from.data(),
                                         std::min(from.size(), to.size()) * Index{sizeof(double)});
}

}  // namespace

Vector PartEquations::on_part(const Vector& u) const {
  Vector all = part_->space().zeros();
  if (u.empty()) return all;
  const int components = part_->space().components();
  part_->rows(components).take(u, all);
  part_->ghosts()->fetch(all, components);
  return all;
}

void PartEquations::compute(PartTask task, const Vector& u, const Vector& x, Vector& y) const {
  const Vector here = on_part(u);
  if (task == PartTask::commit) return equations_.states().commit(here);
  Vector result = part_->space().zeros();
  if (task == PartTask::residual) equations_.residual(here, result);
  else if (task == PartTask::action) equations_.action(here, on_part(x), result);
  else transposed_tangent(equations_, here).apply(on_part(x), result);  // columns of owned nodes are complete, too
  const int components = part_->space().components();
  Vector own(result.device(), part_->ghosts()->owned() * components, "vectors");
  copy_head(result, own);
  part_->rows(components).gather(own, y);
}

DerivedFields PartEquations::evaluate(const Vector& u, const std::string& form) const {
  DerivedFields fields = ritz::evaluate(equations_, on_part(u), form);
  if (!part_->space().isoparametric()) fields.at_nodes = std::move(fields.at_space_nodes);
  fields.at_nodes.resize(static_cast<std::size_t>(part_->ghosts()->owned() * fields.components));
  return fields;
}

std::vector<double> PartEquations::states() const {
  if (!states_) return {};
  return states_->of(equations_.states().values(), all_cells_of(part_->space().mesh()));
}

void PartEquations::set_states(std::span<const double> numbers) {
  if (states_) equations_.states().set(states_->placed(numbers, equations_.states().values()));
}

}  // namespace ritz
