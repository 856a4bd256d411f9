#include "fem/space/coupled_nested_nodes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ritz {
namespace {

// Values of a level's nodes as sums of others.
using CoupledSum = std::map<std::int32_t, double>;
using CoupledNodes = std::map<std::int32_t, CoupledSum>;

void add(const CoupledSum& from, double factor, CoupledSum& to) {
  for (const auto& [node, weight] : from) to[node] += factor * weight;
}

// Replaces nodes of the sum that follow others; a few times, as those may follow others, too.
void substitute(const CoupledNodes& coupled, CoupledSum& sum) {
  constexpr int most = 4;
  for (int pass = 0; pass < most; ++pass) {
    CoupledSum next;
    bool changed = false;
    for (const auto& [node, weight] : sum) {
      const auto found = coupled.find(node);
      changed = changed || found != coupled.end();
      if (found == coupled.end()) next[node] += weight;
      else if (pass + 1 < most) add(found->second, weight, next);
    }
    sum = std::move(next);
    if (!changed) return;
  }
}

CoupledSum parents_of(const NestedNodes& level, std::int32_t node) {
  const auto n = static_cast<std::size_t>(node);
  CoupledSum sum;
  const double count = static_cast<double>(level.first[n + 1] - level.first[n]);
  for (Index k = level.first[n]; k < level.first[n + 1]; ++k)
    sum[level.parents[static_cast<std::size_t>(k)]] += 1 / count;
  return sum;
}

// The coarser nodes at whose places nodes follow others, and what they follow there.
CoupledNodes coarser_coupled(const CoupledNodes& coupled, const NestedNodes& level) {
  CoupledNodes result;
  for (std::size_t coarse = 0; coarse < level.same.size(); ++coarse) {
    const auto found = coupled.find(level.same[coarse]);
    if (found == coupled.end()) continue;
    CoupledSum& sum = result[static_cast<std::int32_t>(coarse)];
    for (const auto& [node, weight] : found->second) add(parents_of(level, node), weight, sum);
    sum.erase(static_cast<std::int32_t>(coarse));
  }
  const CoupledNodes once = result;
  for (auto& [coarse, sum] : result) substitute(once, sum);
  return result;
}

void replace_parents(const CoupledNodes& coarse, NestedNodes& level) {
  std::vector<Index> first{0};
  std::vector<std::int32_t> parents;
  std::vector<double> weights;
  parents.reserve(level.parents.size());
  weights.reserve(level.parents.size());
  for (std::size_t node = 0; node + 1 < level.first.size(); ++node) {
    const auto begin = level.parents.begin() + level.first[node], end = level.parents.begin() + level.first[node + 1];
    if (std::none_of(begin, end, [&](std::int32_t parent) { return coarse.contains(parent); })) {
      parents.insert(parents.end(), begin, end);
      weights.insert(weights.end(), static_cast<std::size_t>(end - begin), 1 / static_cast<double>(end - begin));
    } else {
      CoupledSum sum = parents_of(level, static_cast<std::int32_t>(node));
      substitute(coarse, sum);
      for (const auto& [parent, weight] : sum)
        if (std::abs(weight) > 1e-12) {
          parents.push_back(parent);
          weights.push_back(weight);
        }
    }
    first.push_back(static_cast<Index>(parents.size()));
  }
  level.first = std::move(first);
  level.parents = std::move(parents);
  level.weights = std::move(weights);
}

}  // namespace

bool couple_levels(const NodeCouplings& couplings, std::vector<NestedNodes>& levels) {
  if (couplings.factor.empty()) return couplings.followed.empty();
  CoupledNodes coupled;
  for (Node node = 0; node + 1 < static_cast<Node>(couplings.first_followed.size()); ++node) {
    const auto followed = couplings.followed_by(node);
    for (std::size_t k = 0; k < followed.size(); ++k) coupled[node][followed[k]] = couplings.factors_of(node)[k];
  }
  for (NestedNodes& level : levels) {
    CoupledNodes coarse = coarser_coupled(coupled, level);
    replace_parents(coarse, level);
    coupled = std::move(coarse);
  }
  return true;
}

}  // namespace ritz
