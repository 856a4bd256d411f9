#include "fem/sensitivity/cell_work.hpp"

#include "fem/operator/fields_operator.hpp"
#include "fem/operator/operator_needs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {
namespace {

IntegralsOfFields varying_of(const IntegralsOfFields& integrals) {
  IntegralsOfFields varying;
  for (const Integral& each : integrals.of_one)
    if (each.form.varies_in_space() && each.nodes.empty()) varying.of_one.push_back(each);
  for (const MixedIntegral& each : integrals.of_several)
    if (each.form.numbers.varies_in_space()) varying.of_several.push_back(each);
  return varying;
}

bool is_empty(const IntegralsOfFields& integrals) { return integrals.of_one.empty() && integrals.of_several.empty(); }

// The family that forms of several fields give it; fields of others have unknowns at nodes.
Family family_of(const IntegralsOfFields& integrals, int field) {
  for (const MixedIntegral& each : integrals.of_several)
    if (const int position = each.position_of(field); position >= 0)
      return each.form.fields[static_cast<std::size_t>(position)].family;
  return Family::lagrange;
}

}  // namespace

double CellWork::size_of(const Mesh& mesh, Index cell) {
  double shortest = INFINITY;
  const std::span<const Node> nodes = mesh.nodes_of(cell);
  for (std::size_t a = 0; a < nodes.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const auto x = mesh.point(nodes[a]), y = mesh.point(nodes[b]);
      shortest = std::min(shortest, std::hypot(x[0] - y[0], x[1] - y[1], x[2] - y[2]));
    }
  return shortest;
}

CellWork::CellWork(const Spaces& spaces, const IntegralsOfFields& integrals)
    : CellWork(spaces, varying_of(integrals), OfAll{}) {}

CellWork::CellWork(const Spaces& spaces, const IntegralsOfFields& integrals, OfAll) : spaces_(spaces) {
  const Mesh& mesh = spaces.front().mesh();
  if (!is_empty(integrals)) take_apart(Mesh(taken_apart(mesh, all_cells_of(mesh))), integrals);
}

CellWork::CellWork(const Spaces& spaces, const IntegralsOfFields& integrals, const Moved& moved) : spaces_(spaces) {
  if (is_empty(integrals)) return;
  const Mesh& mesh = spaces.front().mesh();
  MeshData data = taken_apart(mesh, all_cells_of(mesh));
  Index cell = 0;
  for (const CellBlock& block : data.blocks) {
    const auto count = static_cast<std::size_t>(traits(block.kind).node_count);
    for (std::size_t first = 0; first < block.nodes.size(); first += count, ++cell)
      if (moved.node < count)
        data.points[3 * static_cast<std::size_t>(block.nodes[first + moved.node]) +
                    static_cast<std::size_t>(moved.axis)] += moved.part * size_of(mesh, cell);
  }
  take_apart(Mesh(std::move(data)), integrals);
}

MemoryNeeds CellWork::memory_needs(const FunctionSpace& space, std::span<const Integral> integrals) {
  const IntegralsOfFields all{.of_one = {integrals.begin(), integrals.end()}};
  return memory_needs(space, varying_of(all).of_one, OfAll{});
}

MemoryNeeds CellWork::memory_needs(const FunctionSpace& space, std::span<const Integral> integrals, OfAll) {
  constexpr Index most = 10'000;
  const Index count = space.mesh().cell_count(), step = 1 + count / most;
  if (integrals.empty() || count == 0) return {};
  std::vector<Index> cells;
  for (Index cell = 0; cell < count; cell += step) cells.push_back(cell);
  const auto by_tag = [&] { return space.device().memory().statistics().live_by_tag; };
  const auto before = by_tag();
  const double share = double(count) / double(cells.size());
  const CellsApart apart(space, std::move(cells));
  const Operator residual(apart.space(), apart.of(integrals));
  MemoryNeeds sample = OperatorNeeds(residual).of(Operator::Task::residual);
  for (const auto& [tag, bytes] : by_tag()) {
    const auto found = before.find(tag);
    sample.bytes(tag, bytes - (found == before.end() ? 0 : found->second));
  }
  MemoryNeeds needs;
  for (const auto& [tag, bytes] : sample.by_tag()) needs.bytes(tag, std::llround(share * double(bytes)));
  return needs;
}

void CellWork::take_apart(const Mesh& apart, const IntegralsOfFields& integrals) {
  const std::vector<Index> cells = all_cells_of(spaces_.front().mesh());
  Spaces spaces;
  for (std::size_t k = 0; k < spaces_.size(); ++k) {
    if (!(spaces_[k].mesh() == spaces_.front().mesh()))
      throw Error(ErrorKind::analysis, "derivatives of a model whose fields have different meshes",
                  "the work of a cell is that of all fields", "take a model of one mesh");
    apart_.push_back(std::make_unique<CellsApart>(spaces_[k], cells, apart, family_of(integrals, static_cast<int>(k)),
                                                  k == 0 ? FunctionSpace() : spaces.front()));
    spaces.push_back(apart_.back()->space());
  }
  integrals_ = there(integrals);
  if (spaces.size() == 1 && integrals.of_several.empty())
    residual_ = std::make_unique<Operator>(spaces.front(), integrals_.of_one);
  else residual_ = std::make_unique<FieldsOperator>(spaces, integrals_.of_several, integrals_.of_one);
}

IntegralsOfFields CellWork::there(const IntegralsOfFields& integrals) const {
  const CellsApart& cells = *apart_.front();
  return {cells.of(integrals.of_one), cells.of(integrals.of_several)};
}

void CellWork::numbers_changed() {
  if (residual_) residual_->inputs().set_numbers(integrals_);
}

void CellWork::replace_numbers(const IntegralsOfFields& integrals) {
  if (!residual_) return;
  integrals_ = there(integrals);
  if (!residual_->inputs().set_numbers(integrals_)) throw other_equations();
}

void CellWork::set_time(const Time& time) {
  if (residual_) residual_->inputs().set_time(time);
}

std::vector<double> CellWork::operator()(const Vector& u, const Vector& lambda) const {
  std::vector<double> work(static_cast<std::size_t>(spaces_.front().mesh().cell_count()), 0.0);
  if (!residual_) return work;
  const Layout whole = layout_of(spaces_), &layout = residual_->layout();
  Vector at = residual_->zeros(), r = residual_->zeros();
  for (int k = 0; k < layout.count(); ++k)
    layout.put(apart_[static_cast<std::size_t>(k)]->spread(whole.part(u, k).host()), k, at);
  residual_->residual(at, r);
  for (int k = 0; k < layout.count(); ++k) {
    const CellsApart& apart = *apart_[static_cast<std::size_t>(k)];
    const std::vector<double> forces = layout.part(r, k).host(),
                              directions = apart.spread(whole.part(lambda, k).host()).host();
    const auto components = static_cast<std::size_t>(apart.space().components());
    for (std::size_t n = 0; n < apart.node_count(); ++n)
      for (std::size_t i = n * components; i < (n + 1) * components; ++i)
        work[static_cast<std::size_t>(apart.cell(n))] += forces[i] * directions[i];
  }
  return work;
}

}  // namespace ritz
