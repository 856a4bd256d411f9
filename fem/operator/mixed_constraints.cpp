#include "fem/operator/mixed_constraints.hpp"

#include "device/error.hpp"
#include "device/host_view.hpp"
#include "device/kernels.hpp"
#include "fem/launch/constraint_kernels.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace ritz {
namespace {

const ConstraintKernels& table(const Device& device) {
  return kernels<ConstraintKernels>(device, "ritz_fem_kernels", "constraints");
}

std::unique_ptr<SparseMatrix> diagonal_matrix(const FunctionSpace& space) {
  std::vector<Index> offsets(static_cast<std::size_t>(space.node_count()) + 1);
  std::vector<std::int32_t> columns(static_cast<std::size_t>(space.node_count()));
  std::iota(offsets.begin(), offsets.end(), Index{0});
  std::iota(columns.begin(), columns.end(), 0);
  return std::make_unique<SparseMatrix>(std::make_shared<SparsityPattern>(space.device(), offsets, columns),
                                        space.components());
}

// Empties rows and columns, with a number as large as the largest of the diagonal there.
void eliminate_as_large(const Array<std::uint8_t>& unknowns, SparseMatrix& A) {
  const Vector diagonal = A.diagonal();
  Vector ones(diagonal.device(), diagonal.size(), "vectors");
  fill(1, ones);
  A.eliminate(unknowns, std::copysign(max_abs(diagonal), dot(diagonal, ones)));
}

}  // namespace

MixedConstraints::MixedConstraints(Spaces spaces)
    : contents_(std::make_shared<Contents>(Contents{.spaces = std::move(spaces), .layout = Layout()})) {
  contents_->layout = layout_of(contents_->spaces);
  contents_->local = contents_->layout.local();
  contents_->joined.resize(contents_->spaces.size());
  for (const FunctionSpace& space : contents_->spaces) contents_->of_field.emplace_back(space);
}

void MixedConstraints::relate(int field, DependentRows rows) {
  const FunctionSpace& space = (*this)[field].space();
  contents_->joined.at(static_cast<std::size_t>(field)).of_part =
      std::make_shared<const DependentUnknowns>(space, std::move(rows));
}

void MixedConstraints::relate(LinearEquations equations) {
  if (contents_->layout.is_divided())
    throw Error(ErrorKind::internal, fmt::format("a part of a mesh was given {} as equations", equations.origin));
  if (equations.size() > 0) contents_->between_fields.push_back(std::move(equations));
}

void MixedConstraints::relate(DependentRows between_fields, std::vector<int> joined) {
  contents_->joining =
      std::make_shared<const DependentUnknowns>(contents_->spaces.front().device(), std::move(between_fields));
  contents_->joined_over_ranks = std::move(joined);
}

void MixedConstraints::finish() {
  contents_->host_mask.clear();
  contents_->transforms.clear();
  contents_->joining_transform.reset();
  for (int k = 0; k < contents_->layout.count(); ++k) {
    Constraints& each = (*this)[k];
    if (contents_->layout.is_divided() && !each.equations().empty())
      throw Error(ErrorKind::internal, "a part of a mesh was given equations between unknowns of several fields");
    each.finish();
    const std::vector<std::uint8_t>& prescribed = each.host_mask();
    contents_->host_mask.insert(contents_->host_mask.end(), prescribed.begin(),
                                prescribed.begin() + contents_->layout.size(k));
    if (const auto& of_part = contents_->joined[static_cast<std::size_t>(k)].of_part)
      each.space().couple(of_part->couplings(prescribed));
  }
  if (!contents_->between_fields.empty()) resolve_between_fields();
  if (contents_->joining != nullptr) join_spaces();
  for (int k = 0; k < contents_->layout.count(); ++k) mark(k);
}

