#include "fem/operator/mixed_integral.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace ritz {

Spaces spaces_of(const MixedFormValue& form, const Mesh& mesh, const Device& device, int raise) {
  Spaces spaces;
  for (const FieldFacts& field : form.fields) {
    SpaceOptions options{.beside = spaces.empty() ? FunctionSpace() : spaces.front()};
    if (field.family == Family::lagrange) options.order = field.order + raise;
    else
      for (const CellBlock& block : mesh.blocks())
        options.elements.push_back(entity_element(traits(block.kind).linear, field.family, field.order + raise));
    spaces.emplace_back(mesh, field.components, device, options);
  }
  return spaces;
}

MixedIntegral MixedIntegral::over(MixedFormValue form, const Region& region, std::vector<int> fields) {
  const bool on_facets = form.codimension == 1;
  const char* places = on_facets ? "facets" : "cells";
  if (region.kind != (on_facets ? RegionKind::facets : RegionKind::cells))
    throw Error(ErrorKind::model_options,
                fmt::format("'{}' acts on {}, but region '{}' holds other things", form.name, places, region.name), {},
                fmt::format("name a region of {}", places));
  MixedIntegral integral{.form = std::move(form), .everywhere = false, .cells = {}, .fields = std::move(fields)};
  if (on_facets) integral.facets = region.facets;
  else if (region.has_all_cells) integral.everywhere = true;
  else integral.cells = region.cells;
  return integral;
}

bool MixedIntegral::same_place(const MixedIntegral& other) const {
  return form.name == other.form.name && form.numbers.module == other.form.numbers.module &&
         form.numbers.varies_in_space() == other.form.numbers.varies_in_space() && everywhere == other.everywhere &&
         cells == other.cells && facets == other.facets && fields == other.fields;
}

int MixedIntegral::position_of(int field) const {
  if (fields.empty()) return field < form.field_count() ? field : -1;
  const auto found = std::ranges::find(fields, field);
  return found == fields.end() ? -1 : static_cast<int>(found - fields.begin());
}

bool MixedIntegral::couples(int test, int trial) const {
  const int row = position_of(test), column = position_of(trial);
  return row >= 0 && column >= 0 && form.couples[static_cast<std::size_t>(row)][static_cast<std::size_t>(column)];
}

}  // namespace ritz
