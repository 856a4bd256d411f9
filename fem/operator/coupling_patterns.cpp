#include "fem/operator/coupling_patterns.hpp"

#include <algorithm>

namespace ritz {
namespace {

using NodeLists = std::vector<std::vector<Node>>;

void keep_once(std::vector<Node>& list) {
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
}

void append_nodes(std::span<const Node> nodes, std::vector<Node>& to) {
  to.insert(to.end(), nodes.begin(), nodes.end());
}

void join_columns(const NodeCouplings& couplings, std::vector<Node>& list) {
  const std::size_t own = list.size();
  for (std::size_t i = 0; i < own; ++i) append_nodes(couplings.followed_by(list[i]), list);
  if (list.size() > own) keep_once(list);
}

void join_rows(const NodeCouplings& couplings, NodeLists& lists) {
  std::vector<std::pair<std::size_t, std::vector<Node>>> joined;  // a node may follow one, and be followed by another
  for (std::size_t node = 0; node < lists.size(); ++node) {
    const std::span<const Node> followers = couplings.followers_of(static_cast<Node>(node));
    if (followers.empty()) continue;
    auto& [row, list] = joined.emplace_back(node, lists[node]);
    for (const Node follower : followers) append_nodes(lists[static_cast<std::size_t>(follower)], list);
    keep_once(list);
  }
  for (auto& [row, list] : joined) lists[row] = std::move(list);
}

Index sum_of_lengths(const NodeLists& lists) {
  Index sum = 0;
  for (const std::vector<Node>& list : lists) sum += std::ssize(list);
  return sum;
}

}  // namespace

// visit(nodes of the row field, those of the column field, element)
template <class Visit>
void CouplingPatterns::each_coupled_element(int row, int column, const Visit& visit) const {
  for (const FieldGroup& group : *groups_) {
    const ElementGroup& rows = group.of_field[static_cast<std::size_t>(row)];
    const bool takes_part = std::ranges::any_of(
        rows.integrals, [&](int i) { return (*integrals_)[static_cast<std::size_t>(i)].couples(row, column); });
    if (!takes_part) continue;
    for (Index e = 0; e < rows.element_count; ++e) visit(rows, group.of_field[static_cast<std::size_t>(column)], e);
  }
}

// [node of the row field] nodes of the column field in common cells, each once. wanted: these rows alone; null: all.
NodeLists CouplingPatterns::neighbours(int row, int column, const std::vector<bool>* wanted) const {
  NodeLists lists(static_cast<std::size_t>(space(row).node_count()));
  each_coupled_element(row, column, [&](const ElementGroup& rows, const ElementGroup& columns, Index e) {
    for (int a = 0; a < rows.node_count(); ++a) {
      const auto node = static_cast<std::size_t>(rows.node(e, a));
      if (wanted != nullptr && !(*wanted)[node]) continue;
      for (int b = 0; b < columns.node_count(); ++b) lists[node].push_back(columns.node(e, b));
    }
  });
  for (std::vector<Node>& list : lists) keep_once(list);
  return lists;
}

FunctionSpace::HostPattern CouplingPatterns::pattern(int row, int column) const {
  NodePattern& pattern = patterns_[{row, column}];
  const Joints by = joints(row, column);
  if (!pattern.offsets.empty() && pattern.joints == by) return {pattern.offsets, pattern.columns};
  NodeLists lists = neighbours(row, column, nullptr);
  if (by.of_columns != nullptr)
    for (std::vector<Node>& list : lists) join_columns(*by.of_columns, list);
  if (by.of_rows != nullptr) join_rows(*by.of_rows, lists);
  if (by.of_several != nullptr) {
    for (const auto& [node, other] : *by.of_several) lists[static_cast<std::size_t>(node)].push_back(other);
    for (std::vector<Node>& list : lists) keep_once(list);
  }
  pattern = {.joints = by, .offsets = {0}, .columns = {}};
  for (std::vector<Node>& list : lists) {
    append_nodes(list, pattern.columns);
    pattern.offsets.push_back(std::ssize(pattern.columns));
    list = {};
  }
  return {pattern.offsets, pattern.columns};
}

Index CouplingPatterns::known_pairs(int row, int column) const {
  const auto known = patterns_.find({row, column});
  return known != patterns_.end() && known->second.joints == joints(row, column) ? std::ssize(known->second.columns)
                                                                                 : 0;
}

Index CouplingPatterns::pairs_by_equations(int row, int column) const {
  const Joints by = joints(row, column);
  const Index of_several = by.of_several == nullptr ? 0 : std::ssize(*by.of_several);
  if (by.of_rows == nullptr && by.of_columns == nullptr) return of_several;
  std::vector<bool> wanted(static_cast<std::size_t>(space(row).node_count()), false);
  if (by.of_rows != nullptr)
    for (std::size_t node = 0; node < wanted.size(); ++node)
      wanted[node] = !by.of_rows->followers_of(static_cast<Node>(node)).empty() ||
                     !by.of_rows->followed_by(static_cast<Node>(node)).empty();
  if (by.of_columns != nullptr)
    each_coupled_element(row, column, [&](const ElementGroup& rows, const ElementGroup& columns, Index e) {
      bool any = false;
      for (int b = 0; b < columns.node_count(); ++b)
        any = any || !by.of_columns->followed_by(columns.node(e, b)).empty();
      for (int a = 0; any && a < rows.node_count(); ++a) wanted[static_cast<std::size_t>(rows.node(e, a))] = true;
    });
  NodeLists lists = neighbours(row, column, &wanted);
  const Index before = sum_of_lengths(lists);
  if (by.of_columns != nullptr)
    for (std::vector<Node>& list : lists) join_columns(*by.of_columns, list);
  if (by.of_rows != nullptr) join_rows(*by.of_rows, lists);
  return sum_of_lengths(lists) - before + of_several;
}

}  // namespace ritz