// Rows of T_several: what elimination of all equations, those of single fields first, adds to theirs.
void MixedConstraints::resolve_between_fields() {
  Spaces spaces;
  std::vector<LinearEquations> all;
  std::vector<std::uint8_t> of_fields(static_cast<std::size_t>(contents_->layout.total()),
                                      0);  // dependent in their own field
  for (int k = 0; k < contents_->layout.count(); ++k) {
    spaces.push_back((*this)[k].space());
    for (LinearEquations each : (*this)[k].equations()) {
      each.field = k;
      all.push_back(std::move(each));
    }
    if (dependent(k) != nullptr)
      for (const std::int32_t unknown : dependent(k)->rows().unknown)
        of_fields[static_cast<std::size_t>(contents_->layout.first(k) + unknown)] = 1;
  }
  all.insert(all.end(), contents_->between_fields.begin(), contents_->between_fields.end());
  ResolvedEquations resolved = resolve(std::move(spaces), all, contents_->host_mask);
  contents_->sums = std::move(resolved.sums);
  check_sums("");
  DependentRows rows;
  for (std::size_t row = 0; row < resolved.rows.unknown.size(); ++row) {
    if (of_fields[static_cast<std::size_t>(resolved.rows.unknown[row])] != 0) continue;
    const auto first = resolved.rows.begin[row], last = resolved.rows.begin[row + 1];
    rows.unknown.push_back(resolved.rows.unknown[row]);
    rows.offset.push_back(resolved.rows.offset[row]);
    rows.followed.insert(rows.followed.end(), resolved.rows.followed.begin() + first,
                         resolved.rows.followed.begin() + last);
    rows.factor.insert(rows.factor.end(), resolved.rows.factor.begin() + first, resolved.rows.factor.begin() + last);
    rows.begin.push_back(std::ssize(rows.followed));
  }
  contents_->joining = std::make_shared<const DependentUnknowns>(contents_->spaces.front().device(), std::move(rows));
}

// Pairs of nodes of each two fields that T_several joins: the nodes of a cell, those that they follow in their field,
// and those that these follow in others, as far as one of a pair is of the last kind.
void MixedConstraints::join_spaces() {
  using FieldNode = std::pair<int, Node>;
  const auto node_of = [&](Index unknown) {
    int k = 0;
    while (k + 1 < contents_->local.count() && unknown >= contents_->local.first(k + 1)) ++k;
    return FieldNode{k, static_cast<Node>((unknown - contents_->local.first(k)) / contents_->local.width(k))};
  };
  std::map<FieldNode, std::vector<FieldNode>> followed;
  const DependentRows& rows = contents_->joining->rows();
  for (std::size_t row = 0; row < rows.unknown.size(); ++row)
    for (Index t = rows.begin[row]; t < rows.begin[row + 1]; ++t)
      followed[node_of(rows.unknown[row])].push_back(node_of(rows.followed[static_cast<std::size_t>(t)]));
  const auto keep_once = [](auto& list) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  };
  for (auto& [node, list] : followed) keep_once(list);
  std::map<std::pair<int, int>, std::vector<std::pair<Node, Node>>> pairs;
  for (const int row : contents_->joined_over_ranks)
    for (const int column : contents_->joined_over_ranks) pairs[{row, column}];  // blocks are those of all ranks
  std::vector<FieldNode> own, others;
  for (int k = 0; k < contents_->layout.count(); ++k) {
    const FunctionSpace& space = (*this)[k].space();
    std::vector<std::uint8_t> follows(static_cast<std::size_t>(space.node_count()), 0);
    for (const auto& [node, list] : followed)
      if (node.first == k) follows[static_cast<std::size_t>(node.second)] = 1;
    if (std::ranges::find(follows, 1) == follows.end()) continue;
    FunctionSpace::CellNodes nodes_of(space);
    for (Index cell = 0; cell < space.mesh().cell_count(); ++cell) {
      own.clear();
      others.clear();
      for (const Node node : nodes_of(cell)) {
        own.emplace_back(k, node);
        if (space.couplings() == nullptr) continue;
        for (const Node each : space.couplings()->followed_by(node)) own.emplace_back(k, each);
      }
      for (const FieldNode& node : own)
        if (follows[static_cast<std::size_t>(node.second)] != 0)
          others.insert(others.end(), followed[node].begin(), followed[node].end());
      keep_once(others);
      for (const FieldNode& a : others) {
        for (const FieldNode& b : own) {
          pairs[{a.first, b.first}].emplace_back(a.second, b.second);
          pairs[{b.first, a.first}].emplace_back(b.second, a.second);
        }
        for (const FieldNode& b : others) pairs[{a.first, b.first}].emplace_back(a.second, b.second);
      }
    }
  }
  std::vector<std::vector<std::pair<FunctionSpace, NodePairs>>> joined(contents_->spaces.size());
  for (auto& [fields, list] : pairs) {
    keep_once(list);
    joined[static_cast<std::size_t>(fields.first)].emplace_back((*this)[fields.second].space(), std::move(list));
  }
  for (int k = 0; k < contents_->layout.count(); ++k)
    (*this)[k].space().join(std::move(joined[static_cast<std::size_t>(k)]));
}

