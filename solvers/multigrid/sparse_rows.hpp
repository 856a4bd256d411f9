// Sparse matrices that are made row by row, where blocks of a row occur in any order and more than once. The functor
// defines the contributions, and the row sums them; the columns of a row are in the order of their first occurrence.
//
//   struct Rows {
//     template <class Row> constexpr void operator()(Index i, Row& row) const {
//       double* block = row.block(column);      // zero when new; Size numbers
//       if constexpr (Row::has_values) { ... add to block[...] }
//     }                                         // row.find(column): the same, but nullptr where the row has none
//     // row.length(): its columns so far, or all where Row::knows_length; row.keep_first(): forgets all but the first
//     constexpr Index work(Index i) const;      // about how many blocks come up in row i
//   };
//   build_rows<Size, Capacity>(device, "product", Rows{...}, "coarse matrix", tag, matrix);
//   // new values, known pattern
//   bool fits = refill_rows<Size, Capacity>(device, "product", Rows{...}, matrix, values);
//
// refill_rows adds in the same order as build_rows: equal input gives equal bits. It returns false when a row would
// need a column that the pattern lacks. A GPU bounds the columns of a row: Capacity / 2, or half of largest_capacity
// where that is not enough; beyond it build_rows throws Error: Exit::resources. A CPU has no bound.
#pragma once

#ifdef __CUDACC__
#include "solvers/multigrid/sparse_rows_cuda.hpp"
#else
#include "solvers/multigrid/sparse_rows_cpu.hpp"
#endif
