// Element kernels on a CPU: a batch of lane_count elements at a time, called by the thread that owns the chunk
// (assemble_cpu.hpp), so there is no threading here.
#pragma once

#include "device/launch.hpp"
#include "fem/launch/coupled_engine.hpp"
#include "fem/launch/element_actions.hpp"
#include "fem/launch/gather_cpu.hpp"
#include "fem/launch/tangent_engine.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace ritz::RITZ_BACKEND {

struct CpuMemory {
  Pack* data;
  Pack& at(int i) const { return data[i]; }
};

// Few items are written out: those of order 1 have little else to do than to find their places. Not where a pack takes
// two of the sixteen registers of AVX2, which then go to memory and back.
template <class F>
void do_each(int count, const F& f) {
  if (__builtin_constant_p(count) && count <= 4 && sizeof(Pack) <= register_bytes) {
#pragma GCC unroll 4
    for (int i = 0; i < count; ++i) f(i);
  } else {
    for (int i = 0; i < count; ++i) f(i);
  }
}

struct CpuTeam {
  using Number = Pack;
  using Scalar = double;
  static constexpr bool tiles_pairs = false, mirrors_blocks = false;

  template <class F>
  void each(int count, const F& f) const {
    do_each(count, f);
  }
  template <class F>
  void each_tile(int count, int tile, const F& f) const {
    for (int first = 0; first < count; first += tile) f(first);
  }
  void sync() const {}

  template <class X>
  void load_coordinates(const ElementArguments& arguments, Index batch, int a, int nodes, int dimension,
                        const X& x) const {
    load<false>(arguments.coordinates, arguments.geometry_nodes + (batch * nodes + a) * lane_count, a, dimension, x);
  }
  struct Origin {
    double operator()(int) const { return 0.0; }
  };
  Origin origin_of(const ElementArguments&, Index, int, int) const { return {}; }
  template <class X>
  void load_coordinates_from(const Origin&, const ElementArguments& arguments, Index batch, int a, int nodes,
                             int dimension, const X& x) const {
    load_coordinates(arguments, batch, a, nodes, dimension, x);
  }
  template <class U>
  void load_unknowns(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                     const U& u) const {
    if (arguments.u != nullptr)
      load<true>(arguments.u, arguments.nodes + (batch * nodes + a) * lane_count, a, components, u);
    else
      for (int c = 0; c < components; ++c) u(a * components + c) = 0.0;
  }
  template <class X>
  void load_direction(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                      const X& x) const {
    const std::int32_t* node = arguments.nodes + (batch * nodes + a) * lane_count;
    std::int32_t marks = 0;
    if (arguments.prescribed != nullptr)
      for (int l = 0; l < lane_count; ++l) marks |= node[l];
    if (marks >= 0) return load<false>(arguments.direction, node, a, components, x);
    for (int c = 0; c < components; ++c) {
      const double* v[lane_count];
      for (int l = 0; l < lane_count; ++l) {
        const Index i = Index{unmarked(node[l])} * components + c;
        v[l] = node[l] < 0 && (components == 1 || arguments.prescribed[i] != 0) ? &zero : arguments.direction + i;
      }
      x(a * components + c) = Pack::gathered([&](int l) { return *v[l]; });
    }
  }
  Pack given(const ElementArguments& arguments, Index batch, int point, int points, int number) const {
    return Pack::load(arguments.given + ((batch * points + point) * arguments.given_stride + number) * lane_count);
  }
  Pack state(const ElementArguments& arguments, Index batch, int number, int numbers) const {
    return Pack::load(arguments.state + (batch * numbers + number) * lane_count);
  }
  Pack from_law(const ElementArguments& arguments, Index batch, int number, int numbers) const {
    return Pack::load(arguments.from_law + ((batch - arguments.first_of_law) * numbers + number) * lane_count);
  }
  void store_state(const ElementArguments& arguments, Index batch, int number, int numbers, Pack value) const {
    value.store(arguments.state + (batch * numbers + number) * lane_count);
  }
  Pack tangent(const ElementArguments& arguments, Index batch, int entry, int entries) const {
    return Pack::load(arguments.tangents + (batch * entries + entry) * lane_count);
  }
  void store_tangent(const ElementArguments& arguments, Index batch, int entry, int entries, Pack value) const {
    value.store(arguments.tangents + (batch * entries + entry) * lane_count);
  }
  Pack point_geometry(const ElementArguments& arguments, Index batch, int point, int points, int entry,
                      int entries) const {
    return Pack::load(arguments.point_geometry + ((batch * points + point) * entries + entry) * lane_count);
  }
  void store(const ElementArguments& arguments, Index batch, int entry, int entries, Pack value) const {
    double* target = arguments.elements + ((batch - arguments.first_batch) * entries + entry) * lane_count;
    if (arguments.accumulate) value += Pack::load(target);
    value.store(target);
  }
  void store_cell(const ElementArguments& arguments, Index batch, int entry, int entries, Pack value) const {
    value.store(arguments.cell_values + (batch * entries + entry) * lane_count);
  }

