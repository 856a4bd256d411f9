#include "fem/space/dependent_unknowns.hpp"

#include "device/kernels.hpp"
#include "fem/space/unknown_lists.hpp"
#include "solvers/algebra/ghosts.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <type_traits>

namespace ritz {
namespace {

constexpr const char* constraints_tag = "constraints";
constexpr double least_pivot = 0.1;        // of the largest factor of free unknowns
constexpr double no_factor = 1e-12;        // of the largest that the equation had on the way
constexpr double no_equation = 1e-10;      // likewise, where all factors of free unknowns may be rounding
constexpr double no_difference = 1e-9;     // of the sizes of what is added up
constexpr Index most_pairs = 100'000'000;  // of nodes, by one equation: 0.8 GB each as a scalar, 7.2 GB in blocks of 3

// One equation, solved for its dependent unknown: u = sum factor * other + offset.
struct SolvedEquation {
  std::int32_t unknown;
  std::vector<std::pair<std::int32_t, double>> terms;
  double offset;
  double size;  // of what was added up to the offset, which may be what rounding left of it
  std::size_t source;
};

// A sum of unknowns in which others may be substituted. The memory of all unknowns serves one sum after the other.
class Sum {
 public:
  explicit Sum(std::size_t unknowns) : factor_(unknowns, 0.0), met_(unknowns, 0) {}
  void clear() {
    for (const std::int32_t i : list_) factor_[static_cast<std::size_t>(i)] = 0, met_[static_cast<std::size_t>(i)] = 0;
    list_.clear();
    largest = 0;
  }
  void add(std::int32_t unknown, double factor) {
    const auto i = static_cast<std::size_t>(unknown);
    if (met_[i] == 0) list_.push_back(unknown);
    met_[i] = 1;
    factor_[i] += factor;
    largest = std::max(largest, std::abs(factor));
  }
  double take(std::int32_t unknown) { return std::exchange(factor_[static_cast<std::size_t>(unknown)], 0.0); }
  double of(std::int32_t unknown) const { return factor_[static_cast<std::size_t>(unknown)]; }
  const std::vector<std::int32_t>& unknowns() const { return list_; }  // in the order in which they were met
  bool counts(std::int32_t unknown) const { return std::abs(of(unknown)) > no_factor * largest; }

  double largest = 0;  // factor that was added since clear()

 private:
  std::vector<double> factor_;
  std::vector<std::uint8_t> met_;
  std::vector<std::int32_t> list_;
};

// Numbers of the unknowns of several spaces, one space after the other.
class NumberedUnknowns {
 public:
  explicit NumberedUnknowns(Spaces spaces) : spaces_(std::move(spaces)) {
    for (const FunctionSpace& space : spaces_) first_.push_back(first_.back() + space.unknown_count());
    if (first_.back() > std::numeric_limits<std::int32_t>::max())
      throw Error(ErrorKind::device_memory,
                  fmt::format("equations between {} unknowns of several fields", first_.back()),
                  "they are numbered with 31 bits", "use a coarser mesh");
  }
  std::int32_t number(const LinearEquations& group, const UnknownTerm& term) const {
    const std::size_t k = spaces_.size() == 1 ? 0 : static_cast<std::size_t>(group.field_of(term));
    return static_cast<std::int32_t>(first_[k] + Index{term.node} * spaces_[k].components() + term.component);
  }
  std::string name(std::int32_t unknown) const { return name_of(spaces_, unknown); }

 private:
  Spaces spaces_;
  std::vector<Index> first_{0};  // [space + 1] unknown
};

// A sum and the right-hand side of its equation: sum = value. size: of what was added up to the value.
struct Balance {
  double value = 0, size = 0;
};

// Equations that were solved for an unknown. Those of a row are free, or depend by a later row.
class SolvedEquations {
 public:
  explicit SolvedEquations(std::size_t unknowns) : row_of_(unknowns, -1) {}

  void add(SolvedEquation row) {
    row_of_[static_cast<std::size_t>(row.unknown)] = static_cast<std::int32_t>(rows_.size());
    rows_.push_back(std::move(row));
  }

