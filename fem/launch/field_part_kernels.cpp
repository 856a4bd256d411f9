#include "fem/launch/field_part_kernels.hpp"

#include "device/launch.hpp"
#include "device/scan.hpp"

namespace ritz::RITZ_BACKEND::field_part_kernels {
namespace {

using View = BlockMatrixView<double>;

// index = row of B
struct SubtractSchurDiagonal {
  View B, C;
  const double* diagonal;
  double* update;
  constexpr void operator()(Index row) const {
    double sum = update[row];
    for (Index k = B.offsets[row]; k < B.offsets[row + 1]; ++k) {
      const Index middle = B.column[k], entry = find(middle, row);
      if (entry >= 0) sum -= B.values[k] * C.values[entry] / diagonal[middle];
    }
    update[row] = sum;
  }
  // The entry of C in this row and column, or -1.
  constexpr Index find(Index row, Index column) const {
    Index low = C.offsets[row];
    const Index end = C.offsets[row + 1];
    for (Index high = end; low < high;) {
      const Index middle = (low + high) / 2;
      if (C.column[middle] < column) low = middle + 1;
      else high = middle;
    }
    return low < end && C.column[low] == column ? low : -1;
  }
};

void subtract_schur_diagonal(const Device& device, const View& B, const View& C, const double* diagonal,
                             double* update) {
  for_each(device, "Schur diagonal", B.rows, SubtractSchurDiagonal{B, C, diagonal, update});
}

struct AtLeast {
  double factor, least;
  double* x;
  constexpr void operator()(Index i) const {
    const double value = factor * x[i];
    x[i] = value > least ? value : least;
  }
};

void at_least(const Device& device, Index n, double factor, double least, double* x) {
  for_each(device, "at least", n, AtLeast{factor, least, x});
}

struct PositiveRatio {
  double factor;
  const double* y;
  double* x;
  constexpr void operator()(Index i) const {
    const double value = factor * x[i] / y[i];
    x[i] = value > 0 ? value : 0;
  }
};

void positive_ratio(const Device& device, Index n, double factor, const double* y, double* x) {
  for_each(device, "positive ratio", n, PositiveRatio{factor, y, x});
}

struct Root {
  double mean;
  double* x;
  constexpr void operator()(Index i) const { x[i] = __builtin_sqrt(x[i] > 1e-8 * mean ? x[i] : mean); }
};

void root(const Device& device, Index n, double mean, double* x) { for_each(device, "root", n, Root{mean, x}); }

// index = row
struct RaiseDiagonal {
  View A;
  double most;
  double* values;
  constexpr void operator()(Index row) const {
    for (Index k = A.offsets[row]; k < A.offsets[row + 1]; ++k)
      if (A.column[k] == row) values[k] = raised_entry(values[k], most);
  }
};

void raise_diagonal(const Device& device, const View& A, double most, double* values) {
  for_each(device, "raise diagonal", A.rows, RaiseDiagonal{A, most, values});
}

// An end of an edge that has a column.
constexpr bool counts(const EdgesView& edges, Index edge, int end) {
  const std::int32_t corner = edges.ends[2 * edge + end];
  return corner >= 0 && edges.is_held[edge] == 0 && edges.held_ends[corner] == 0;
}

// index = edge
struct CountEnds {
  EdgesView edges;
  std::int32_t* count;
  constexpr void operator()(Index edge) const {
    count[edge] = (counts(edges, edge, 0) ? 1 : 0) + (counts(edges, edge, 1) ? 1 : 0);
  }
};

// index = edge
struct WriteEnds {
  EdgesView edges;
  int component;
  const Index* offsets;
  std::int32_t* column;
  double* values;
  constexpr void operator()(Index edge) const {
    const std::int32_t* const ends = edges.ends + 2 * edge;
    const int first = ends[1] < ends[0] ? 1 : 0;
    Index to = offsets[edge];
    for (int n = 0; n < 2; ++n) {
      const int end = n == 0 ? first : 1 - first;
      if (!counts(edges, edge, end)) continue;
      column[to] = ends[end];
      values[to++] = component < 0 ? (end == 0 ? -1.0 : 1.0) : 0.5 * (at(ends[1]) - at(ends[0]));
    }
  }
  constexpr double at(std::int32_t corner) const { return edges.points[Index{corner} * edges.dimension + component]; }
};

void prolongation(const Device& device, const EdgesView& edges, Index rows, int component, BlockMatrix& P) {
  P.rows = rows;
  P.columns = edges.corners;
  Index nonzeros = 0;
  {
    Array<std::int32_t> count(device, rows, "pattern");
    for_each(device, "ends of edges", rows, CountEnds{edges, count.data()});
    P.offsets = Array<Index>(device, rows + 1, "pattern");
    exclusive_scan(device, count.data(), rows, P.offsets.data());
    device.machine().copy_to_host(&nonzeros, P.offsets.data() + rows, Index{sizeof nonzeros});
  }
  P.column = Array<std::int32_t>(device, nonzeros, "pattern");
  P.values = Vector(device, nonzeros, "matrix");
  for_each(device, "ends of edges", rows,
           WriteEnds{edges, component, P.offsets.data(), P.column.data(), P.values.data()});
}

const FieldPartKernels table{subtract_schur_diagonal, at_least, positive_ratio, root, raise_diagonal, prolongation};
const Registration registration("field parts", &table);

}  // namespace
}  // namespace ritz::RITZ_BACKEND::field_part_kernels