 private:
  static constexpr double zero = 0;                                                // what prescribed unknowns count as
  static std::int32_t unmarked(std::int32_t node) { return node ^ (node >> 31); }  // n from n or ~n
  template <bool Marked, class X>
  static void load(const double* values, const std::int32_t* nodes, int a, int stride, const X& x) {
    const double* v[lane_count];
    for (int l = 0; l < lane_count; ++l) v[l] = values + Index{Marked ? unmarked(nodes[l]) : nodes[l]} * stride;
    for (int d = 0; d < stride; ++d) x(a * stride + d) = Pack::gathered([&](int l) { return v[l][d]; });
  }
};

// Single precision: two batches at once, in the two halves of a pack. Of an odd number the last is done twice.
struct SingleCpuMemory {
  SinglePack* data;
  SinglePack& at(int i) const { return data[i]; }
};

struct SingleCpuTeam {
  using Number = SinglePack;
  using Scalar = float;
  using Half = SinglePack::Half;
  Index batches;  // end of the range

  template <class F>
  void each(int count, const F& f) const {
    do_each(count, f);
  }
  void sync() const {}

  // The first node of each element, that single precision does not lose small cells.
  struct Origin {
    __m256d at[2 * lane_count];
    SinglePack operator()(int d) const {
      return SinglePack::gathered([&](int l) { return at[l][d]; });
    }
  };
  Origin origin_of(const ElementArguments& arguments, Index batch, int nodes, int dimension) const {
    Origin origin;
    for (int l = 0; l < 2 * lane_count; ++l) {
      const double* at = arguments.coordinates + Index{geometry_node(arguments, batch, 0, nodes, l)} * dimension;
      origin.at[l] = dimension == 3 ? triple(at) : _mm256_setr_pd(at[0], at[1], 0, 0);
    }
    return origin;
  }
  template <class X>
  void load_coordinates_from(const Origin& origin, const ElementArguments& arguments, Index batch, int a, int nodes,
                             int dimension, const X& x) const {
    if (dimension == 3) {
      const auto row = [&](int l) {
        return _mm256_cvtpd_ps(triple(arguments.coordinates + Index{geometry_node(arguments, batch, a, nodes, l)} * 3) -
                               origin.at[l]);
      };
      return gather_triples(row, [&](int d) -> decltype(auto) { return x(a * 3 + d); });
    }
    for (int d = 0; d < dimension; ++d) {
      x(a * dimension + d) = SinglePack::gathered([&](int l) {
        return arguments.coordinates[Index{geometry_node(arguments, batch, a, nodes, l)} * dimension + d] -
               origin.at[l][d];
      });
    }
  }
  template <class U>
  void load_unknowns(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                     const U& u) const {
    for (int c = 0; c < components; ++c) {
      u(a * components + c) = SinglePack::gathered([&](int l) {
        const std::int32_t n = arguments.nodes[(of(batch, l / lane_count) * nodes + a) * lane_count + l % lane_count];
        return arguments.u == nullptr ? 0.0 : arguments.u[Index{n ^ (n >> 31)} * components + c];
      });
    }
  }
  template <class X>
  void load_direction(const ElementArguments& arguments, Index batch, int a, int nodes, int components,
                      const X& x) const {
    const std::int32_t* low = arguments.nodes + (batch * nodes + a) * lane_count;
    const std::int32_t* high = arguments.nodes + (of(batch, 1) * nodes + a) * lane_count;
    std::int32_t marks = 0;
    if (arguments.prescribed != nullptr)
      for (int l = 0; l < lane_count; ++l) marks |= low[l] | high[l];
    if (marks >= 0) {
      const float* v[2 * lane_count];
      for (int l = 0; l < lane_count; ++l) {
        v[l] = arguments.single_direction + Index{low[l]} * components;
        v[lane_count + l] = arguments.single_direction + Index{high[l]} * components;
      }
      if (components == 3)
        return gather_triples([&](int l) { return triple(v[l]); },
                              [&](int d) -> decltype(auto) { return x(a * 3 + d); });
      for (int d = 0; d < components; ++d) x(a * components + d) = SinglePack::gathered([&](int l) { return v[l][d]; });
      return;
    }
    for (int c = 0; c < components; ++c) {
      const float* v[2 * lane_count];
      for (int l = 0; l < 2 * lane_count; ++l) {
        const std::int32_t n = l < lane_count ? low[l] : high[l - lane_count];
        const Index i = Index{n ^ (n >> 31)} * components + c;
        v[l] = n < 0 && (components == 1 || arguments.prescribed[i] != 0) ? &zero : arguments.single_direction + i;
      }
      x(a * components + c) = SinglePack::gathered([&](int l) { return *v[l]; });
    }
  }
  SinglePack given(const ElementArguments& arguments, Index batch, int point, int points, int number) const {
    const int stride = arguments.given_stride;
    return both_halves(arguments.given, batch, point * stride + number, points * stride);
  }
  SinglePack state(const ElementArguments& arguments, Index batch, int number, int numbers) const {
    return both_halves(arguments.state, batch, number, numbers);
  }
  SinglePack tangent(const ElementArguments& arguments, Index batch, int entry, int entries) const {
    const float* low = arguments.tangents + (batch * entries + entry) * lane_count;
    const float* high = arguments.tangents + (of(batch, 1) * entries + entry) * lane_count;
    return SinglePack::joined(Half::load(low), Half::load(high));
  }
  SinglePack point_geometry(const ElementArguments& arguments, Index batch, int point, int points, int entry,
                            int entries) const {
    return both_halves(arguments.point_geometry, batch, point * entries + entry, points * entries);
  }
  void store(const ElementArguments& arguments, Index batch, int entry, int entries, SinglePack value) const {
    for (int half = 0; half < 2 && batch + half < batches; ++half) {
      float* target =
          arguments.single_elements + ((batch + half - arguments.first_batch) * entries + entry) * lane_count;
      Half mine = half == 0 ? value.low_half() : value.high_half();
      if (arguments.accumulate) mine += Half::load(target);
      mine.store(target);
    }
  }

