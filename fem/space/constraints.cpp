#include "fem/space/constraints.hpp"

#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "fem/launch/constraint_kernels.hpp"
#include "solvers/multigrid/divided_transform.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace ritz {
namespace {

const ConstraintKernels& table(const Device& device) {
  return kernels<ConstraintKernels>(device, "ritz_fem_kernels", "constraints");
}

// Tolerance for values of a formula: two formulas that meet may be written in different ways.
double rounding_of(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return 1e-12 * largest;
}

}  // namespace

Constraints::Constraints(const FunctionSpace& space)
    : space_(space),
      host_mask_(static_cast<std::size_t>(space.unknown_count()), 0),
      place_(static_cast<std::size_t>(space.unknown_count()), -1) {}

void Constraints::prescribe(const Region& region, int component, double value, const std::string& source) {
  prescribe_nodes(space_.nodes_in(region), component, value, source);
}

void Constraints::prescribe(std::span<const Node> mesh_nodes, int component, double value, const std::string& source) {
  if (!space_.isoparametric())
    throw Error(ErrorKind::internal, "nodes of the mesh were prescribed in a space with nodes of its own",
                "the nodes between them would stay free", "prescribe a region");
  std::vector<Node> nodes;
  for (const Node mesh_node : mesh_nodes)
    if (space_.node_of(mesh_node) >= 0) nodes.push_back(space_.node_of(mesh_node));
  prescribe_nodes(nodes, component, value, source);
}

void Constraints::prescribe_nodes(std::span<const Node> nodes, int component, double value, const std::string& source) {
  add(nodes, component, [value](std::size_t) { return value; }, {source});
}

void Constraints::prescribe_nodes(std::span<const Node> nodes, int component, std::span<const double> values,
                                  const std::string& source) {
  add(nodes, component, [values](std::size_t i) { return values[i]; }, {source, rounding_of(values)});
}

void Constraints::prescribe(const Region& region, int component, const PointFunction& value,
                            const std::string& source) {
  RegionNodes at(space_, region);
  std::vector<double> values(at.nodes().size());
  value(at.points(), 0, values);
  add(at.nodes(), component, [&values](std::size_t i) { return values[i]; },
      {source, rounding_of(values), value.varies_in_time()});
  if (value.varies_in_time())
    varying_.push_back({static_cast<int>(sources_.size()) - 1, component, std::move(at), value});
}

void Constraints::add(std::span<const Node> nodes, int component, const std::function<double(std::size_t)>& value_of,
                      Source source) {
  const int number = static_cast<int>(sources_.size());
  const bool varies = source.varies;
  sources_.push_back(std::move(source));
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node node = nodes[n];
    const double value = value_of(n);
    const std::size_t i = index(node, component);
    if (host_mask_[i] == 0) {
      host_mask_[i] = 1;
      place_[i] = static_cast<std::int32_t>(prescribed_.size());
      prescribed_.push_back({value, number});
      continue;
    }
    if (!varies && source_at(i).varies) contests_.push_back({node, component, number, value});
    if (agrees(node, component, value, number)) continue;
    const auto [known, is_new] = conflicts_.try_emplace({source_at(i).text, sources_.back().text},
                                                        Conflict{{node, component, number, value}, 0});
    if (!is_new) ++known->second.more;
  }
}

bool Constraints::agrees(Node node, int component, double value, int source) const {
  const std::size_t i = index(node, component);
  const double rounding = std::max(sources_[static_cast<std::size_t>(source)].rounding, source_at(i).rounding);
  return std::abs(prescribed(i).value - value) <= rounding;
}

Error Constraints::conflict(const Contest& found, const std::string& when) const {
  const std::size_t i = index(found.node, found.component);
  return {
      ErrorKind::conflicting_conditions,
      fmt::format("conflicting values {} and {} for component {} at {}{}", prescribed(i).value, found.value,
                  space_.component_name(found.component), space_.name_of(found.node), when),
      fmt::format("{} and {} both act there", source_at(i).text, sources_[static_cast<std::size_t>(found.source)].text),
      "give both the same value, or take the common nodes out of one of the regions"};
}

void Constraints::set_time(double t) {
  if (whole_ != nullptr && whole_->varies_in_time()) {
    whole_->set_time(t);
    return take_values(*whole_, space_.ghosts());
  }
  if (varying_.empty()) return;
  const auto require_agreement = [&](Node node, int component, double value, int source) {
    if (!agrees(node, component, value, source))
      throw conflict({node, component, source, value}, fmt::format(" when t = {:g}", t));
  };
  std::vector<double> values;
  for (const Varying& each : varying_) {
    values.resize(each.at.nodes().size());
    each.value(each.at.points(), t, values);
    sources_[static_cast<std::size_t>(each.source)].rounding = rounding_of(values);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const Node node = each.at.nodes()[n];
      const std::size_t i = index(node, each.component);
      if (prescribed(i).source == each.source) prescribed(i).value = values[n];
      else require_agreement(node, each.component, values[n], each.source);  // with an earlier source
    }
  }
  for (const Contest& c : contests_) require_agreement(c.node, c.component, c.value, c.source);
  check_sums(fmt::format(" when t = {:g}", t));
  if (!values_.empty()) upload_values();
}

