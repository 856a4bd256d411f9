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

Array<std::uint8_t> marks_on(const Device& device, std::span<const std::uint8_t> marks) {
  return Array<std::uint8_t>(device, marks, "constraints");
}

}  // namespace

Constraints::Constraints(const FunctionSpace& space)
    : contents_(std::make_shared<Contents>(
          Contents{.space = space,
                   .host_mask = std::vector<std::uint8_t>(static_cast<std::size_t>(space.unknown_count()), 0),
                   .place = std::vector<std::int32_t>(static_cast<std::size_t>(space.unknown_count()), -1)})) {}

void Constraints::prescribe(const Region& region, int component, double value, const std::string& source) {
  prescribe_nodes(contents_->space.nodes_in(region), component, value, source);
}

void Constraints::prescribe(std::span<const Node> mesh_nodes, int component, double value, const std::string& source) {
  if (!contents_->space.isoparametric())
    throw Error(ErrorKind::internal, "nodes of the mesh were prescribed in a space with nodes of its own",
                "the nodes between them would stay free", "prescribe a region");
  std::vector<Node> nodes;
  for (const Node mesh_node : mesh_nodes)
    if (contents_->space.node_of(mesh_node) >= 0) nodes.push_back(contents_->space.node_of(mesh_node));
  prescribe_nodes(nodes, component, value, source);
}

void Constraints::prescribe(std::span<const std::uint8_t> marks, const std::string& source) {
  const auto width = static_cast<std::size_t>(contents_->space.components());
  for (std::size_t c = 0; c < width; ++c) {
    std::vector<Node> nodes;
    for (std::size_t unknown = c; unknown < marks.size(); unknown += width)
      if (marks[unknown] != 0) nodes.push_back(static_cast<Node>(unknown / width));
    prescribe_nodes(nodes, static_cast<int>(c), 0.0, source);
  }
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
  RegionNodes at(contents_->space, region);
  std::vector<double> values(at.nodes().size());
  value(at.points(), 0, values);
  add(at.nodes(), component, [&values](std::size_t i) { return values[i]; },
      {source, rounding_of(values), value.varies_in_time()});
  if (value.varies_in_time())
    contents_->varying.push_back({static_cast<int>(contents_->sources.size()) - 1, component, std::move(at), value});
}

void Constraints::add(std::span<const Node> nodes, int component, FunctionRef<double(std::size_t)> value_of,
                      Source source) {
  const int number = static_cast<int>(contents_->sources.size());
  const bool varies = source.varies;
  contents_->sources.push_back(std::move(source));
  for (std::size_t n = 0; n < nodes.size(); ++n) {
    const Node node = nodes[n];
    const double value = value_of(n);
    const std::size_t i = index(node, component);
    if (contents_->host_mask[i] == 0) {
      contents_->host_mask[i] = 1;
      contents_->place[i] = static_cast<std::int32_t>(contents_->prescribed.size());
      contents_->prescribed.push_back({value, number});
      continue;
    }
    if (!varies && source_at(i).varies) contents_->contests.push_back({node, component, number, value});
    if (agrees(node, component, value, number)) continue;
    const auto [known, is_new] = contents_->conflicts.try_emplace({source_at(i).text, contents_->sources.back().text},
                                                                  Conflict{{node, component, number, value}, 0});
    if (!is_new) ++known->second.more;
  }
}

bool Constraints::agrees(Node node, int component, double value, int source) const {
  const std::size_t i = index(node, component);
  const double rounding =
      std::max(contents_->sources[static_cast<std::size_t>(source)].rounding, source_at(i).rounding);
  return std::abs(prescribed(i).value - value) <= rounding;
}

Error Constraints::conflict(const Contest& found, const std::string& when) const {
  const std::size_t i = index(found.node, found.component);
  return {ErrorKind::conflicting_conditions,
          fmt::format("conflicting values {} and {} for component {} at {}{}", prescribed(i).value, found.value,
                      contents_->space.component_name(found.component), contents_->space.name_of(found.node), when),
          fmt::format("{} and {} both act there", source_at(i).text,
                      contents_->sources[static_cast<std::size_t>(found.source)].text),
          "give both the same value, or take the common nodes out of one of the regions"};
}