void MixedConstraints::mark(int field) {
  Joined& joined = contents_->joined[static_cast<std::size_t>(field)];
  const Constraints& each = (*this)[field];
  std::vector<std::uint8_t> dependents(each.host_mask().size(), 0),
      by_others = dependents, eliminated = each.host_mask(), followed = dependents;
  bool any = false;
  const auto take = [&](const DependentUnknowns* unknowns, Index first, std::vector<std::uint8_t>& marks) {
    if (unknowns == nullptr) return;
    const auto place = [&](std::int32_t unknown) { return static_cast<std::size_t>(unknown - first); };
    const auto is_here = [&](std::int32_t unknown) { return unknown >= first && place(unknown) < marks.size(); };
    for (const std::int32_t unknown : unknowns->rows().unknown)
      if (is_here(unknown)) {
        any = true;
        marks[place(unknown)] = eliminated[place(unknown)] = 1;
      }
    for (const std::int32_t unknown : unknowns->rows().followed)
      if (is_here(unknown)) {
        any = true;
        followed[place(unknown)] = 1;
      }
  };
  take(dependent(field), 0, dependents);
  take(contents_->joining.get(), contents_->local.first(field), by_others);
  if (!any && contents_->joined_over_ranks.empty()) return;
  const auto upload = [&](std::span<const std::uint8_t> marks) {
    return Array<std::uint8_t>(each.space().device(), marks, "constraints");
  };
  joined.dependent = upload(dependents);
  joined.eliminated = upload(eliminated);
  for (std::size_t i = 0; i < followed.size(); ++i) followed[i] = followed[i] | eliminated[i];
  joined.constrained = upload(followed);
  if (contents_->joining != nullptr) joined.by_others = upload(by_others);
}

// Equations between fields all of whose unknowns are prescribed.
void MixedConstraints::check_sums(const std::string& when) const {
  if (contents_->sums.empty()) return;
  Vector u(contents_->spaces.front().device(), contents_->layout.total(), "vectors");
  u.fill_zero();
  for (int k = 0; k < contents_->layout.count(); ++k)
    with_ghosts(k, u, [&](Vector& all) { (*this)[k].set_values(all); });
  const std::vector<double> values = u.host();
  for (const PrescribedSum& sum : contents_->sums) {
    double value = 0, size = sum.size;
    for (std::size_t i = 0; i < sum.unknown.size(); ++i) {
      const double part = sum.factor[i] * values[static_cast<std::size_t>(sum.unknown[i])];
      value += part;
      size += std::abs(part);
    }
    if (std::abs(value - sum.value) <= 1e-9 * size) continue;
    throw Error(ErrorKind::conflicting_conditions, fmt::format("prescribed values contradict {}{}", sum.origin, when),
                fmt::format("all unknowns of an equation between fields are prescribed; its sum is {:g}, and {:g} is "
                            "asked for",
                            value, sum.value),
                "leave one of them free, or prescribe values that satisfy the equation");
  }
}

const DependentUnknowns* MixedConstraints::dependent(int field) const {
  const Joined& joined = contents_->joined.at(static_cast<std::size_t>(field));
  return joined.of_part ? joined.of_part.get() : (*this)[field].dependent();
}

// Without equations those that are prescribed.
const Array<std::uint8_t>& MixedConstraints::marks(int field, Array<std::uint8_t> Joined::*kind) const {
  const Joined& joined = contents_->joined[static_cast<std::size_t>(field)];
  return joined.eliminated.empty() ? (*this)[field].mask() : joined.*kind;
}

const Array<std::uint8_t>& MixedConstraints::mask(int field) const { return marks(field, &Joined::eliminated); }

bool MixedConstraints::varies_in_time() const {
  return std::ranges::any_of((contents_->whole != nullptr ? *contents_->whole : *contents_).of_field,
                             &Constraints::varies_in_time);
}

// Those of one field alone: equations between fields have their own offsets on the part.
void MixedConstraints::take_values(const MixedConstraints& whole) {
  contents_->taken.clear();
  for (int k = 0; k < contents_->layout.count(); ++k) {
    Vector u = whole[k].space().zeros();
    whole[k].set_values(u);
    const HostView<double> of_all(u);
    const Ghosts& nodes = *contents_->layout.ghosts(k);
    const Index width = contents_->layout.width(k);
    const auto value_of = [&](Index unknown) {
      return of_all[nodes.global(unknown / width) * width + unknown % width];
    };
    const std::vector<std::uint8_t>& prescribed = (*this)[k].host_mask();
    std::vector<double> values(prescribed.size(), 0.0);
    for (std::size_t i = 0; i < values.size(); ++i)
      if (prescribed[i] != 0) values[i] = value_of(static_cast<Index>(i));
    contents_->taken.emplace_back((*this)[k].space().device(), std::span<const double>(values), "constraints");
    auto& of_part = contents_->joined[static_cast<std::size_t>(k)].of_part;
    if (of_part == nullptr) continue;
    DependentRows rows = of_part->rows();
    for (std::size_t row = 0; row < rows.unknown.size(); ++row) rows.offset[row] = value_of(rows.unknown[row]);
    if (rows.offset != of_part->rows().offset)
      of_part = std::make_shared<const DependentUnknowns>((*this)[k].space(), std::move(rows));
  }
}