 private:
  static constexpr float zero = 0;
  Index of(Index batch, int half) const { return batch + half < batches ? batch + half : batch; }
  std::int32_t geometry_node(const ElementArguments& arguments, Index batch, int a, int nodes, int l) const {
    return arguments.geometry_nodes[(of(batch, l / lane_count) * nodes + a) * lane_count + l % lane_count];
  }
  SinglePack both_halves(const double* values, Index batch, int number, int numbers) const {
    const auto at = [&](int half) { return Half::load(values + (of(batch, half) * numbers + number) * lane_count); };
    return SinglePack::joined(at(0), at(1));
  }
};

// A batch's node lists are short and not read in order, which keeps the processor's own prefetching from following
// them.
inline void prefetch_lists(const ElementArguments& arguments, Index batch, int nodes, int geometry_nodes) {
  const auto ahead = [batch](const std::int32_t* lists, int count) {
    const auto* list = reinterpret_cast<const char*>(lists + batch * count * lane_count);
    for (int byte = 0; byte < count * lane_count * 4; byte += 64) __builtin_prefetch(list + byte);
  };
  ahead(arguments.nodes, nodes);
  if (geometry_nodes > 0) ahead(arguments.geometry_nodes, geometry_nodes);
}

// The calling thread's scratch, grown when needed and kept; that of a law is apart from that of the elements.
enum class Scratch { of_elements, of_laws };
template <Scratch Use = Scratch::of_elements>
CpuMemory thread_scratch(int entries) {
  struct Free {
    void operator()(void* p) const { std::free(p); }
  };
  static thread_local std::unique_ptr<void, Free> memory;
  static thread_local int size = 0;
  if (entries > size) {
    memory.reset(std::aligned_alloc(64, static_cast<std::size_t>(entries) * sizeof(Pack)));
    size = memory ? entries : 0;
    if (!memory) throw std::bad_alloc();
  }
  return {static_cast<Pack*>(memory.get())};
}