  // Replaces dependent unknowns in the sum by what they follow, in the order of their rows. sources: of these rows.
  void substitute(Sum& sum, Balance& balance, std::set<std::size_t>* sources) const {
    std::set<std::int32_t> rows;
    const auto find_rows = [&](std::int32_t unknown) {
      if (const std::int32_t row = row_of_[static_cast<std::size_t>(unknown)]; row >= 0) rows.insert(row);
    };
    for (const std::int32_t unknown : sum.unknowns()) find_rows(unknown);
    while (!rows.empty()) {
      const SolvedEquation& row = rows_[static_cast<std::size_t>(*rows.begin())];
      rows.erase(rows.begin());
      const bool counts = sum.counts(row.unknown);
      const double factor = sum.take(row.unknown);
      if (!counts) continue;
      if (sources != nullptr) sources->insert(row.source);
      balance.value -= factor * row.offset;
      balance.size += std::abs(factor) * row.size;
      for (const auto& [other, weight] : row.terms) {
        sum.add(other, factor * weight);
        find_rows(other);
      }
    }
  }

  // Replaces the unknowns of each row that depend by later rows.
  void substitute_later(Sum& sum) {
    for (std::size_t row = rows_.size(); row-- > 0;) {
      SolvedEquation& r = rows_[row];
      if (std::ranges::none_of(r.terms, [&](const auto& t) { return row_of_[static_cast<std::size_t>(t.first)] >= 0; }))
        continue;
      sum.clear();
      for (const auto& [unknown, factor] : r.terms) sum.add(unknown, factor);
      Balance balance;
      substitute(sum, balance, nullptr);
      r.offset -= balance.value;
      r.terms.clear();
      for (const std::int32_t unknown : sum.unknowns())
        if (sum.counts(unknown)) r.terms.emplace_back(unknown, sum.of(unknown));
    }
  }

  DependentRows sorted() && {
    std::ranges::sort(rows_, {}, &SolvedEquation::unknown);
    DependentRows rows;
    for (SolvedEquation& row : rows_) {
      std::ranges::sort(row.terms);
      rows.unknown.push_back(row.unknown);
      rows.offset.push_back(row.offset);
      for (const auto& [unknown, factor] : row.terms) {
        rows.followed.push_back(unknown);
        rows.factor.push_back(factor);
      }
      rows.begin.push_back(static_cast<Index>(rows.followed.size()));
    }
    return rows;
  }

 private:
  std::vector<SolvedEquation> rows_;
  std::vector<std::int32_t> row_of_;  // [unknown] in rows_, -1
};

// All unknowns at whose nodes the dependent one has neighbours would be joined with one another.
void check_size(const SolvedEquation& row, const LinearEquations& group, Index equation) {
  const auto count = static_cast<Index>(row.terms.size());
  if (count * count <= most_pairs) return;
  throw Error(ErrorKind::device_memory,
              fmt::format("equation {} of {} joins {} unknowns with one another", equation + 1, group.origin, count),
              "the matrix would get a dense block of their number squared",
              "join fewer unknowns in one equation; a rigid region needs no more than a few in each");
}

class Elimination {
 public:
  Elimination(Spaces spaces, const std::vector<LinearEquations>& equations, const std::vector<std::uint8_t>& prescribed)
      : unknowns_(std::move(spaces)),
        equations_(equations),
        prescribed_(prescribed),
        solved_(prescribed.size()),
        sum_(prescribed.size()) {}

  ResolvedEquations run() {
    for (std::size_t source = 0; source < equations_.size(); ++source)
      for (Index i = 0; i < equations_[source].size(); ++i) solve(source, i);
    errors_.throw_if_any();
    solved_.substitute_later(sum_);
    result_.rows = std::move(solved_).sorted();
    return std::move(result_);
  }

 private:
  bool is_free(std::int32_t unknown) const { return prescribed_[static_cast<std::size_t>(unknown)] == 0; }

  // The equation as a sum, without what earlier equations are solved for.
  Balance collect(std::size_t source, Index equation, std::set<std::size_t>& sources) {
    const LinearEquations& group = equations_[source];
    sum_.clear();
    const double value = group.values[static_cast<std::size_t>(equation)];
    Balance balance{value, std::abs(value)};
    bool finite = std::isfinite(value);
    for (const UnknownTerm& term : group.terms_of(equation)) {
      finite = finite && std::isfinite(term.factor);
      if (term.factor != 0) sum_.add(unknowns_.number(group, term), term.factor);
    }
    if (!finite)
      throw Error(ErrorKind::relation,
                  fmt::format("equation {} of {} has a number that is not finite", equation + 1, group.origin), {},
                  "give finite factors and values");
    solved_.substitute(sum_, balance, &sources);
    return balance;
  }

