#include "fem/sensitivity/cell_work.hpp"
#include "fem/operator/operator_needs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ritz {
namespace {

std::vector<Integral> varying_of(std::span<const Integral> integrals) {
  std::vector<Integral> varying;
  for (const Integral& integral : integrals)
    if (integral.form.varies_in_space() && integral.nodes.empty()) varying.push_back(integral);
  return varying;
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

CellWork::CellWork(const FunctionSpace& space, std::span<const Integral> integrals) : space_(space) {
  const std::vector<Integral> varying = varying_of(integrals);
  if (varying.empty()) return;
  apart_.emplace(space, all_cells_of(space.mesh()));
  take(varying);
}

CellWork::CellWork(const FunctionSpace& space, std::span<const Integral> integrals, OfAll) : space_(space) {
  if (integrals.empty()) return;
  apart_.emplace(space, all_cells_of(space.mesh()));
  take(integrals);
}

CellWork::CellWork(const FunctionSpace& space, std::span<const Integral> integrals, const Moved& moved)
    : space_(space) {
  if (integrals.empty()) return;
  std::vector<Index> cells = all_cells_of(space.mesh());
  MeshData data = taken_apart(space.mesh(), cells);
  Index cell = 0;
  for (const CellBlock& block : data.blocks) {
    const auto count = static_cast<std::size_t>(traits(block.kind).node_count);
    for (std::size_t first = 0; first < block.nodes.size(); first += count, ++cell)
      if (moved.node < count)
        data.points[3 * static_cast<std::size_t>(block.nodes[first + moved.node]) +
                    static_cast<std::size_t>(moved.axis)] += moved.part * size_of(space.mesh(), cell);
  }
  apart_.emplace(space, std::move(cells), Mesh(std::move(data)));
  take(integrals);
}

MemoryNeeds CellWork::memory_needs(const FunctionSpace& space, std::span<const Integral> integrals) {
  return memory_needs(space, varying_of(integrals), OfAll{});
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

void CellWork::take(std::span<const Integral> integrals) {
  integrals_ = apart_->of(integrals);
  residual_ = std::make_unique<Operator>(apart_->space(), integrals_);
}

void CellWork::numbers_changed() {
  if (residual_) residual_->inputs().set_numbers(integrals_);
}

void CellWork::replace_numbers(std::span<const Integral> integrals) {
  if (!residual_) return;
  integrals_ = apart_->of(integrals);
  if (!residual_->inputs().set_numbers(integrals_)) throw other_equations();
}

void CellWork::set_time(const Time& time) {
  if (residual_) residual_->inputs().set_time(time);
}

std::vector<double> CellWork::operator()(const Vector& u, const Vector& lambda) const {
  std::vector<double> work(static_cast<std::size_t>(space_.mesh().cell_count()), 0.0);
  if (!residual_) return work;
  Vector r = apart_->space().zeros();
  residual_->residual(apart_->spread(u.host()), r);
  const std::vector<double> forces = r.host(), directions = apart_->spread(lambda.host()).host();
  const auto components = static_cast<std::size_t>(space_.components());
  for (std::size_t n = 0; n < apart_->node_count(); ++n)
    for (std::size_t i = n * components; i < (n + 1) * components; ++i)
      work[static_cast<std::size_t>(apart_->cell(n))] += forces[i] * directions[i];
  return work;
}

}  // namespace ritz