template <Form F, int N, int D, int Points>
inline constexpr bool sums_matrices = false;  // threads sum their chunks (assembly_cpu.hpp)

// Numbers that the law leaves at the points of a batch, in the thread's memory (fem/launch/law_points_cpu.hpp).
template <Form F, int D>
requires(FormFacts<F>::coupled == 0) const
    double* law_at_points(const Device& device, const ElementArguments& arguments, Index batch, LawTask task);
template <Form F, int D>
requires(FormFacts<F>::coupled > 0) const
    double* law_at_points(const Device& device, const ElementArguments& arguments, Index batch, LawTask task);

// work(arguments) for each batch, by number; forms of a law find what it left.
template <Form F, int D, class Work>
void each_batch(const Device& device, const ElementArguments& arguments, Index first, Index last,
                [[maybe_unused]] LawTask task, const Work& work) {
  if constexpr (FormFacts<F>::from_law == 0) {
    for (Index batch = first; batch < last; ++batch) work(arguments, batch);
  } else {
    ElementArguments here = arguments;
    for (Index batch = first; batch < last; ++batch) {
      here.from_law = law_at_points<F, D>(device, arguments, batch, task);
      here.first_of_law = batch;
      work(here, batch);
    }
  }
}
template <Form F, int D, class Work>
void each_batch(const Device& device, const ElementArguments& arguments, LawTask task, const Work& work) {
  each_batch<F, D>(device, arguments, arguments.first_batch, arguments.first_batch + arguments.batch_count, task, work);
}

template <Form F, int N, int D, int Points>
[[gnu::flatten]] void run_matrices(const Device& device, const ElementArguments& arguments) {
  const F form = *static_cast<const F*>(arguments.form);
  using Sh = Shape<F, N, D>;
  const CpuMemory memory =
      thread_scratch(with_coupled_scratch<F, Sh>(matrices_scratch<F, Sh>(arguments.table), arguments.table));
  each_batch<F, D>(device, arguments, LawTask::moduli, [&](const ElementArguments& here, Index batch) {
    element_matrices<F, N, D, Points>(CpuTeam{}, memory, form, here, batch);
    if constexpr (FormFacts<F>::coupled > 0)
      add_coupled<CoupledTask::matrices, F, N, D>(CpuTeam{}, memory, form, here, batch);
  });
}

template <Form F, int N, int D>
[[gnu::flatten]] void run_residuals(const Device& device, const ElementArguments& arguments) {
  const F form = *static_cast<const F*>(arguments.form);
  const CpuMemory memory = thread_scratch(residuals_scratch<F, Shape<F, N, D>>(arguments.table));
  each_batch<F, D>(device, arguments, LawTask::stress, [&](const ElementArguments& here, Index batch) {
    element_residuals<F, N, D>(CpuTeam{}, memory, form, here, batch);
  });
}

template <Form F, int N, int D>
[[gnu::flatten]] void run_actions(const Device& device, const ElementArguments& arguments) {
  const F form = *static_cast<const F*>(arguments.form);
  using Sh = Shape<F, N, D>;
  const CpuMemory memory =
      thread_scratch(with_coupled_scratch<F, Sh>(actions_scratch<F, Sh>(arguments.table), arguments.table));
  each_batch<F, D>(device, arguments, LawTask::moduli, [&](const ElementArguments& here, Index batch) {
    element_actions<F, N, D>(CpuTeam{}, memory, form, here, batch);
    if constexpr (FormFacts<F>::coupled > 0)
      add_coupled<CoupledTask::actions, F, N, D>(CpuTeam{}, memory, form, here, batch);
  });
}