  void solve(std::size_t source, Index equation) {
    const LinearEquations& group = equations_[source];
    std::set<std::size_t> sources;
    const Balance balance = collect(source, equation, sources);
    double largest = 0;  // of free unknowns
    for (const std::int32_t unknown : sum_.unknowns())
      if (is_free(unknown) && sum_.counts(unknown)) largest = std::max(largest, std::abs(sum_.of(unknown)));
    if (largest <= no_equation * sum_.largest) return keep_sum(source, equation, balance, sources);
    const auto pivot = std::ranges::find_if(sum_.unknowns(), [&](std::int32_t unknown) {
      const double least = group.first_is_dependent ? no_factor : least_pivot;
      return is_free(unknown) && std::abs(sum_.of(unknown)) >= least * largest;
    });
    const double divisor = sum_.take(*pivot);
    SolvedEquation row{*pivot, {}, balance.value / divisor, balance.size / std::abs(divisor), source};
    for (const std::int32_t unknown : sum_.unknowns())
      if (sum_.counts(unknown)) row.terms.emplace_back(unknown, -sum_.of(unknown) / divisor);
    check_size(row, group, equation);
    solved_.add(std::move(row));
  }

  // Nothing is left of the equation, or prescribed unknowns alone.
  void keep_sum(std::size_t source, Index equation, const Balance& balance, const std::set<std::size_t>& sources) {
    PrescribedSum sum{{}, {}, balance.value, balance.size, equations_[source].origin};
    for (const std::int32_t unknown : sum_.unknowns())
      if (sum_.counts(unknown) && !is_free(unknown)) {
        sum.unknown.push_back(unknown);
        sum.factor.push_back(sum_.of(unknown));
      }
    if (!sum.unknown.empty()) {
      result_.sums.push_back(std::move(sum));
      return;
    }
    ++result_.redundant;
    if (std::abs(balance.value) <= no_difference * balance.size) return;
    if (conflicts_++ >= 10) return;  // the first ten suffice
    std::string others;
    for (const std::size_t each : sources)
      if (each != source) others += (others.empty() ? "" : ", ") + equations_[each].origin;
    errors_.add(
        Error(ErrorKind::conflicting_conditions,
              fmt::format("equation {} of {} contradicts {}", equation + 1, equations_[source].origin,
                          others.empty() ? "the ones before it" : others),
              fmt::format("what they say of {} leaves a difference of {:g}", first_of(source, equation), balance.value),
              "omit it, or correct its value"));
  }
  std::string first_of(std::size_t source, Index equation) const {
    const auto terms = equations_[source].terms_of(equation);
    return terms.empty() ? "no unknown" : unknowns_.name(unknowns_.number(equations_[source], terms.front()));
  }

  NumberedUnknowns unknowns_;
  const std::vector<LinearEquations>& equations_;
  const std::vector<std::uint8_t>& prescribed_;
  SolvedEquations solved_;
  Sum sum_;
  ErrorList errors_;
  Index conflicts_ = 0;
  ResolvedEquations result_;
};

template <class Real>
const DependentKernels<Real>& table(const Device& device) {
  return kernels<DependentKernels<Real>>(device, "ritz_fem_kernels",
                                         std::is_same_v<Real, float> ? "dependent single" : "dependent double");
}

const DependentMatrixKernels& matrix_table(const Device& device) {
  return kernels<DependentMatrixKernels>(device, "ritz_fem_kernels", "dependent matrix");
}

template <class T>
Array<T> on_device(const Device& device, const std::vector<T>& values) {
  return Array<T>(device, std::span<const T>(values), constraints_tag);
}

// Pairs of nodes (dependent, followed), ascending, each once.
std::vector<std::pair<Node, Node>> node_pairs(const DependentRows& rows, int components) {
  std::vector<std::pair<Node, Node>> pairs;
  for (std::size_t row = 0; row < rows.unknown.size(); ++row)
    for (auto k = static_cast<std::size_t>(rows.begin[row]); k < static_cast<std::size_t>(rows.begin[row + 1]); ++k)
      pairs.emplace_back(rows.unknown[row] / components, rows.followed[k] / components);
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  return pairs;
}

}  // namespace

ResolvedEquations resolve(const FunctionSpace& space, const std::vector<LinearEquations>& equations,
                          const std::vector<std::uint8_t>& prescribed) {
  return resolve(Spaces{space}, equations, prescribed);
}

ResolvedEquations resolve(Spaces spaces, const std::vector<LinearEquations>& equations,
                          const std::vector<std::uint8_t>& prescribed) {
  return Elimination(std::move(spaces), equations, prescribed).run();
}

// T by nodes on the device, and the rows of one pattern in which it acts.
struct DependentUnknowns::Blocks {
  std::shared_ptr<const SparsityPattern> pattern;
  Array<std::int32_t> leader, position, followed;
  Array<Index> first, begin;
  Vector block;
  Index entries = 0;