void MixedConstraints::set_time(double t) {
  if (contents_->whole != nullptr) {
    if (!varies_in_time()) return;
    MixedConstraints whole(contents_->whole);
    whole.set_time(t);
    return take_values(whole);
  }
  for (Constraints& each : contents_->of_field)
    if (each.varies_in_time()) each.set_time(t);
  if (varies_in_time()) check_sums(fmt::format(" when t = {:g}", t));
}

// change(field with its ghosts), whose owned unknowns are then those of x
template <class Change>
void MixedConstraints::with_ghosts(int field, Vector& x, const Change& change) const {
  Vector part = contents_->layout.part(x, field);
  if (!contents_->layout.is_divided()) {
    change(part);
  } else {
    Vector all(x.device(), contents_->layout.local().size(field), "vectors");
    contents_->layout.fetch(field, part, all);
    change(all);
    x.device().machine().copy_on_device(part.data(), all.data(), part.bytes());
  }
  contents_->layout.put(part, field, x);
}

// change(dependent unknowns of a field, the field) where it has equations
template <class Change>
void MixedConstraints::each_with_equations(Vector& x, const Change& change) const {
  for (int k = 0; k < contents_->layout.count(); ++k)
    if (dependent(k) != nullptr) with_ghosts(k, x, [&](Vector& all) { change(*dependent(k), all); });
}

// change(unknowns of all fields with their ghosts) where there are equations between them
template <class Change>
void MixedConstraints::with_joined(Vector& x, const Change& change) const {
  if (contents_->joining == nullptr) return;
  if (!contents_->layout.is_divided()) return change(x);
  Vector all;
  contents_->layout.with_ghosts(x, all);
  change(all);
  contents_->layout.keep_owned(all, x);
}

void MixedConstraints::set_values(Vector& u, double factor) const {
  for (int k = 0; k < contents_->layout.count(); ++k)
    with_ghosts(k, u, [&](Vector& all) {
      if (contents_->taken.empty()) {
        (*this)[k].set_values(all, factor);
      } else {
        (*this)[k].set_zero(all);
        axpy(factor, contents_->taken[static_cast<std::size_t>(k)], all);
      }
      if (const auto& of_part = contents_->joined[static_cast<std::size_t>(k)].of_part) of_part->set(all, factor);
    });
  if (contents_->joining == nullptr) return;
  with_joined(u, [&](Vector& all) { contents_->joining->set(all, factor); });
  each_with_equations(u, [&](const DependentUnknowns& each, Vector& all) { each.set(all, factor); });
}

void MixedConstraints::set_linear(Vector& x) const {
  with_joined(x, [&](Vector& all) { contents_->joining->set_linear(all); });
  each_with_equations(x, [](const DependentUnknowns& each, Vector& all) { each.set_linear(all); });
}
void MixedConstraints::gather(Vector& r) const {
  each_with_equations(r, [](const DependentUnknowns& each, Vector& all) { each.gather(all); });
  with_joined(r, [&](Vector& all) { contents_->joining->gather(all); });
}

void MixedConstraints::gather_diagonal(Vector& diagonal) const {
  each_with_equations(diagonal, [](const DependentUnknowns& each, Vector& all) { each.gather_diagonal(all); });
  with_joined(diagonal, [&](Vector& all) { contents_->joining->gather_diagonal(all); });
}

bool MixedConstraints::has_dependent() const {
  bool any = contents_->joining != nullptr;
  for (int k = 0; k < contents_->layout.count(); ++k) any = any || dependent(k) != nullptr;
  return any;
}

void MixedConstraints::zero_where(Array<std::uint8_t> Joined::*kind, bool marked, Vector& r) const {
  contents_->layout.check(r);
  for (int k = 0; k < contents_->layout.count(); ++k)
    table(r.device())
        .set_zero(r.device(), contents_->layout.size(k), marks(k, kind).data(), marked ? 1 : 0,
                  r.data() + contents_->layout.first(k));
}

