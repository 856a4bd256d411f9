// How threads of a GPU share the pairs of nodes (a, b) of an element matrix. A thread has a tile of them, so that
// numbers from shared memory serve several products. Symmetric matrices need tiles with pairs a <= b only. A step takes
// the columns of two groups, one from either end, so that it has about as many tiles as other steps. Plain numbers.
#pragma once

namespace ritz {

// Loads from shared memory for a product: (rows + C * C * columns) / (rows * columns * C * C) with C components: 1/2
// with 4 x 4 of scalars, 4/9 with 3 x 1 of vectors in space, where single pairs take 2 and 10/9. NodeCount 0: known at
// run time only.
template <int NodeCount, int C, bool Symmetric>
struct PairTiles {
  // half of few nodes: a symmetric matrix of scalars is three tiles then
  static constexpr int edge = NodeCount > 0 && NodeCount <= 10 ? (NodeCount + 1) / 2 : 4;
  // as many sums as stay in registers
  static constexpr int rows = C == 1 ? edge : C <= 3 ? 3 : C == 4 ? 2 : 1, columns = C == 1 ? edge : 1;
  int nodes;

  constexpr int groups() const { return (nodes + columns - 1) / columns; }
  constexpr int steps() const { return (groups() + 1) / 2; }
  constexpr int group(int step, bool second) const { return second ? groups() - 1 - step : step; }
  // Columns are numbered in a step: those of the first group, then those of the second if it is another one. The last
  // group may have fewer than others: node() is too large then.
  constexpr int columns_of(int step) const { return group(step, true) == step ? columns : 2 * columns; }
  constexpr int node(int step, int column) const { return group(step, column >= columns) * columns + column % columns; }
  constexpr int tiles_of(int group) const {
    const int last = (group + 1) * columns;
    return ((Symmetric && last < nodes ? last : nodes) + rows - 1) / rows;
  }
  constexpr int tiles_of_step(int step) const {
    const int second = group(step, true);
    return tiles_of(step) + (second == step ? 0 : tiles_of(second));
  }

  // First row and column of a tile of a step.
  struct Tile {
    int row, column;
    bool second;  // of the groups
  };
  constexpr Tile tile(int step, int number) const {
    const int first = tiles_of(step);
    const bool second = number >= first;
    return {(second ? number - first : number) * rows, group(step, second) * columns, second};
  }
};

}  // namespace ritz
