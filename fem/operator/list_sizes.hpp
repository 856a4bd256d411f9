// Forecast of the sizes of the lists of a ScatterPlan: counted around a sample of nodes.
#pragma once

#include "fem/operator/element_groups.hpp"
#include "fem/operator/scatter_plan.hpp"
#include "fem/space/chosen_nodes.hpp"

#include <memory>
#include <span>
#include <vector>

namespace ritz {

// The elements of all groups around the chosen nodes of a space.
class ElementsAround {
 public:
  ElementsAround(const FunctionSpace& space, std::vector<std::shared_ptr<const ElementGroup>> groups);

  struct Place {
    int group;
    Index element;
  };
  const FunctionSpace& space() const { return space_; }
  int group_count() const { return static_cast<int>(groups_.size()); }
  const ElementGroup& group(int number) const { return *groups_[static_cast<std::size_t>(number)]; }
  const ChosenNodes& chosen() const { return chosen_; }
  std::span<const Place> of(Index chosen) const { return places_[static_cast<std::size_t>(chosen)]; }

 private:
  FunctionSpace space_;
  std::vector<std::shared_ptr<const ElementGroup>> groups_;
  ChosenNodes chosen_;
  std::vector<std::vector<Place>> places_;  // [chosen]
};

// Sizes for the groups with these numbers, in the plan's order, in chunks of so many batches. of_pairs: the lists of a
// matrix with `pattern_pairs` entries, else those of a vector. Exact if all nodes are in the sample. columns: of a
// matrix whose columns are another space's, with groups of the same elements.
ScatterSizes estimated_sizes(const ElementsAround& elements, std::span<const int> groups,
                             std::span<const Index> chunk_batches, bool of_pairs, Index pattern_pairs,
                             const ElementsAround* columns = nullptr);

// Pairs of a node of one space and one of another with a common element, counted around the sample of the first.
Index pairs_between(const ElementsAround& rows, const ElementsAround& columns);

}  // namespace ritz
