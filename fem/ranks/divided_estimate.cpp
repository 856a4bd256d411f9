#include "fem/ranks/divided_estimate.hpp"

#include "device/ranks/packed.hpp"
#include "fem/ranks/space_part.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ritz {
namespace {

std::string packed(const CellEstimates& found) {
  return Packed()
      .add(found.cells)
      .add(found.squares)
      .add(found.energies)
      .add(found.volumes)
      .add(found.magnitudes)
      .add(found.shallow)
      .take();
}

CellEstimates cell_estimates(std::string_view text) {
  Unpacked from(text);
  CellEstimates found{.cells = from.list<Index>(),
                      .squares = from.list<double>(),
                      .energies = from.list<double>(),
                      .volumes = from.list<double>(),
                      .magnitudes = from.list<double>()};
  from.get(found.shallow);
  return found;
}

// [cell of the part] 1: its first node is owned.
std::vector<std::uint8_t> own_cells(const SpacePart& part, Index first) {
  std::vector<std::uint8_t> own(static_cast<std::size_t>(part.cell_count()));
  FunctionSpace::CellNodes nodes_of(part.space());
  const auto before = std::ranges::lower_bound(part.reached(), first) - part.reached().begin();
  for (Index cell = 0; cell < part.cell_count(); ++cell) {
    const std::span<const Node> nodes = nodes_of(cell);
    const auto is_own = [&](Node node) { return node < part.owned(); };
    const auto is_before = [&](Node node) { return node >= part.owned() && node < part.owned() + before; };
    own[static_cast<std::size_t>(cell)] = std::ranges::any_of(nodes, is_own) && std::ranges::none_of(nodes, is_before);
  }
  return own;
}

void put(const CellEstimates& found, DiscretisationError& all) {
  for (std::size_t k = 0; k < found.cells.size(); ++k) {
    const auto cell = static_cast<std::size_t>(found.cells[k]);
    all.squares[cell] = found.squares[k];
    all.energies[cell] = found.energies[k];
    all.volumes[cell] = found.volumes[k];
    all.magnitudes[cell] = found.magnitudes[k];
  }
  all.shallow += found.shallow;
}

}  // namespace

CellEstimates estimate(EstimateShare share, const Device& device) {
  const Index first = share.part.first;
  const SpacePart part(std::move(share.part), device);
  const std::vector<std::uint8_t> own = own_cells(part, first);
  const DiscretisationError all = estimate_error_in(part.space(), share.u, share.model, own);
  CellEstimates found{.shallow = all.shallow};
  for (std::size_t cell = 0; cell < own.size(); ++cell) {
    if (own[cell] == 0) continue;
    found.cells.push_back(part.cells()[cell]);
    found.squares.push_back(all.squares[cell]);
    found.energies.push_back(all.energies[cell]);
    found.volumes.push_back(all.volumes[cell]);
    found.magnitudes.push_back(all.magnitudes[cell]);
  }
  return found;
}

EstimateShare estimate_share(PartData part, std::span<const double> u, const ErrorModel& model) {
  EstimateShare share{.part = std::move(part),
                      .u = {},
                      .model = {.physics = model.physics,
                                .weight = model.weight,
                                .plane_stress = model.plane_stress,
                                .numbers = model.by_cell ? decltype(model.numbers)() : model.numbers,
                                .by_cell = model.by_cell}};
  const auto components = static_cast<std::size_t>(share.part.components);
  const auto take = [&](Index node) {
    const auto at = u.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(node) * components);
    share.u.insert(share.u.end(), at, at + static_cast<std::ptrdiff_t>(components));
  };
  for (Index node = share.part.first; node < share.part.last; ++node) take(node);
  std::ranges::for_each(share.part.reached, take);
  for (const Index cell : share.part.cells) {
    if (!model.material.empty()) share.model.material.push_back(model.material[static_cast<std::size_t>(cell)]);
    if (model.by_cell) share.model.numbers.push_back(model.numbers[static_cast<std::size_t>(cell)]);
  }
  return share;
}

DiscretisationError estimate_error(const FunctionSpace& space, std::span<const double> u, const ErrorModel& model,
                                   Ranks& ranks) {
  if (space.node_count() < ranks.count()) return estimate_error(space, u, model);
  SpaceCutter cut(space, equal_parts(space, ranks.count()), SpaceCutter::Cells::with_patches);
  DiscretisationError all;
  for (std::vector<double>* each : {&all.squares, &all.magnitudes, &all.energies, &all.volumes})
    each->resize(static_cast<std::size_t>(space.mesh().cell_count()));
  const CellEstimates own = estimate(estimate_share(cut.part(ranks.rank()), u, model), space.device());
  each_text(ranks, packed(own), Receivers::all, [&](int, std::string_view text) { put(cell_estimates(text), all); });
  sum_up(space, u, model, all);
  return all;
}

}  // namespace ritz