template <Form F, int N, int D>
[[gnu::flatten]] void run_single_actions(const Device&, const ElementArguments& arguments) {
  const F form = *static_cast<const F*>(arguments.form);
  static_assert(sizeof(SinglePack) == sizeof(Pack));
  const SingleCpuMemory memory{
      reinterpret_cast<SinglePack*>(thread_scratch(actions_scratch<F, Shape<F, N, D>>(arguments.table)).data)};
  const SingleCpuTeam team{arguments.first_batch + arguments.batch_count};
  for (Index i = arguments.first_batch; i < team.batches; i += 2)
    element_actions<F, N, D>(team, memory, form, arguments, i);
}

template <Form F, int N, int D>
[[gnu::flatten]] void run_diagonals(const Device& device, const ElementArguments& arguments) {
  const F form = *static_cast<const F*>(arguments.form);
  using Sh = Shape<F, N, D>;
  const CpuMemory memory =
      thread_scratch(with_coupled_scratch<F, Sh>(diagonals_scratch<F, Sh>(arguments.table), arguments.table));
  each_batch<F, D>(device, arguments, LawTask::moduli, [&](const ElementArguments& here, Index batch) {
    element_diagonals<F, N, D>(CpuTeam{}, memory, form, here, batch);
    if constexpr (FormFacts<F>::coupled > 0)
      add_coupled<CoupledTask::diagonals, F, N, D>(CpuTeam{}, memory, form, here, batch);
  });
}

// All batches, by all threads: nothing is summed, so the order does not matter. run(first, last)
template <class Run>
void run_all_batches(const Device& device, const ElementArguments& arguments, const Run& run) {
  const Index parts = std::min<Index>(device.threads(), arguments.batch_count);
#pragma omp parallel for num_threads(device.team(parts)) schedule(static)
  for (Index part = 0; part < parts; ++part)
    run(arguments.batch_count * part / parts, arguments.batch_count * (part + 1) / parts);
}

template <Form F, int N, int D>
[[gnu::flatten]] void commit_batches(const Device& device, const F& form, const ElementArguments& arguments,
                                     Index first, Index last) {
  const CpuMemory memory = thread_scratch(nodal_scratch<F, Shape<F, N, D>>(arguments.table));
  each_batch<F, D>(device, arguments, first, last, LawTask::commit, [&](const ElementArguments& here, Index batch) {
    if constexpr (FormFacts<F>::from_law == 0) element_commits<F, N, D>(CpuTeam{}, memory, form, here, batch);
  });
}
template <Form F, int N, int D>
void run_commits(const Device& device, const ElementArguments& arguments) {
  const LaunchScope launch(device, "point state");
  const F form = *static_cast<const F*>(arguments.form);
  run_all_batches(device, arguments,
                  [&](Index first, Index last) { commit_batches<F, N, D>(device, form, arguments, first, last); });
}

template <Form F, int N, int D>
[[gnu::flatten]] void keep_tangents(const Device& device, const F& form, const ElementArguments& arguments, Index first,
                                    Index last) {
  const CpuMemory memory = thread_scratch(nodal_scratch<F, Shape<F, N, D>>(arguments.table));
  each_batch<F, D>(device, arguments, first, last, LawTask::moduli, [&](const ElementArguments& here, Index batch) {
    element_tangents<F, N, D>(CpuTeam{}, memory, form, here, batch);
  });
}
template <Form F, int N, int D>
void run_tangents(const Device& device, const ElementArguments& arguments) {
  const LaunchScope launch(device, "point tangents");
  const F form = *static_cast<const F*>(arguments.form);
  run_all_batches(device, arguments,
                  [&](Index first, Index last) { keep_tangents<F, N, D>(device, form, arguments, first, last); });
}

template <Form F, int N, int D>
[[gnu::flatten]] void run_evaluate(const Device& device, const ElementArguments& arguments) {
  const F form = *static_cast<const F*>(arguments.form);
  const int results = FormFacts<F>::from_law > 0 ? arguments.law_results : FormFacts<F>::evaluated;
  const CpuMemory memory = thread_scratch(evaluate_scratch<F, Shape<F, N, D>>(arguments.table, results));
  each_batch<F, D>(device, arguments, LawTask::results, [&](const ElementArguments& here, Index batch) {
    element_evaluate<F, N, D>(CpuTeam{}, memory, form, here, batch);
  });
}

}  // namespace ritz::RITZ_BACKEND