void Constraints::set_time(double t) {
  if (contents_->whole != nullptr && varies_in_time()) {
    Constraints whole(contents_->whole);
    whole.set_time(t);
    return take_values(whole);
  }
  if (contents_->varying.empty()) return;
  const auto require_agreement = [&](Node node, int component, double value, int source) {
    if (!agrees(node, component, value, source))
      throw conflict({node, component, source, value}, fmt::format(" when t = {:g}", t));
  };
  std::vector<double> values;
  for (const Varying& each : contents_->varying) {
    values.resize(each.at.nodes().size());
    each.value(each.at.points(), t, values);
    contents_->sources[static_cast<std::size_t>(each.source)].rounding = rounding_of(values);
    for (std::size_t n = 0; n < values.size(); ++n) {
      const Node node = each.at.nodes()[n];
      const std::size_t i = index(node, each.component);
      if (prescribed(i).source == each.source) prescribed(i).value = values[n];
      else require_agreement(node, each.component, values[n], each.source);  // with an earlier source
    }
  }
  for (const Contest& c : contents_->contests) require_agreement(c.node, c.component, c.value, c.source);
  check_sums(fmt::format(" when t = {:g}", t));
  if (!contents_->values.empty()) upload_values();
}

void Constraints::upload_values() {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(contents_->list.size()));
  const HostView<std::int32_t> list(contents_->list);
  for (const std::int32_t unknown : list.span())
    values.push_back(contents_->host_mask[static_cast<std::size_t>(unknown)] != 0
                         ? prescribed(static_cast<std::size_t>(unknown)).value
                         : 0.0);
  if (contents_->values.size() != contents_->list.size())  // finish() may come again, with more
    contents_->values = Vector(contents_->space.device(), std::span<const double>(values), "constraints");
  else contents_->values.upload(values);
}

void Constraints::relate(LinearEquations equations) {
  if (equations.join_fields())
    throw Error(ErrorKind::internal,
                fmt::format("constraints of one field were given {}, which joins several", equations.origin));
  if (equations.size() > 0) contents_->equations.push_back(std::move(equations));
}

void Constraints::relate(const DependentNodeRows& rows, const Ghosts& ghosts) {
  const auto C = static_cast<std::size_t>(contents_->space.components());
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
      here.unknown.push_back(
          static_cast<std::int32_t>((rows.node[row] - first) * contents_->space.components() + Index(c)));
      here.offset.push_back(0);
      for (auto k = static_cast<std::size_t>(rows.begin[row]); k < static_cast<std::size_t>(rows.begin[row + 1]); ++k)
        for (std::size_t d = 0; d < C; ++d)
          if (const double factor = rows.block[(k * C + c) * C + d]; factor != 0) {
            here.followed.push_back(
                static_cast<std::int32_t>(leaders->local(rows.followed[k]) * contents_->space.components() + Index(d)));
            here.factor.push_back(factor);
          }
      here.begin.push_back(std::ssize(here.followed));
    }
  });
  contents_->dependent = std::make_shared<DependentUnknowns>(contents_->space, std::move(here), leaders);
}

void Constraints::relate(DependentRows rows) {
  contents_->dependent = std::make_shared<DependentUnknowns>(contents_->space, std::move(rows));
  contents_->has_part_of_rows = true;
}

void Constraints::take_values(const Constraints& whole) {
  const Ghosts& nodes = *contents_->space.ghosts();
  const Index width = contents_->space.components();
  const auto place_in_whole = [&](Index unknown) { return nodes.global(unknown / width) * width + unknown % width; };
  for (std::size_t unknown = 0; unknown < contents_->place.size(); ++unknown)
    if (contents_->place[unknown] >= 0)
      prescribed(unknown).value = whole.prescribed_value(place_in_whole(static_cast<Index>(unknown)));
  upload_values();
  if (contents_->dependent) {
    const DependentRows& of_all = whole.dependent_rows();
    std::vector<double> offsets;
    for (const std::int32_t unknown : contents_->dependent->rows().unknown) {
      const auto row = static_cast<std::size_t>(std::ranges::lower_bound(of_all.unknown, place_in_whole(unknown)) -
                                                of_all.unknown.begin());
      offsets.push_back(of_all.offset[row]);
      if (!contents_->has_part_of_rows) continue;
      for (auto k = static_cast<std::size_t>(of_all.begin[row]); k < static_cast<std::size_t>(of_all.begin[row + 1]);
           ++k)
        if (whole.host_mask()[static_cast<std::size_t>(of_all.followed[k])] != 0)
          offsets.back() += of_all.factor[k] * whole.prescribed_value(of_all.followed[k]);
    }
    contents_->dependent->set_offsets(std::move(offsets));
  }
  if (whole.contents_->constrained.empty() || !contents_->constrained.empty()) return;
  const std::vector<std::uint8_t> of_whole = whole.contents_->constrained.host();
  std::vector<std::uint8_t> constrained(contents_->host_mask.size());
  for (std::size_t i = 0; i < constrained.size(); ++i)
    constrained[i] = of_whole[static_cast<std::size_t>(place_in_whole(static_cast<Index>(i)))];
  contents_->constrained = marks_on(contents_->space.device(), constrained);
}