  Blocks(const FunctionSpace& space, const DependentRows& rows, std::shared_ptr<const SparsityPattern> of)
      : pattern(std::move(of)) {
    const int c = space.components();
    const std::vector<std::pair<Node, Node>> pairs = node_pairs(rows, c);
    std::vector<std::int32_t> host_position(static_cast<std::size_t>(space.node_count()), -1), host_followed, leaders;
    std::vector<Index> host_begin;
    for (const auto& [node, other] : pairs) {
      if (host_position[static_cast<std::size_t>(node)] < 0) {
        host_position[static_cast<std::size_t>(node)] = static_cast<std::int32_t>(host_begin.size());
        host_begin.push_back(static_cast<Index>(host_followed.size()));
      }
      host_followed.push_back(other);
      leaders.push_back(other);
    }
    host_begin.push_back(static_cast<Index>(host_followed.size()));
    std::ranges::sort(leaders);
    leaders.erase(std::ranges::unique(leaders).begin(), leaders.end());
    std::vector<double> host_block(host_followed.size() * static_cast<std::size_t>(c * c), 0.0);
    for (std::size_t row = 0; row < rows.unknown.size(); ++row)
      for (auto k = static_cast<std::size_t>(rows.begin[row]); k < static_cast<std::size_t>(rows.begin[row + 1]); ++k) {
        const std::pair<Node, Node> pair{rows.unknown[row] / c, rows.followed[k] / c};
        const auto at = static_cast<std::size_t>(std::ranges::lower_bound(pairs, pair) - pairs.begin());
        host_block[at * static_cast<std::size_t>(c * c) +
                   static_cast<std::size_t>((rows.unknown[row] % c) * c + rows.followed[k] % c)] = rows.factor[k];
      }
    const std::vector<Index> offsets = pattern->offsets().host();
    std::vector<Index> host_first{0};
    for (const std::int32_t node : leaders)
      host_first.push_back(host_first.back() + offsets[static_cast<std::size_t>(node) + 1] -
                           offsets[static_cast<std::size_t>(node)]);
    entries = host_first.back();
    leader = on_device(space.device(), leaders);
    position = on_device(space.device(), host_position);
    followed = on_device(space.device(), host_followed);
    first = on_device(space.device(), host_first);
    begin = on_device(space.device(), host_begin);
    block = on_device(space.device(), host_block);
  }
};

struct DependentUnknowns::Lists : UnknownLists {
  using UnknownLists::UnknownLists;
};

// Unknowns of other ranks that owned ones follow: rows of T, and of its transpose, and an array of their values.
class DependentUnknowns::Elsewhere {
 public:
  Elsewhere(const FunctionSpace& space, const UnknownLists::Host& rows, std::shared_ptr<const Ghosts> leaders)
      : leaders_(std::move(leaders)),
        components_(space.components()),
        followed_(space.device(), rows),
        followers_(space.device(), rows.transposed()),
        in_double_(space.device(), leaders_->count() * components_, constraints_tag),
        in_single_(space.device(), leaders_->count() * components_, constraints_tag) {}

  // x += T y, with the y of other ranks
  template <class Real>
  void add_followed(Array<Real>& x) const {
    Array<Real>& y = numbers<Real>();
    leaders_->fetch(x, y, components_);
    table<Real>(x.device()).add(x.device(), followed_.count(), followed_.view(), y.data(), x.data());
  }
  // T^T f in unknowns of other ranks, to which add_forces() sends it.
  template <class Real>
  void sum_forces(const Array<Real>& f) const {
    Array<Real>& y = numbers<Real>();
    y.fill_zero();
    table<Real>(f.device()).add(f.device(), followers_.count(), followers_.view(), f.data(), y.data());
  }
  template <class Real>
  void add_forces(Array<Real>& f) const {
    leaders_->add_to_owners(numbers<Real>(), f, components_);
  }
  void sum_squares(const Vector& diagonal) const {
    in_double_.fill_zero();
    matrix_table(diagonal.device())
        .add_squares(diagonal.device(), followers_.count(), followers_.view(), diagonal.data(), in_double_.data());
  }

