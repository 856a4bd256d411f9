#include "fem/analysis/matrices_of_fields.hpp"

#include "fem/analysis/geometric_stiffness.hpp"
#include "fem/preconditioners/block_norms.hpp"
#include "fem/preconditioners/field_motions.hpp"
#include "solvers/algebra/block_rows.hpp"
#include "solvers/algebra/vectors.hpp"

#include <algorithm>
#include <vector>

namespace ritz {
namespace {

// Two matrices on the pattern that has the entries of both.
std::pair<BlockRows, BlockRows> on_one_pattern(const BlockRows& first, const BlockRows& second) {
  struct Entry {
    std::int32_t column;
    double first, second;
  };
  std::pair<BlockRows, BlockRows> result;
  std::vector<Entry> row;
  for (std::size_t i = 0; i + 1 < first.offsets.size(); ++i) {
    row.clear();
    for (auto k = static_cast<std::size_t>(first.offsets[i]); k < static_cast<std::size_t>(first.offsets[i + 1]); ++k)
      row.push_back({first.columns[k], first.values[k], 0});
    for (auto k = static_cast<std::size_t>(second.offsets[i]); k < static_cast<std::size_t>(second.offsets[i + 1]); ++k)
      row.push_back({second.columns[k], 0, second.values[k]});
    std::ranges::sort(row, {}, &Entry::column);
    for (std::size_t k = 0; k < row.size(); ++k) {
      if (k > 0 && row[k].column == row[k - 1].column) {
        result.first.values.back() += row[k].first;
        result.second.values.back() += row[k].second;
        continue;
      }
      result.first.columns.push_back(row[k].column);
      result.first.values.push_back(row[k].first);
      result.second.values.push_back(row[k].second);
    }
    result.first.offsets.push_back(std::ssize(result.first.columns));
  }
  result.second.columns = result.first.columns;
  result.second.offsets = result.first.offsets;
  return result;
}

std::pair<SparseMatrix, SparseMatrix> on_one_pattern(const SparseMatrix& first, const SparseMatrix& second) {
  const auto rows_of = [](const SparseMatrix& A) { return RowsOfMatrix(A).range(0, A.rows()); };
  const auto [one, other] = on_one_pattern(rows_of(first), rows_of(second));
  const auto pattern = std::make_shared<const SparsityPattern>(first.device(), one.offsets, one.columns);
  std::pair result{SparseMatrix(pattern, 1), SparseMatrix(pattern, 1)};
  result.first.values().upload(one.values);
  result.second.values().upload(other.values);
  return result;
}

}  // namespace

// No form couples these fields.
void add_geometric_stiffness(const OwnFields& fields, const Model& model, const std::string& analysis, const Vector& u,
                             BlockOperator& K) {
  const auto geometric =
      fields.own(FieldsOperator(model.spaces(), std::vector<MixedIntegral>(), geometric_integrals(model, analysis)));
  BlockOperator added = geometric->make_matrix();
  geometric->assemble(u, added);
  for (int k = 0; k < geometric->field_count(); ++k)
    if (added.square(k) != nullptr) axpy(1.0, added.square(k)->values(), K.square(k)->values());
}

void eliminate_held(const OwnFields& fields, bool may_be_free, BlockOperator& K) {
  const BlockNorms sizes(K);
  fields.supports().eliminate(K, sizes.pivot());
  if (may_be_free) return;
  require_none_is_free(fields.equations(), K, sizes,
                       fields.part() ? fields.whole().motions : motions_left(fields.equations(), fields.supports()));
}

JoinedMatrices::JoinedMatrices(const OwnFields& fields, const BlockOperator& K, const BlockOperator& other) {
  if (fields.part() == nullptr) {
    whole_.emplace(on_one_pattern(joined_matrix(K), joined_matrix(other)));
    return;
  }
  auto [own_rows, other_rows] = on_one_pattern(joined_rows(K), joined_rows(other));
  Ranks& ranks = fields.layout().ranks();
  const Device& device = fields.equations().device();
  rows_.first = divided_matrix(ranks, device, std::move(own_rows));
  rows_.second = divided_matrix(ranks, device, std::move(other_rows));
}

}  // namespace ritz
