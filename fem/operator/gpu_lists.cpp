#include "fem/operator/gpu_lists.hpp"

#include "device/kernels.hpp"
#include "device/memory_shortage.hpp"

namespace ritz {

std::optional<ScatterLists> lists_of_gpu(const FunctionSpace& space, std::span<const ElementGroup* const> groups,
                                         std::span<const Index> chunk_batches, const SparsityPattern* pattern,
                                         Index together) {
  const Device& device = space.device();
  std::optional<ScatterLists> made;
  if (!device.is_gpu()) return made;
  std::vector<ListedGroup> listed;
  for (std::size_t g = 0; g < groups.size(); ++g)
    listed.push_back({groups[g]->nodes.data(), groups[g]->node_count(), groups[g]->element_count, chunk_batches[g]});
  ListedItems items{space.node_count(), nullptr, nullptr};
  if (pattern != nullptr) items = {pattern->nonzeros(), pattern->offsets().data(), pattern->columns().data()};
  const auto attempt = [&] {
    made = kernels<ListKernels>(device, "ritz_fem_kernels", "lists").make(device, listed, items, together);
  };
  if (memory_shortage(attempt)) made.reset();
  return made;
}

}  // namespace ritz
