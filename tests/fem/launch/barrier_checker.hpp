// Finds races in the element engines without a GPU (kernels.md, 6). Every scratch cell remembers in which epoch which
// item wrote it and read it; sync() begins a new epoch. Two items that touch a cell in one epoch, one of them writing,
// race: on a GPU they are two threads with no barrier between them.
//
//   Shadow shadow(entries, -1);   CheckerTeam team{&shadow};
//   element_matrices<F, N, D, 0>(team, CheckerMemory{&shadow}, ...);
#pragma once

#include "fem/launch/element_actions.hpp"
#include "fem/launch/tangent_engine.hpp"

#include <vector>

namespace ritz::test {

struct Shadow;

struct ShadowCell {
  Shadow* shadow = nullptr;
  double value = 0;
  long write_epoch = -1, read_epoch = -1;
  int writer = -1, reader = -1;  // reader -2: several
  bool written = false;

  ShadowCell() = default;
  ShadowCell(const ShadowCell&) = default;
  operator double();
  ShadowCell& operator=(double x);
  ShadowCell& operator=(ShadowCell& other) { return *this = static_cast<double>(other); }
};

struct Findings {
  long races = 0, reads_of_nothing = 0, out_of_bounds = 0;
  int syncs = 0;
};

struct Shadow {
  std::vector<ShadowCell> cells;
  long epoch = 0;
  int item = -1;
  int skipped_sync;  // this one does nothing; -1: none, -2: all
  Findings found;

  Shadow(int entries, int skipped) : cells(static_cast<std::size_t>(entries)), skipped_sync(skipped) {
    for (ShadowCell& cell : cells) cell.shadow = this;
    stray.shadow = this;
  }
  Shadow(const Shadow&) = delete;  // its cells point to it
  void sync() {
    if (skipped_sync != -2 && skipped_sync != found.syncs) ++epoch;
    ++found.syncs;
  }
  ShadowCell& at(int i) {
    if (i >= 0 && i < static_cast<int>(cells.size())) return cells[static_cast<std::size_t>(i)];
    ++found.out_of_bounds;
    return stray;
  }

 private:
  ShadowCell stray;
};

inline ShadowCell::operator double() {
  shadow->found.reads_of_nothing += !written;
  shadow->found.races += write_epoch == shadow->epoch && writer != shadow->item;
  reader = read_epoch == shadow->epoch && reader != shadow->item ? -2 : shadow->item;
  read_epoch = shadow->epoch;
  return value;
}

inline ShadowCell& ShadowCell::operator=(double x) {
  shadow->found.races += write_epoch == shadow->epoch && writer != shadow->item;
  shadow->found.races += read_epoch == shadow->epoch && reader != shadow->item;
  written = true;
  write_epoch = shadow->epoch;
  writer = shadow->item;
  value = x;
  return *this;
}

struct CheckerMemory {
  Shadow* shadow;
  ShadowCell& at(int i) const { return shadow->at(i); }
};

// One lane of a batch; items run backwards, so that nothing can lean on their order.
struct CheckerTeam {
  using Number = double;
  using Scalar = double;
  static constexpr bool tiles_pairs = true, mirrors_blocks = true;
  Shadow* shadow;
  int lane = 0;

  template <class F>
  void each(int count, const F& f) const {
    for (int i = count - 1; i >= 0; --i) {
      shadow->item = i;
      f(i);
    }
    shadow->item = -1;
  }
  template <class F>
  void each_tile(int count, int tile, const F& f) const {
    for (int first = 0; first < count; first += tile) f(first);
  }
  void sync() const { shadow->sync(); }

  template <class X>
  void load_coordinates(const ElementArguments& arguments, Index batch, int a, int nodes, int dimension,
                        const X& x) const {
    load(arguments.coordinates, arguments.geometry_nodes + (batch * nodes + a) * lane_count, a, dimension, x);
  }
  struct Origin {
    constexpr double operator()(int) const { return 0; }
  };
  constexpr Origin origin_of(const ElementArguments&, Index, int, int) const { return {}; }
  template <class X>
  void load_coordinates_from(const Origin&, const ElementArguments& arguments, Index batch, int a, int nodes,
                             int dimension, const X& x) const {
    load_coordinates(arguments, batch, a, nodes, dimension, x);
  }
  template <class U>
  void load_unknowns(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                     const U& u) const {
    load(arguments.u, arguments.nodes + (batch * nodes + a) * lane_count, a, components, u);
  }
  template <class X>
  void load_direction(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                      const X& x) const {
    load(arguments.direction, arguments.nodes + (batch * nodes + a) * lane_count, a, components, x);
  }
  double point_geometry(const ElementArguments& arguments, Index batch, int point, int points, int entry,
                        int entries) const {
    return arguments.point_geometry[((batch * points + point) * entries + entry) * lane_count + lane];
  }
  void store(const ElementArguments& arguments, Index batch, int entry, int entries, double value) const {
    arguments.elements[((batch - arguments.first_batch) * entries + entry) * lane_count + lane] = value;
  }
  double given(const ElementArguments& arguments, Index batch, int point, int points, int number) const {
    return arguments.given[((batch * points + point) * arguments.given_stride + number) * lane_count + lane];
  }
  double state(const ElementArguments& arguments, Index batch, int number, int numbers) const {
    return arguments.state[(batch * numbers + number) * lane_count + lane];
  }
  double tangent(const ElementArguments& arguments, Index batch, int entry, int entries) const {
    return arguments.tangents[(batch * entries + entry) * lane_count + lane];
  }
  void store_tangent(const ElementArguments& arguments, Index batch, int entry, int entries, double value) const {
    arguments.tangents[(batch * entries + entry) * lane_count + lane] = static_cast<float>(value);
  }
  void store_state(const ElementArguments& arguments, Index batch, int number, int numbers, double value) const {
    arguments.state[(batch * numbers + number) * lane_count + lane] = value;
  }
  void store_cell(const ElementArguments& arguments, Index batch, int entry, int entries, double value) const {
    arguments.cell_values[(batch * entries + entry) * lane_count + lane] = value;
  }

 private:
  template <class X>
  void load(const double* values, const std::int32_t* nodes, int a, int stride, const X& x) const {
    for (int d = 0; d < stride; ++d) x(a * stride + d) = values[Index{nodes[lane]} * stride + d];
  }
};

}  // namespace ritz::test
