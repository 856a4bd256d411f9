#include "fem/launch/dependent_kernels.hpp"

#include "device/kernels.hpp"
#include "device/launch.hpp"

namespace ritz::RITZ_BACKEND::dependent_kernels {
namespace {

template <class Real>
struct SetDependent {
  UnknownRows rows;
  const double* offset;
  double part;
  Real* x;
  constexpr void operator()(Index row) const {
    double sum = offset != nullptr ? part * offset[row] : 0.0;
    for (Index k = rows.begin[row]; k < rows.begin[row + 1]; ++k) sum += rows.factor[k] * double(x[rows.other[k]]);
    x[rows.unknown[row]] = Real(sum);
  }
};

template <class Real>
struct AddFollowers {
  UnknownRows rows;
  bool squared;
  const Real* y;
  Real* x;
  constexpr void operator()(Index row) const {
    double sum = 0;
    for (Index k = rows.begin[row]; k < rows.begin[row + 1]; ++k) {
      const double factor = squared ? rows.factor[k] * rows.factor[k] : rows.factor[k];
      sum += factor * double(y[rows.other[k]]);
    }
    x[rows.unknown[row]] = Real(double(x[rows.unknown[row]]) + sum);
  }
};

template <class Real>
struct ClearUnknowns {
  const std::int32_t* unknown;
  Real* x;
  constexpr void operator()(Index row) const { x[unknown[row]] = Real(0); }
};

// The entry of a sorted list that is `wanted`, or the first above it.
template <class Number>
constexpr Index lower_bound(const Number* list, Index begin, Index end, Number wanted) {
  while (begin < end) {
    const Index middle = begin + (end - begin) / 2;
    if (list[middle] < wanted) begin = middle + 1;
    else end = middle;
  }
  return begin;
}

struct LeaderEntry {
  std::int32_t leader, other;
};

// Entry number `entry` of the leaders' rows.
constexpr LeaderEntry leader_entry(const NodeBlocks& b, Index entry) {
  const Index l = lower_bound(b.first, 0, b.leaders + 1, entry + 1) - 1;
  return {b.leader[l], b.columns[b.offsets[b.leader[l]] + entry - b.first[l]]};
}

constexpr double* matrix_block(const NodeBlocks& b, std::int32_t row, std::int32_t column) {
  const Index k = lower_bound(b.columns, b.offsets[row], b.offsets[row + 1], column);
  return b.values + k * b.components * b.components;
}

// The block of T for a node that may be dependent and a leader; null: it is zero.
constexpr const double* factors_of(const NodeBlocks& b, std::int32_t node, std::int32_t leader) {
  const std::int32_t d = b.position[node];
  if (d < 0) return nullptr;
  for (Index k = b.begin[d]; k < b.begin[d + 1]; ++k)
    if (b.followed[k] == leader) return b.block + k * b.components * b.components;
  return nullptr;
}

// thread = pair of a leader m and a neighbour i: K_im += sum over the dependent s beside i of K_is T_sm
struct TransformColumns {
  NodeBlocks b;
  constexpr void operator()(Index entry) const {
    const LeaderEntry e = leader_entry(b, entry);
    const int c = b.components;
    double* const target = matrix_block(b, e.other, e.leader);
    for (Index k = b.offsets[e.other]; k < b.offsets[e.other + 1]; ++k) {
      const double* const t = factors_of(b, b.columns[k], e.leader);
      if (t == nullptr) continue;
      const double* const source = b.values + k * c * c;
      for (int p = 0; p < c; ++p)
        for (int q = 0; q < c; ++q)
          if (t[p * c + q] != 0)
            for (int r = 0; r < c; ++r) target[r * c + q] += source[r * c + p] * t[p * c + q];
    }
  }
};

// thread = entry (m, j) in the row of a leader m: K_mj += sum over the dependent s beside j of T_sm^T K_sj
struct TransformRows {
  NodeBlocks b;
  constexpr void operator()(Index entry) const {
    const LeaderEntry e = leader_entry(b, entry);
    const int c = b.components;
    double* const target = matrix_block(b, e.leader, e.other);
    for (Index k = b.offsets[e.other]; k < b.offsets[e.other + 1]; ++k) {
      const std::int32_t s = b.columns[k];
      const double* const t = factors_of(b, s, e.leader);
      if (t == nullptr) continue;
      const double* const source = matrix_block(b, s, e.other);
      for (int p = 0; p < c; ++p)
        for (int q = 0; q < c; ++q)
          if (t[p * c + q] != 0)
            for (int r = 0; r < c; ++r) target[q * c + r] += t[p * c + q] * source[p * c + r];
    }
  }
};

template <class Real>
void set_dependent(const Device& device, Index count, const UnknownRows& rows, const double* offset, double part,
                   Real* x) {
  for_each(device, "dependent unknowns", count, SetDependent<Real>{rows, offset, part, x});
}

template <class Real>
void add_followers(const Device& device, Index count, const UnknownRows& rows, const Real* y, Real* x) {
  for_each(device, "forces of dependent unknowns", count, AddFollowers<Real>{rows, false, y, x});
}

void add_squares(const Device& device, Index count, const UnknownRows& rows, const double* y, double* x) {
  for_each(device, "diagonal of dependent unknowns", count, AddFollowers<double>{rows, true, y, x});
}

template <class Real>
void clear_unknowns(const Device& device, Index count, const std::int32_t* unknown, Real* x) {
  for_each(device, "dependent rows", count, ClearUnknowns<Real>{unknown, x});
}

void transform_columns(const Device& device, Index entries, const NodeBlocks& blocks) {
  for_each(device, "columns of dependent unknowns", entries, TransformColumns{blocks});
}

void transform_rows(const Device& device, Index entries, const NodeBlocks& blocks) {
  for_each(device, "rows of dependent unknowns", entries, TransformRows{blocks});
}

template <class Real>
const DependentKernels<Real> dependent_table{set_dependent<Real>, add_followers<Real>, clear_unknowns<Real>};
const DependentMatrixKernels dependent_matrix_table{add_squares, transform_columns, transform_rows};
const Registration in_double("dependent double", &dependent_table<double>),
    in_single("dependent single", &dependent_table<float>), of_matrices("dependent matrix", &dependent_matrix_table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::dependent_kernels