void Constraints::upload_values() {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(list_.size()));
  const HostView<std::int32_t> list(list_);
  for (const std::int32_t unknown : list.span())
    values.push_back(
        host_mask_[static_cast<std::size_t>(unknown)] != 0 ? prescribed(static_cast<std::size_t>(unknown)).value : 0.0);
  if (values_.size() != list_.size())  // finish() may come again, with more
    values_ = Vector(space_.device(), std::span<const double>(values), "constraints");
  else values_.upload(values);
}

void Constraints::relate(LinearEquations equations) {
  if (equations.join_fields())
    throw Error(ErrorKind::internal,
                fmt::format("constraints of one field were given {}, which joins several", equations.origin));
  if (equations.size() > 0) equations_.push_back(std::move(equations));
}

void Constraints::relate(const DependentNodeRows& rows, const Ghosts& ghosts) {
  const auto C = static_cast<std::size_t>(space_.components());
  const Index first = ghosts.first()[static_cast<std::size_t>(ghosts.ranks().rank())], last = first + ghosts.owned();
  const auto own = [&](auto visit) {
    for (std::size_t row = 0; row < rows.node.size(); ++row)
      if (rows.node[row] >= first && rows.node[row] < last) visit(row);
  };
  std::vector<Index> elsewhere;
  own([&](std::size_t row) {
    for (auto k = static_cast<std::size_t>(rows.begin[row]); k < static_cast<std::size_t>(rows.begin[row + 1]); ++k)
      if (rows.followed[k] < first || rows.followed[k] >= last) elsewhere.push_back(rows.followed[k]);
  });
  std::ranges::sort(elsewhere);
  elsewhere.erase(std::ranges::unique(elsewhere).begin(), elsewhere.end());
  const auto leaders = std::make_shared<const Ghosts>(ghosts.ranks(), ghosts.owned(), std::move(elsewhere));
  DependentRows here;
  own([&](std::size_t row) {
    for (std::size_t c = 0; c < C; ++c) {
      if (rows.dependent[row * C + c] == 0) continue;
      here.unknown.push_back(static_cast<std::int32_t>((rows.node[row] - first) * space_.components() + Index(c)));
      here.offset.push_back(0);
      for (auto k = static_cast<std::size_t>(rows.begin[row]); k < static_cast<std::size_t>(rows.begin[row + 1]); ++k)
        for (std::size_t d = 0; d < C; ++d)
          if (const double factor = rows.block[(k * C + c) * C + d]; factor != 0) {
            here.followed.push_back(
                static_cast<std::int32_t>(leaders->local(rows.followed[k]) * space_.components() + Index(d)));
            here.factor.push_back(factor);
          }
      here.begin.push_back(std::ssize(here.followed));
    }
  });
  dependent_ = std::make_shared<DependentUnknowns>(space_, std::move(here), leaders);
}

void Constraints::take_values(const Constraints& whole, const Ghosts& nodes) {
  const Index width = space_.components();
  const auto place_in_whole = [&](Index unknown) { return nodes.global(unknown / width) * width + unknown % width; };
  for (std::size_t unknown = 0; unknown < place_.size(); ++unknown)
    if (place_[unknown] >= 0)
      prescribed(unknown).value =
          whole.prescribed(static_cast<std::size_t>(place_in_whole(static_cast<Index>(unknown)))).value;
  upload_values();
  if (!dependent_ || !constrained_.empty()) return;  // equations do not vary in time
  const DependentRows& of_all = whole.dependent_rows();
  std::vector<double> offsets;
  for (const std::int32_t unknown : dependent_->rows().unknown) {
    const auto row = std::ranges::lower_bound(of_all.unknown, place_in_whole(unknown)) - of_all.unknown.begin();
    offsets.push_back(of_all.offset[static_cast<std::size_t>(row)]);
  }
  dependent_->set_offsets(std::move(offsets));
  const std::vector<std::uint8_t> of_whole = whole.constrained_.host();
  std::vector<std::uint8_t> constrained(host_mask_.size());
  for (std::size_t i = 0; i < constrained.size(); ++i)
    constrained[i] = of_whole[static_cast<std::size_t>(place_in_whole(static_cast<Index>(i)))];
  constrained_ = Array<std::uint8_t>(space_.device(), std::span<const std::uint8_t>(constrained), "constraints");
}