 private:
  template <class Real>
  Array<Real>& numbers() const {
    if constexpr (std::is_same_v<Real, double>) return in_double_;
    else return in_single_;
  }

  std::shared_ptr<const Ghosts> leaders_;
  int components_;
  Lists followed_, followers_;
  mutable Vector in_double_;  // of leaders
  mutable Array<float> in_single_;
};

DependentUnknowns::DependentUnknowns(const FunctionSpace& space, DependentRows rows)
    : DependentUnknowns(space.device(), space, std::move(rows), nullptr) {}

DependentUnknowns::DependentUnknowns(const Device& device, DependentRows rows)
    : DependentUnknowns(device, FunctionSpace(), std::move(rows), nullptr) {}

DependentUnknowns::DependentUnknowns(const FunctionSpace& space, DependentRows rows,
                                     std::shared_ptr<const Ghosts> leaders)
    : DependentUnknowns(space.device(), space, std::move(rows), std::move(leaders)) {}

DependentUnknowns::DependentUnknowns(const Device& device, const FunctionSpace& space, DependentRows rows,
                                     std::shared_ptr<const Ghosts> leaders)
    : space_(space), rows_(std::move(rows)) {
  const Index own = leaders == nullptr ? std::numeric_limits<Index>::max() : leaders->owned() * space_.components();
  UnknownLists::Host here, there;
  for (std::size_t row = 0; row < rows_.unknown.size(); ++row) {
    for (UnknownLists::Host* const list : {&here, &there}) list->begin_row(rows_.unknown[row]);
    for (auto k = static_cast<std::size_t>(rows_.begin[row]); k < static_cast<std::size_t>(rows_.begin[row + 1]); ++k) {
      const bool is_own = rows_.followed[k] < own;
      (is_own ? here : there)
          .add(static_cast<std::int32_t>(is_own ? rows_.followed[k] : rows_.followed[k] - own), rows_.factor[k]);
    }
  }
  followed_ = std::make_unique<const Lists>(device, here);
  followers_ = std::make_unique<const Lists>(device, here.transposed());
  offset_ = on_device(device, rows_.offset);
  if (leaders != nullptr) elsewhere_ = std::make_unique<const Elsewhere>(space_, there, std::move(leaders));
}

void mark(std::span<const std::int32_t> unknowns, Index first, std::span<std::uint8_t> marks) {
  for (const std::int32_t unknown : unknowns)
    if (unknown >= first && unknown - first < std::ssize(marks)) marks[static_cast<std::size_t>(unknown - first)] = 1;
}

DependentUnknowns::~DependentUnknowns() = default;

void DependentUnknowns::set_offsets(std::vector<double> offsets) {
  rows_.offset = std::move(offsets);
  offset_.upload(rows_.offset);
}

namespace {

// [pair of nodes] the factor by which the components of the one that are not prescribed follow those of the other, in
// the mean; empty where components differ or mix by much, or some do not follow. Nested meshes interpolate by these;
// the equations themselves hold on the finest level.
std::vector<double> common_factors(const DependentRows& rows, int components,
                                   const std::vector<std::pair<Node, Node>>& pairs,
                                   const std::vector<std::uint8_t>& prescribed) {
  constexpr double most_mixed = 0.1, most_different = 0.5;
  std::vector<double> factors(pairs.size() * static_cast<std::size_t>(components), 0.0);  // [pair][component]
  for (std::size_t row = 0; row < rows.unknown.size(); ++row)
    for (auto k = static_cast<std::size_t>(rows.begin[row]); k < static_cast<std::size_t>(rows.begin[row + 1]); ++k) {
      const std::pair<Node, Node> pair{rows.unknown[row] / components, rows.followed[k] / components};
      const auto at = static_cast<std::size_t>(std::ranges::lower_bound(pairs, pair) - pairs.begin());
      const int c = rows.unknown[row] % components;
      if (c == rows.followed[k] % components)
        factors[at * static_cast<std::size_t>(components) + static_cast<std::size_t>(c)] = rows.factor[k];
      else if (std::abs(rows.factor[k]) > most_mixed) return {};
    }
  std::vector<double> means;
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    std::vector<double> free;
    for (int c = 0; c < components; ++c) {
      const Index unknown = Index{pairs[at].first} * components + c;
      if (prescribed[static_cast<std::size_t>(unknown)] != 0) continue;
      if (!std::ranges::binary_search(rows.unknown, static_cast<std::int32_t>(unknown))) return {};
      free.push_back(factors[at * static_cast<std::size_t>(components) + static_cast<std::size_t>(c)]);
    }
    const auto [least, most] = std::ranges::minmax(free);
    if (most - least > most_different) return {};
    means.push_back(std::accumulate(free.begin(), free.end(), 0.0) / static_cast<double>(free.size()));
  }
  return means;
}

}  // namespace

