// A rectangular sparse matrix of dense blocks for the levels of a multigrid hierarchy: operators (square blocks),
// prolongators and restrictors (rectangular blocks). Block CSR; the columns of a row have any order, but always the
// same.
#pragma once

#include "device/array.hpp"

#include <cstdint>

namespace ritz {

// `Stored` is the type of the values: that of arithmetic, or a shorter one.
template <class Stored>
struct BlockMatrixView {
  Index rows = 0, columns = 0;  // in blocks
  int row_block = 1, column_block = 1;
  const Index* offsets = nullptr;  // [rows + 1]
  const std::int32_t* column = nullptr;
  const Stored* values = nullptr;  // [nonzero][row_block][column_block]
  // Given: column and values are sliced (sliced_rows_cpu.hpp), as a cycle on a CPU likes them.
  const Index* slices = nullptr;
  const std::uint8_t* place = nullptr;
};

struct BlockMatrix {
  Index rows = 0, columns = 0;
  int row_block = 1, column_block = 1;
  Array<Index> offsets;
  Array<std::int32_t> column;
  Vector values;

  Index nonzeros() const { return column.size(); }
  Index scalar_rows() const { return rows * row_block; }
  BlockMatrixView<double> view() const {
    return {rows, columns, row_block, column_block, offsets.data(), column.data(), values.data()};
  }
};

// [bytes] of all its arrays
inline Index bytes_of(const BlockMatrixView<double>& A, Index nonzeros) {
  return nonzeros * (Index{A.row_block} * A.column_block * Index{sizeof(double)} + Index{sizeof(std::int32_t)}) +
         (A.rows + 1) * Index{sizeof(Index)};
}
inline Index bytes_of(const BlockMatrix& A) { return bytes_of(A.view(), A.nonzeros()); }

// A matrix of a level as a cycle multiplies with it: in block CSR, or sliced, as the kernels of its device like it.
template <class Stored>
struct CycleMatrix {
  BlockMatrixView<Stored> view;
  Index nonzeros = 0;  // blocks, without the padding of slices
  Array<Stored> values;
  // [rows + 1], also of sliced rows; empty where someone else owns them, as with column
  Array<Index> offsets;
  Array<std::int32_t> column;
  Array<Index> slices;
  Array<std::uint8_t> place;

  // Arrays of the right size stay where they are.
  template <class T>
  static void resize(Array<T>& array, const Device& device, Index size) {
    if (array.size() != size) array = Array<T>(device, size, "multigrid");
  }

  Index bytes() const { return values.bytes() + offsets.bytes() + column.bytes() + slices.bytes() + place.bytes(); }
};

}  // namespace ritz