void MixedConstraints::set_zero(Vector& r) const { zero_where(&Joined::eliminated, true, r); }
void MixedConstraints::keep_prescribed(Vector& r) const { zero_where(&Joined::eliminated, false, r); }
void MixedConstraints::keep_constrained(Vector& r) const { zero_where(&Joined::constrained, false, r); }

void MixedConstraints::apply_pivot(double pivot, const Vector& x, Vector& y) const {
  Vector held(x.device(), x.size(), "vectors");
  copy(x, held);
  keep_prescribed(held);
  set_zero(y);
  axpy(pivot, held, y);
}

const CouplingTransform& MixedConstraints::transform_of(int row, int column, const RectangularMatrix& K) const {
  const auto known = contents_->transforms.find({row, column});
  if (known != contents_->transforms.end() && known->second.suits(K)) return known->second;
  static const DependentRows none;
  const auto rows = [&](int k) -> const DependentRows& {
    return dependent(k) != nullptr ? dependent(k)->rows() : none;
  };
  CouplingTransform made(K, rows(row), rows(column));
  return contents_->transforms.insert_or_assign({row, column}, std::move(made)).first->second;
}

void MixedConstraints::transform(int field, SparseMatrix& A) const {
  if (dependent(field) == nullptr) return;
  const FunctionSpace& space = contents_->spaces[static_cast<std::size_t>(field)];
  if (space.has_pattern() && A.pattern().nonzeros() != space.pattern()->nonzeros())
    throw Error(ErrorKind::internal,
                fmt::format("a matrix of {} pairs of nodes was given to constraints that join {}",
                            A.pattern().nonzeros(), space.pattern()->nonzeros()),
                "equations between unknowns have joined nodes since it was made",
                "finish the supports before the matrix is made");
  dependent(field)->transform(A);
  eliminate_as_large(marks(field, &Joined::dependent), A);
}

void MixedConstraints::transform(BlockOperator& K) const {
  static const Array<std::uint8_t> none;
  const auto dependents = [&](int k) -> const Array<std::uint8_t>& {
    return dependent(k) != nullptr ? marks(k, &Joined::dependent) : none;
  };
  for (int row = 0; row < contents_->layout.count(); ++row) {
    SparseMatrix* const square = K.square(row);
    const bool of_pivots = square != nullptr && square->pattern().nonzeros() == square->pattern().rows();
    if (square != nullptr && !of_pivots) transform(row, *square);  // equations join rows of others
    for (int column = 0; column < contents_->layout.count(); ++column) {
      RectangularMatrix* const coupling = column != row ? K.coupling(row, column) : nullptr;
      if (coupling == nullptr || (dependent(row) == nullptr && dependent(column) == nullptr)) continue;
      transform_of(row, column, *coupling).apply(*coupling);
      coupling->eliminate(dependents(row), dependents(column));
    }
  }
  if (contents_->joining != nullptr) transform_between_fields(K);
}

void MixedConstraints::transform_between_fields(BlockOperator& K) const {
  if (contents_->joining_transform == nullptr || !contents_->joining_transform->suits(K))
    contents_->joining_transform = std::make_unique<JoinedTransform>(K, contents_->joining->rows());
  contents_->joining_transform->apply(K);
  const auto dependents = [&](int k) -> const Array<std::uint8_t>& {
    return contents_->joined[static_cast<std::size_t>(k)].by_others;
  };
  for (int row = 0; row < contents_->layout.count(); ++row) {
    if (K.square(row) != nullptr && !dependents(row).empty()) eliminate_as_large(dependents(row), *K.square(row));
    for (int column = 0; column < contents_->layout.count(); ++column)
      if (column != row && K.coupling(row, column) != nullptr)
        K.coupling(row, column)->eliminate(dependents(row), dependents(column));
  }
}

void MixedConstraints::eliminate_transformed(BlockOperator& K, double pivot) const {
  for (int row = 0; row < contents_->layout.count(); ++row) {
    const bool any = (*this)[row].count() > 0 || !contents_->joined[static_cast<std::size_t>(row)].eliminated.empty();
    if (any && K.square(row) == nullptr) K.set(row, diagonal_matrix(contents_->spaces[static_cast<std::size_t>(row)]));
    if (K.square(row) != nullptr) K.square(row)->eliminate(mask(row), pivot);
    for (int column = 0; column < contents_->layout.count(); ++column)
      if (column != row && K.coupling(row, column) != nullptr)
        K.coupling(row, column)->eliminate(mask(row), mask(column));
  }
}

void MixedConstraints::eliminate(BlockOperator& K, double pivot) const {
  transform(K);
  eliminate_transformed(K, pivot);
}

}  // namespace ritz