void Constraints::check_sums(const std::string& when) const {
  ritz::check_sums(
      contents_->sums, [&](std::int32_t unknown) { return prescribed_value(unknown); },
      [&](std::int32_t unknown) { return name_of(unknown); }, when);
}

bool Constraints::all_zero() const {
  return contents_->varying.empty() &&
         std::ranges::all_of(contents_->prescribed, [](const Prescribed& each) { return each.value == 0; });
}

void Constraints::finish() {
  ErrorList errors;
  for (const auto& [sources, found] : contents_->conflicts)
    errors.add(conflict(found.first, found.more == 0 ? "" : fmt::format(", and {} more there", found.more)));
  errors.throw_if_any();
  bool couples = contents_->has_part_of_rows;
  if (!contents_->dependent && !contents_->equations.empty()) {
    ResolvedEquations resolved = resolve(contents_->space, contents_->equations, contents_->host_mask);
    contents_->sums = std::move(resolved.sums);
    check_sums("");
    contents_->dependent = std::make_shared<DependentUnknowns>(contents_->space, std::move(resolved.rows));
    couples = true;
  }
  if (couples) contents_->space.couple(contents_->dependent->couplings(contents_->host_mask));
  upload_marks({}, 0);
}

void Constraints::add_between_fields(const DependentRows& rows, Index first) { upload_marks(rows, first); }

void Constraints::upload_marks(const DependentRows& between_fields, Index first) {
  const Device& device = contents_->space.device();
  std::vector<std::uint8_t> marks = contents_->host_mask;
  mark(dependent_rows().unknown, 0, marks);
  mark(between_fields.unknown, first, marks);
  contents_->mask = marks_on(device, marks);
  std::vector<std::int32_t> list;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i] != 0) list.push_back(static_cast<std::int32_t>(i));
  contents_->list = Array<std::int32_t>(device, std::span<const std::int32_t>(list), "constraints");
  upload_values();
  const bool has_rows = contents_->has_part_of_rows || !contents_->equations.empty();  // not those of owned nodes
  if (!has_rows && between_fields.unknown.empty()) return;
  if (has_rows) mark(dependent_rows().followed, 0, marks);
  mark(between_fields.followed, first, marks);
  contents_->constrained = marks_on(device, marks);
}

const DependentRows& Constraints::dependent_rows() const {
  static const DependentRows none;
  return contents_->dependent ? contents_->dependent->rows() : none;
}

void Constraints::set_values(Vector& u, double part) const {
  u.device().profile().count(contents_->list.bytes() + 2 * contents_->values.bytes());
  table(u.device())
      .set_values(u.device(), contents_->list.size(), contents_->list.data(), u.size(), part, contents_->values.data(),
                  u.data());
  if (contents_->dependent) contents_->dependent->set(u, part);
}

void Constraints::set_linear(Vector& x) const {
  if (contents_->dependent) contents_->dependent->set_linear(x);
}

void Constraints::gather(Vector& r) const {
  if (contents_->dependent) contents_->dependent->gather(r);
}

void Constraints::set_zero(Vector& r) const { zero_where(contents_->mask, true, 0, r.size(), r); }

void Constraints::eliminate(SparseMatrix& K, double pivot) const {
  if (contents_->dependent) contents_->dependent->transform(K);
  K.eliminate(contents_->mask, pivot);
}

void Constraints::eliminate_prescribed(SparseMatrix& K, double pivot) const {
  K.eliminate(marks_on(contents_->space.device(), contents_->host_mask), pivot);
}

void Constraints::apply_pivot(double pivot, const Vector& x, Vector& y) const {
  table(x.device())
      .apply_pivot(x.device(), contents_->list.size(), contents_->list.data(), x.size(), pivot, x.data(), y.data());
}

void Constraints::apply_pivot_dot(double pivot, const Vector& x, Vector& y, double* xy) const {
  const Device& device = x.device();
  device.profile().count(x.size() + x.bytes() + y.bytes());
  table(device).apply_pivot_dot(device, x.size(), contents_->mask.data(), pivot, x.data(), y.data(), xy);
}

void Constraints::gather_diagonal(Vector& d) const {
  if (contents_->dependent) contents_->dependent->gather_diagonal(d);
}

void Constraints::keep_prescribed(Vector& r) const { zero_where(contents_->mask, false, 0, r.size(), r); }
void Constraints::keep_constrained(Vector& r) const { zero_where(constrained(), false, 0, r.size(), r); }

void zero_where(const Array<std::uint8_t>& marks, bool marked, Index first, Index count, Vector& r) {
  r.device().profile().count(count * Index{1 + 2 * sizeof(double)});
  table(r.device()).set_zero(r.device(), count, marks.data(), marked ? 1 : 0, r.data() + first);
}

}  // namespace ritz
