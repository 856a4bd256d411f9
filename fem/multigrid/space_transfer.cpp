#include "fem/multigrid/space_transfer.hpp"

#include "device/error.hpp"
#include "device/kernels.hpp"
#include "fem/forms/diffusion.hpp"
#include "fem/launch/interpolation.hpp"
#include "fem/operator/chunk_lists.hpp"
#include "fem/operator/task_plans.hpp"

#include <algorithm>
#include <omp.h>

namespace ritz {
namespace {

constexpr const char* transfer_module = "ritz_fem_kernels";

// All cells, in the same order for every space of a mesh. The form only says that it is about cells.
std::shared_ptr<const std::vector<ElementGroup>> all_cells(const FunctionSpace& space) {
  return std::make_shared<const std::vector<ElementGroup>>(
      element_groups(space, {Integral::over_all_cells(Diffusion<3>{1.0})}));
}

// Shape functions of `in` at the nodes of `out`: [node out][node in], or [node in][node out] when transposed.
std::vector<double> interpolation_matrix(const ReferenceElement& in, const ReferenceElement& out, bool transposed) {
  const std::size_t n = in.nodes.size(), m = out.nodes.size();
  std::vector<double> matrix(n * m), values(n);
  std::vector<Point> gradients(n);
  for (std::size_t i = 0; i < m; ++i) {
    in.evaluate(out.nodes[i], values, gradients);
    for (std::size_t j = 0; j < n; ++j)
      matrix[transposed ? j * m + i : i * n + j] = std::abs(values[j]) < 1e-14 ? 0 : values[j];
  }
  return matrix;
}

// Do the operators' groups hold all cells, each once and in the same order?
bool about_all_cells(const Operator& a, const Operator& b) {
  Index cells = 0;
  for (const ElementGroup& group : a.terms().groups()) cells += static_cast<Index>(group.elements.size());
  const bool only_cells =
      std::ranges::none_of(a.terms().groups(), [](const ElementGroup& group) { return group.elements.empty(); });
  return only_cells && cells == a.space().mesh().cell_count() &&
         std::ranges::equal(a.terms().groups(), b.terms().groups(), {}, &ElementGroup::elements,
                            &ElementGroup::elements);
}

void set_direction(ElementArguments& arguments, const double* x) { arguments.direction = x; }
void set_direction(ElementArguments& arguments, const float* x) { arguments.single_direction = x; }

}  // namespace

template <class Real>
SpaceTransfer<Real>::SpaceTransfer(const FunctionSpace& from, const FunctionSpace& to)
    : from_(from), to_(to), from_groups_(all_cells(from)), to_groups_(all_cells(to)) {
  if (from.mesh() != to.mesh() || from.components() != to.components())
    throw Error(ErrorKind::internal, "a transfer between spaces of different meshes or components");
  forward_ = make_direction(*from_groups_, *to_groups_, to_, nullptr, false);
  backward_ = make_direction(*to_groups_, *from_groups_, from_, nullptr, true);
}

template <class Real>
SpaceTransfer<Real>::SpaceTransfer(const Operator& from, const Operator& to) : from_(from.space()), to_(to.space()) {
  const bool share = about_all_cells(from, to);
  from_groups_ = share ? from.terms().shared_groups() : all_cells(from_);
  to_groups_ = share ? to.terms().shared_groups() : all_cells(to_);
  forward_ = make_direction(*from_groups_, *to_groups_, to_, share ? &to : nullptr, false);
  backward_ = make_direction(*to_groups_, *from_groups_, from_, nullptr, true);
}

template <class Real>
typename SpaceTransfer<Real>::Direction SpaceTransfer<Real>::make_direction(const std::vector<ElementGroup>& in,
                                                                            const std::vector<ElementGroup>& out,
                                                                            const FunctionSpace& out_space,
                                                                            const Operator* with_lists,
                                                                            bool transposed) const {
  const Device& device = out_space.device();
  Direction d;
  std::vector<Index> first_chunk{0};
  Index widest = 0, largest = 0;  // numbers of a chunk, of a group
  const auto& loop = kernels<AssemblyKernels>(device, transfer_module, "assembly");
  const int c = out_space.components();
  for (std::size_t g = 0; g < out.size(); ++g) {
    const std::vector<double> matrix = transposed ? interpolation_matrix(*out[g].element, *in[g].element, true)
                                                  : interpolation_matrix(*in[g].element, *out[g].element, false);
    d.tables.emplace_back(device, std::span<const double>(matrix), "transfer");
    const Index batches = batches_per_chunk(out[g].batch_count(), out[g].node_count(), c, loop.vectors);
    d.chunk_batches.push_back(batches);
    first_chunk.push_back(first_chunk.back() + (out[g].batch_count() + batches - 1) / batches);
    const Index numbers = out[g].node_count() * c * lane_count, count = (out[g].batch_count() + batches - 1) / batches;
    widest = std::max(widest, batches * numbers);
    largest = std::max(largest, count * batches * numbers);
  }
  if (with_lists != nullptr) d.scatter = with_lists->plans().lists_of_action(d.chunk_batches);
  std::vector<std::unique_ptr<ChunkLister>> listers(static_cast<std::size_t>(omp_get_max_threads()));
  if (d.scatter == nullptr)
    d.scatter = std::make_shared<const ScatterPlan>(
        device, out_space.node_count(), first_chunk.back(), [&](Index chunk, ChunkSlots& slots) {
          auto& lister = listers[static_cast<std::size_t>(omp_get_thread_num())];
          if (!lister) lister = std::make_unique<ChunkLister>(out_space.node_count());
          const auto g =
              static_cast<std::size_t>(std::ranges::upper_bound(first_chunk, chunk) - first_chunk.begin() - 1);
          const Index size = d.chunk_batches[g] * lane_count, first = (chunk - first_chunk[g]) * size;
          lister->list_nodes(out[g], first, std::min(first + size, out[g].element_count), slots);
        });
  d.extension = Array<Real>(device, d.scatter->extension_items() * c, "transfer");
  if (loop.needs_workspace)
    d.workspace = Array<Real>(device, std::min(largest, std::max(widest, Index{8} << 20)), "transfer");
  return d;
}

template <class Real>
void SpaceTransfer<Real>::run(const Direction& direction, const std::vector<ElementGroup>& in,
                              const std::vector<ElementGroup>& out, const Array<Real>& x, Array<Real>& y) const {
  const Device& device = to_.device();
  const auto& table = kernels<InterpolationKernels>(device, transfer_module, "interpolation");
  const InterpolationFacts facts{to_.components()};
  std::vector<AssemblyTerm> terms(out.size());
  std::vector<AssemblyGroup> groups(out.size());
  Index chunk = 0;
  for (std::size_t g = 0; g < out.size(); ++g) {
    ElementArguments& arguments = terms[g].arguments;
    arguments = {};
    arguments.form = &facts;
    arguments.table.node_count = in[g].node_count();
    arguments.table.point_count = out[g].node_count();
    arguments.table.values = direction.tables[g].data();
    arguments.nodes = in[g].nodes.data();
    set_direction(arguments, x.data());
    terms[g].kernel = sizeof(Real) == sizeof(double) ? table.run : table.run_single;
    groups[g] = {&terms[g], 1, out[g].batch_count(), direction.chunk_batches[g], chunk, out[g].node_count()};
    chunk += groups[g].chunk_count();
  }
  Index bytes = ScatterPlan::memory_needs(direction.scatter->sizes()).total() + 2 * direction.extension.bytes() +
                x.bytes() + y.bytes();
  for (std::size_t g = 0; g < out.size(); ++g)
    bytes += in[g].element_count * in[g].node_count() * Index{sizeof(std::int32_t)};
  device.profile().count(bytes);
  const AssemblyJob<Real> job{"interpolation",
                              groups.data(),
                              static_cast<int>(groups.size()),
                              direction.scatter->view(),
                              to_.components(),
                              y.data(),
                              const_cast<Real*>(direction.extension.data()),
                              const_cast<Real*>(direction.workspace.data()),
                              direction.workspace.size()};
  const auto& loop = kernels<AssemblyKernels>(device, transfer_module, "assembly");
  if constexpr (sizeof(Real) == sizeof(double)) {
    loop.run(device, job);
  } else {
    loop.run_single(device, job);
  }
}

template <class Real>
void SpaceTransfer<Real>::sum_interpolated(const Array<Real>& x, Array<Real>& y) const {
  run(forward_, *from_groups_, *to_groups_, x, y);
}

template <class Real>
void SpaceTransfer<Real>::sum_transposed(const Array<Real>& y, Array<Real>& x) const {
  run(backward_, *to_groups_, *from_groups_, y, x);
}

template <class Real>
std::vector<Real> SpaceTransfer<Real>::weights() const {
  std::vector<Real> count(static_cast<std::size_t>(to_.unknown_count()), Real{0});
  const int c = to_.components();
  for (const ElementGroup& group : *to_groups_)
    for (Index e = 0; e < group.element_count; ++e)
      for (int a = 0; a < group.node_count(); ++a)
        for (int i = 0; i < c; ++i) count[static_cast<std::size_t>(Index{group.node(e, a)} * c + i)] += Real{1};
  for (Real& value : count) value = value > 0 ? Real{1} / value : Real{0};
  return count;
}

template class SpaceTransfer<double>;
template class SpaceTransfer<float>;

}  // namespace ritz
