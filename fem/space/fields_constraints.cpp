#include "fem/space/fields_constraints.hpp"

#include "device/error.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <numeric>

namespace ritz {
namespace {

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

FieldsConstraints::FieldsConstraints(Spaces spaces)
    : contents_(std::make_shared<Contents>(Contents{.spaces = std::move(spaces), .layout = Layout()})) {
  contents_->layout = layout_of(contents_->spaces);
  contents_->local = contents_->layout.local();
  for (const FunctionSpace& space : contents_->spaces) contents_->of_field.emplace_back(space);
}

void FieldsConstraints::relate(LinearEquations equations) {
  if (contents_->layout.is_divided())
    throw Error(ErrorKind::internal, fmt::format("a part of a mesh was given {} as equations", equations.origin));
  if (equations.size() > 0) contents_->between_fields.push_back(std::move(equations));
}

void FieldsConstraints::relate(DependentRows between_fields, std::vector<int> joined) {
  contents_->joining =
      std::make_shared<const DependentUnknowns>(contents_->spaces.front().device(), std::move(between_fields));
  contents_->joined_over_ranks = std::move(joined);
}

void FieldsConstraints::finish() {
  Contents& c = *contents_;
  c.host_mask.clear();
  c.transforms.clear();
  c.joining_transform.reset();
  for (int k = 0; k < c.layout.count(); ++k) {
    Constraints& each = (*this)[k];
    if (c.layout.is_divided() && !each.equations().empty())
      throw Error(ErrorKind::internal, "a part of a mesh was given equations between unknowns of several fields");
    each.finish();
    const std::vector<std::uint8_t>& prescribed = each.host_mask();
    c.host_mask.insert(c.host_mask.end(), prescribed.begin(), prescribed.begin() + c.layout.size(k));
  }
  if (!c.between_fields.empty()) resolve_between_fields();
  if (c.joining != nullptr) join_spaces();
  c.dependents.clear();
  for (int k = 0; k < c.layout.count(); ++k) {
    const auto marks_of = [&](const DependentUnknowns* dependent, Index first) {
      if (dependent == nullptr) return Array<std::uint8_t>();
      std::vector<std::uint8_t> marks(static_cast<std::size_t>(c.local.size(k)), 0);
      mark(dependent->rows().unknown, first, marks);
      return Array<std::uint8_t>(c.spaces.front().device(), std::span<const std::uint8_t>(marks), "constraints");
    };
    c.dependents.push_back({marks_of((*this)[k].dependent(), 0), marks_of(c.joining.get(), c.local.first(k))});
    if (c.joining != nullptr) (*this)[k].add_between_fields(c.joining->rows(), c.local.first(k));
  }
}

// Rows of T_several: what elimination of all equations, those of single fields first, adds to theirs.
void FieldsConstraints::resolve_between_fields() {
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
    for (const std::int32_t unknown : (*this)[k].dependent_rows().unknown)
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
void FieldsConstraints::join_spaces() {
  using FieldNode = std::pair<int, Node>;
  const auto node_of = [&](Index unknown) {
    const int k = contents_->local.field_at(unknown);
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

// Equations between fields all of whose unknowns are prescribed.
void FieldsConstraints::check_sums(const std::string& when) const {
  const auto value_of = [&](std::int32_t unknown) {
    const int k = contents_->layout.field_at(unknown);
    return (*this)[k].prescribed_value(unknown - contents_->layout.first(k));
  };
  ritz::check_sums(
      contents_->sums, value_of, [&](std::int32_t unknown) { return name_of(unknown); }, when);
}

bool FieldsConstraints::varies_in_time() const {
  return std::ranges::any_of(contents_->of_field, &Constraints::varies_in_time);
}

void FieldsConstraints::take_values(const FieldsConstraints& whole) {
  for (int k = 0; k < contents_->layout.count(); ++k) (*this)[k].take_values(whole[k]);
}

void FieldsConstraints::follow(const FieldsConstraints& whole) {
  for (int k = 0; k < contents_->layout.count(); ++k) (*this)[k].follow(whole[k]);
  contents_->whole = whole.contents_;
}

void FieldsConstraints::set_time(double t) {
  if (!varies_in_time()) return;
  for (Constraints& each : contents_->of_field) each.set_time(t);
  const FieldsConstraints all(contents_->whole != nullptr ? contents_->whole : contents_);
  all.check_sums(fmt::format(" when t = {:g}", t));
}

// change(field with its ghosts), whose owned unknowns are then those of x
template <class Change>
void FieldsConstraints::with_ghosts(int field, Vector& x, const Change& change) const {
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

// change(constraints of a field, the field) where it has equations
template <class Change>
void FieldsConstraints::each_with_equations(Vector& x, const Change& change) const {
  for (int k = 0; k < contents_->layout.count(); ++k)
    if ((*this)[k].has_dependent()) with_ghosts(k, x, [&](Vector& all) { change((*this)[k], all); });
}

// change(unknowns of all fields with their ghosts) where there are equations between them
template <class Change>
void FieldsConstraints::with_joined(Vector& x, const Change& change) const {
  if (contents_->joining == nullptr) return;
  if (!contents_->layout.is_divided()) return change(x);
  Vector all;
  contents_->layout.with_ghosts(x, all);
  change(all);
  contents_->layout.keep_owned(all, x);
}

void FieldsConstraints::set_values(Vector& u, double factor) const {
  for (int k = 0; k < contents_->layout.count(); ++k)
    with_ghosts(k, u, [&](Vector& all) { (*this)[k].set_values(all, factor); });
  if (contents_->joining == nullptr) return;
  with_joined(u, [&](Vector& all) { contents_->joining->set(all, factor); });
  each_with_equations(u, [&](const Constraints& each, Vector& all) { each.dependent()->set(all, factor); });
}

void FieldsConstraints::set_linear(Vector& x) const {
  with_joined(x, [&](Vector& all) { contents_->joining->set_linear(all); });
  each_with_equations(x, [](const Constraints& each, Vector& all) { each.set_linear(all); });
}

void FieldsConstraints::gather(Vector& r) const {
  each_with_equations(r, [](const Constraints& each, Vector& all) { each.gather(all); });
  with_joined(r, [&](Vector& all) { contents_->joining->gather(all); });
}

void FieldsConstraints::gather_diagonal(Vector& diagonal) const {
  each_with_equations(diagonal, [](const Constraints& each, Vector& all) { each.gather_diagonal(all); });
  with_joined(diagonal, [&](Vector& all) { contents_->joining->gather_diagonal(all); });
}

bool FieldsConstraints::has_dependent() const {
  return contents_->joining != nullptr || std::ranges::any_of(contents_->of_field, &Constraints::has_dependent);
}

// marks(constraints of a field)
template <class Marks>
void FieldsConstraints::zero_where(const Marks& marks, bool marked, Vector& r) const {
  contents_->layout.check(r);
  for (int k = 0; k < contents_->layout.count(); ++k)
    ritz::zero_where(marks((*this)[k]), marked, contents_->layout.first(k), contents_->layout.size(k), r);
}

void FieldsConstraints::set_zero(Vector& r) const { zero_where(std::mem_fn(&Constraints::mask), true, r); }
void FieldsConstraints::keep_prescribed(Vector& r) const { zero_where(std::mem_fn(&Constraints::mask), false, r); }
void FieldsConstraints::keep_constrained(Vector& r) const {
  zero_where(std::mem_fn(&Constraints::constrained), false, r);
}

void FieldsConstraints::apply_pivot(double pivot, const Vector& x, Vector& y) const {
  Vector held(x.device(), x.size(), "vectors");
  copy(x, held);
  keep_prescribed(held);
  set_zero(y);
  axpy(pivot, held, y);
}

const CouplingTransform& FieldsConstraints::transform_of(int row, int column, const RectangularMatrix& K) const {
  const auto known = contents_->transforms.find({row, column});
  if (known != contents_->transforms.end() && known->second.suits(K)) return known->second;
  CouplingTransform made(K, (*this)[row].dependent_rows(), (*this)[column].dependent_rows());
  return contents_->transforms.insert_or_assign({row, column}, std::move(made)).first->second;
}

// An empty array: the field has none.
const Array<std::uint8_t>& FieldsConstraints::dependents(int field, Array<std::uint8_t> Dependents::*kind) const {
  return contents_->dependents[static_cast<std::size_t>(field)].*kind;
}

void FieldsConstraints::transform(int field, SparseMatrix& A) const {
  if (!(*this)[field].has_dependent()) return;
  const FunctionSpace& space = contents_->spaces[static_cast<std::size_t>(field)];
  if (space.has_pattern() && A.pattern().nonzeros() != space.pattern()->nonzeros())
    throw Error(ErrorKind::internal,
                fmt::format("a matrix of {} pairs of nodes was given to constraints that join {}",
                            A.pattern().nonzeros(), space.pattern()->nonzeros()),
                "equations between unknowns have joined nodes since it was made",
                "finish the supports before the matrix is made");
  (*this)[field].dependent()->transform(A);
  eliminate_as_large(dependents(field, &Dependents::of_field), A);
}

void FieldsConstraints::transform(BlockOperator& K) const {
  for (int row = 0; row < contents_->layout.count(); ++row) {
    SparseMatrix* const square = K.square(row);
    const bool of_pivots = square != nullptr && square->pattern().nonzeros() == square->pattern().rows();
    if (square != nullptr && !of_pivots) transform(row, *square);  // equations join rows of others
    for (int column = 0; column < contents_->layout.count(); ++column) {
      RectangularMatrix* const coupling = column != row ? K.coupling(row, column) : nullptr;
      if (coupling == nullptr || !((*this)[row].has_dependent() || (*this)[column].has_dependent())) continue;
      transform_of(row, column, *coupling).apply(*coupling);
      coupling->eliminate(dependents(row, &Dependents::of_field), dependents(column, &Dependents::of_field));
    }
  }
  if (contents_->joining != nullptr) transform_between_fields(K);
}

void FieldsConstraints::transform_between_fields(BlockOperator& K) const {
  if (contents_->joining_transform == nullptr || !contents_->joining_transform->suits(K))
    contents_->joining_transform = std::make_unique<JoinedTransform>(K, contents_->joining->rows());
  contents_->joining_transform->apply(K);
  const auto between = [&](int k) -> const Array<std::uint8_t>& { return dependents(k, &Dependents::between_fields); };
  for (int row = 0; row < contents_->layout.count(); ++row) {
    if (K.square(row) != nullptr) eliminate_as_large(between(row), *K.square(row));
    for (int column = 0; column < contents_->layout.count(); ++column)
      if (column != row && K.coupling(row, column) != nullptr)
        K.coupling(row, column)->eliminate(between(row), between(column));
  }
}

void FieldsConstraints::eliminate_transformed(BlockOperator& K, double pivot) const {
  for (int row = 0; row < contents_->layout.count(); ++row) {
    const bool any = (*this)[row].count() > 0 || (*this)[row].has_dependent() || contents_->joining != nullptr;
    if (any && K.square(row) == nullptr) K.set(row, diagonal_matrix(contents_->spaces[static_cast<std::size_t>(row)]));
    if (K.square(row) != nullptr) K.square(row)->eliminate((*this)[row].mask(), pivot);
    for (int column = 0; column < contents_->layout.count(); ++column)
      if (column != row && K.coupling(row, column) != nullptr)
        K.coupling(row, column)->eliminate((*this)[row].mask(), (*this)[column].mask());
  }
}

void FieldsConstraints::eliminate(BlockOperator& K, double pivot) const {
  transform(K);
  eliminate_transformed(K, pivot);
}

}  // namespace ritz