void Constraints::check_sums(const std::string& when) const {
  for (const PrescribedSum& sum : sums_) {
    double value = 0, size = sum.size;
    for (std::size_t i = 0; i < sum.unknown.size(); ++i) {
      const double part = sum.factor[i] * prescribed(static_cast<std::size_t>(sum.unknown[i])).value;
      value += part;
      size += std::abs(part);
    }
    if (std::abs(value - sum.value) <= 1e-9 * size) continue;
    const auto unknown = static_cast<Index>(sum.unknown.front());
    const auto node = static_cast<Node>(unknown / space_.components());
    throw Error(ErrorKind::conflicting_conditions,
                fmt::format("prescribed values contradict {}{}: component {} at {} and {} others", sum.origin, when,
                            space_.component_name(static_cast<int>(unknown % space_.components())),
                            space_.name_of(node), sum.unknown.size() - 1),
                fmt::format("all unknowns of an equation are prescribed; its sum is {:g}, and {:g} is asked for", value,
                            sum.value),
                "leave one of them free, or prescribe values that satisfy the equation");
  }
}

bool Constraints::all_zero() const {
  return varying_.empty() && std::ranges::all_of(prescribed_, [](const Prescribed& each) { return each.value == 0; });
}

void Constraints::finish() {
  ErrorList errors;
  for (const auto& [sources, found] : conflicts_)
    errors.add(conflict(found.first, found.more == 0 ? "" : fmt::format(", and {} more there", found.more)));
  errors.throw_if_any();
  std::vector<std::uint8_t> eliminated = host_mask_;
  if (dependent_) {
    for (const std::int32_t unknown : dependent_->rows().unknown) eliminated[static_cast<std::size_t>(unknown)] = 1;
  } else if (!equations_.empty()) {
    ResolvedEquations resolved = resolve(space_, equations_, host_mask_);
    sums_ = std::move(resolved.sums);
    check_sums("");
    for (const std::int32_t unknown : resolved.rows.unknown) eliminated[static_cast<std::size_t>(unknown)] = 1;
    dependent_ = std::make_shared<DependentUnknowns>(space_, std::move(resolved.rows));
    space_.couple(dependent_->couplings(host_mask_));
    std::vector<std::uint8_t> constrained = eliminated;
    for (const std::int32_t unknown : dependent_->rows().followed) constrained[static_cast<std::size_t>(unknown)] = 1;
    constrained_ = Array<std::uint8_t>(space_.device(), std::span<const std::uint8_t>(constrained), "constraints");
  }
  mask_ = Array<std::uint8_t>(space_.device(), std::span<const std::uint8_t>(eliminated), "constraints");
  std::vector<std::int32_t> list;
  for (std::size_t i = 0; i < eliminated.size(); ++i)
    if (eliminated[i] != 0) list.push_back(static_cast<std::int32_t>(i));
  list_ = Array<std::int32_t>(space_.device(), std::span<const std::int32_t>(list), "constraints");
  upload_values();
}

const DependentRows& Constraints::dependent_rows() const {
  static const DependentRows none;
  return dependent_ ? dependent_->rows() : none;
}

void Constraints::set_values(Vector& u, double part) const {
  u.device().profile().count(list_.bytes() + 2 * values_.bytes());
  table(u.device()).set_values(u.device(), list_.size(), list_.data(), u.size(), part, values_.data(), u.data());
  if (dependent_) dependent_->set(u, part);
}

void Constraints::set_linear(Vector& x) const {
  if (dependent_) dependent_->set_linear(x);
}

void Constraints::gather(Vector& r) const {
  if (dependent_) dependent_->gather(r);
}

void Constraints::set_zero(Vector& r) const {
  r.device().profile().count(mask_.bytes() + 2 * r.bytes());
  table(r.device()).set_zero(r.device(), r.size(), mask_.data(), 1, r.data());
}

void Constraints::eliminate(SparseMatrix& K, double pivot) const {
  if (dependent_) dependent_->transform(K);
  K.eliminate(mask_, pivot);
}

void Constraints::eliminate_prescribed(SparseMatrix& K, double pivot) const {
  K.eliminate(Array<std::uint8_t>(space_.device(), std::span<const std::uint8_t>(host_mask_), "constraints"), pivot);
}

void Constraints::apply_pivot(double pivot, const Vector& x, Vector& y) const {
  table(x.device()).apply_pivot(x.device(), list_.size(), list_.data(), x.size(), pivot, x.data(), y.data());
}

void Constraints::apply_pivot_dot(double pivot, const Vector& x, Vector& y, double* xy) const {
  const Device& device = x.device();
  device.profile().count(x.size() + x.bytes() + y.bytes());
  table(device).apply_pivot_dot(device, x.size(), mask_.data(), pivot, x.data(), y.data(), xy);
}

void Constraints::gather_diagonal(Vector& d) const {
  if (dependent_) dependent_->gather_diagonal(d);
}

void Constraints::keep_prescribed(Vector& r) const {
  r.device().profile().count(mask_.bytes() + 2 * r.bytes());
  table(r.device()).set_zero(r.device(), r.size(), mask_.data(), 0, r.data());
}

void Constraints::keep_constrained(Vector& r) const {
  if (!dependent_) return keep_prescribed(r);
  r.device().profile().count(constrained_.bytes() + 2 * r.bytes());
  table(r.device()).set_zero(r.device(), r.size(), constrained_.data(), 0, r.data());
}

}  // namespace ritz