std::shared_ptr<const NodeCouplings> DependentUnknowns::couplings(const std::vector<std::uint8_t>& prescribed) const {
  const auto nodes = static_cast<std::size_t>(space_.node_count());
  auto result = std::make_shared<NodeCouplings>();
  result->first_followed.assign(nodes + 1, 0);
  result->first_follower.assign(nodes + 1, 0);
  std::vector<std::pair<Node, Node>> pairs = node_pairs(rows_, space_.components());
  const auto list = [](const std::vector<std::pair<Node, Node>>& sorted, std::vector<Index>& first,
                       std::vector<Node>& others) {
    for (const auto& [node, other] : sorted) {
      ++first[static_cast<std::size_t>(node) + 1];
      others.push_back(other);
    }
    std::partial_sum(first.begin(), first.end(), first.begin());
  };
  list(pairs, result->first_followed, result->followed);
  result->factor = common_factors(rows_, space_.components(), pairs, prescribed);
  for (auto& [node, other] : pairs) std::swap(node, other);
  std::ranges::sort(pairs);
  list(pairs, result->first_follower, result->followers);
  return result;
}

void DependentUnknowns::set(Vector& u, double part) const {
  table<double>(u.device()).set(u.device(), count(), followed_->view(), offset_.data(), part, u.data());
  if (elsewhere_) elsewhere_->add_followed(u);
}

template <class Real>
void DependentUnknowns::set_linear(Array<Real>& x) const {
  table<Real>(x.device()).set(x.device(), count(), followed_->view(), nullptr, 0, x.data());
  if (elsewhere_) elsewhere_->add_followed(x);
}

template <class Real>
void DependentUnknowns::gather(Array<Real>& f) const {
  const DependentKernels<Real>& call = table<Real>(f.device());
  if (elsewhere_) elsewhere_->sum_forces(f);
  call.add(f.device(), followers_->count(), followers_->view(), f.data(), f.data());
  call.clear(f.device(), count(), followed_->unknown.data(), f.data());
  if (elsewhere_) elsewhere_->add_forces(f);
}

template void DependentUnknowns::set_linear(Array<double>&) const;
template void DependentUnknowns::set_linear(Array<float>&) const;
template void DependentUnknowns::gather(Array<double>&) const;
template void DependentUnknowns::gather(Array<float>&) const;

void DependentUnknowns::gather_diagonal(Vector& diagonal) const {
  if (elsewhere_) elsewhere_->sum_squares(diagonal);
  matrix_table(diagonal.device())
      .add_squares(diagonal.device(), followers_->count(), followers_->view(), diagonal.data(), diagonal.data());
  if (elsewhere_) elsewhere_->add_forces(diagonal);
}

void DependentUnknowns::transform(SparseMatrix& K) const {
  if (!blocks_ || blocks_->pattern != K.shared_pattern())
    blocks_ = std::make_shared<const Blocks>(space_, rows_, K.shared_pattern());
  const Blocks& b = *blocks_;
  const NodeBlocks view{.components = space_.components(),
                        .leaders = b.leader.size(),
                        .leader = b.leader.data(),
                        .first = b.first.data(),
                        .position = b.position.data(),
                        .begin = b.begin.data(),
                        .followed = b.followed.data(),
                        .block = b.block.data(),
                        .offsets = K.pattern().offsets().data(),
                        .columns = K.pattern().columns().data(),
                        .values = K.values().data()};
  const Device& device = space_.device();
  matrix_table(device).columns(device, b.entries, view);
  matrix_table(device).rows(device, b.entries, view);
}

}  // namespace ritz
