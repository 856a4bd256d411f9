#include "fem/operator/single_assembly.hpp"

#include "device/launch.hpp"
#include "device/parallel_errors.hpp"
#include "fem/operator/chunk_rows.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

namespace ritz {
namespace {

// Chunks [first, last) of all groups, for one thread.
struct Share {
  Index first, last;
};

Index entries_of(const AssemblyGroup& group, Index chunk) {
  return std::min(group.chunk_batches, group.batch_count - chunk * group.chunk_batches) * group.items;
}

// Equal numbers of element entries.
std::vector<Share> shares_of(const SingleAssembly& job, int threads) {
  std::vector<Index> sums{0};  // [chunk + 1]
  for (const AssemblyGroup& group : job.groups)
    for (Index chunk = 0; chunk < group.chunk_count(); ++chunk) sums.push_back(sums.back() + entries_of(group, chunk));
  std::vector<Share> shares;
  Index first = 0;
  for (Index part = 1; part <= threads; ++part) {
    const Index last = std::ranges::lower_bound(sums, part * sums.back() / threads) - sums.begin();
    shares.push_back({first, std::max(first, last)});
    first = shares.back().last;
  }
  return shares;
}

// The lowest share that touches each node.
class Owners {
 public:
  Owners(const SingleAssembly& job, const std::vector<Share>& shares) {
    if (shares.size() < 2) return;
    lowest_.assign(static_cast<std::size_t>(job.space->node_count()), static_cast<std::uint32_t>(shares.size()));
#pragma omp parallel for num_threads(static_cast <int>(shares.size())) schedule(static)
    for (std::size_t share = 0; share < shares.size(); ++share)
      for (std::size_t g = 0; g < job.groups.size(); ++g)
        mark(job, g, shares[share], static_cast<std::uint32_t>(share));
  }
  bool owns(std::size_t share, Node node) const {
    return lowest_.empty() || lowest_[static_cast<std::size_t>(node)] == share;
  }

 private:
  void mark(const SingleAssembly& job, std::size_t g, Share share, std::uint32_t number) {
    const AssemblyGroup& group = job.groups[g];
    const Index first = std::clamp<Index>(share.first - group.first_chunk, 0, group.chunk_count()),
                last = std::clamp<Index>(share.last - group.first_chunk, 0, group.chunk_count());
    const Index entries = job.elements[g]->node_count() * lane_count;  // of a batch
    const std::span<const Node> nodes = job.elements[g]->host_nodes;
    for (Index i = first * group.chunk_batches * entries;
         i < std::min(last * group.chunk_batches, group.batch_count) * entries; ++i) {
      const std::atomic_ref lowest(lowest_[static_cast<std::size_t>(nodes[static_cast<std::size_t>(i)])]);
      std::uint32_t seen = lowest.load(std::memory_order_relaxed);
      while (number < seen && !lowest.compare_exchange_weak(seen, number, std::memory_order_relaxed)) {}
    }
  }
  std::vector<std::uint32_t> lowest_;  // [node of the space]
};

// Which rows have sums of a chunk: the first ones are stored, not added, so that nothing is cleared before.
class FirstSums {
 public:
  explicit FirstSums(Index rows) : met_(static_cast<std::size_t>(rows), 0) {}
  // For a row that no other thread adds to.
  bool is_first(Node row) { return std::exchange(met_[static_cast<std::size_t>(row)], std::uint8_t{1}) == 0; }
  bool has(Node row) const { return met_[static_cast<std::size_t>(row)] != 0; }

 private:
  std::vector<std::uint8_t> met_;
};

// Sums of a chunk in rows that belong to a lower share.
struct PendingRows {
  std::vector<Node> rows;
  std::vector<double> sums;  // row after row, as long as the rows of the matrix, or one block each of a vector
};

struct FreeBuffer {
  void operator()(double* buffer) const { std::free(buffer); }
};

// Results of the element kernels for a chunk, in memory that serves one chunk after the other:
// [batch][item][number of the block][lane].
class ChunkResults {
 public:
  explicit ChunkResults(const SingleAssembly& job) : job_(job) {
    Index largest = 1;
    for (const AssemblyGroup& group : job.groups) largest = std::max(largest, entries_of(group, 0));
    const auto bytes = static_cast<std::size_t>(largest * job.block * lane_count) * sizeof(double);
    buffer_.reset(static_cast<double*>(std::aligned_alloc(64, bytes)));
    if (buffer_ == nullptr) throw std::bad_alloc();
  }

  void make(const AssemblyGroup& group, Index chunk) {
    const Index first = chunk * group.chunk_batches, batches = std::min(group.chunk_batches, group.batch_count - first);
    for (int t = 0; t < group.term_count; ++t) {
      ElementArguments arguments = group.terms[t].arguments;
      arguments.first_batch = first;
      arguments.batch_count = batches;
      set_elements(arguments, buffer_.get());
      arguments.accumulate = t > 0;
      group.terms[t].kernel(job_.space->device(), arguments);
    }
  }
  const double* data() const { return buffer_.get(); }

 private:
  const SingleAssembly& job_;
  std::unique_ptr<double[], FreeBuffer> buffer_;
};

struct Elements {
  Index first, last;
};

Elements elements_of(const SingleAssembly& job, std::size_t g, Index chunk) {
  const Index size = job.groups[g].chunk_batches * lane_count;
  return {chunk * size, std::min((chunk + 1) * size, job.elements[g]->element_count)};
}

// Adds the chunks of one share to a matrix; B numbers per entry.
template <int B>
class MatrixAdder {
 public:
  MatrixAdder(const SingleAssembly& job, const Owners& owners, FirstSums& first, std::size_t share,
              PendingRows& pending)
      : job_(job),
        pattern_(job.space->host_pattern()),
        owners_(owners),
        first_(first),
        share_(share),
        pending_(pending),
        chunk_rows_(job.space->node_count()),
        column_(static_cast<std::size_t>(job.space->node_count())),
        results_(job) {}

  // The numbers of a row, in the target.
  static std::pair<Index, Index> row_of(const SingleAssembly& job, Node row) {
    const std::span<const Index> offsets = job.space->host_pattern().offsets;
    return {offsets[static_cast<std::size_t>(row)] * B, offsets[static_cast<std::size_t>(row) + 1] * B};
  }

  void add(std::size_t g, Index chunk) {
    results_.make(job_.groups[g], chunk);
    const ElementGroup& elements = *job_.elements[g];
    const auto [first, last] = elements_of(job_, g, chunk);
    chunk_rows_.collect(elements, first, last);
    const auto n = static_cast<std::size_t>(elements.node_count());
    for (std::size_t number = 0; number < chunk_rows_.nodes().size(); ++number) add_row(number, n);
  }

 private:
  void add_row(std::size_t number, std::size_t n) {
    const Node row = chunk_rows_.nodes()[number];
    const Index begin = pattern_.offsets[static_cast<std::size_t>(row)];
    const auto length = static_cast<std::size_t>(pattern_.offsets[static_cast<std::size_t>(row) + 1] - begin);
    const std::int32_t* const columns = pattern_.columns.data() + begin;
    std::int32_t* const position = column_.data();
    for (std::size_t k = 0; k < length; ++k) position[columns[k]] = static_cast<std::int32_t>(k);
    sums_.assign(length * B, 0.0);
    double* const sums = sums_.data();
    for (const auto [element, a] : chunk_rows_.places(number)) {
      const double* source =  // items are pairs (a, b)
          results_.data() + (std::size_t{element} / lane_count * n + a) * n * B * lane_count + element % lane_count;
      for (const Node node : chunk_rows_.nodes_of(element)) {
        double* const sum = sums + Index{position[node]} * B;
        for (int i = 0; i < B; ++i) sum[i] += source[i * lane_count];
        source += B * lane_count;
      }
    }
    if (owners_.owns(share_, row)) {
      double* const values = job_.values + begin * B;
      if (first_.is_first(row)) std::copy_n(sums, length * B, values);
      else
        for (std::size_t i = 0; i < length * B; ++i) values[i] += sums[i];
    } else {
      pending_.rows.push_back(row);
      pending_.sums.insert(pending_.sums.end(), sums_.begin(), sums_.end());
    }
  }

  const SingleAssembly& job_;
  const FunctionSpace::HostPattern pattern_;
  const Owners& owners_;
  FirstSums& first_;
  const std::size_t share_;
  PendingRows& pending_;
  ChunkRows chunk_rows_;
  std::vector<std::int32_t> column_;  // [node of the space] its position in the row at hand
  std::vector<double> sums_;          // [position in the row][number of the block]
  ChunkResults results_;
};

// Adds the chunks of one share to a vector, of `block` numbers per node.
class VectorAdder {
 public:
  VectorAdder(const SingleAssembly& job, const Owners& owners, FirstSums& first, std::size_t share,
              PendingRows& pending)
      : job_(job),
        block_(static_cast<std::size_t>(job.block)),
        owners_(owners),
        first_(first),
        share_(share),
        pending_(pending),
        local_(static_cast<std::size_t>(job.space->node_count()), -1),
        results_(job) {}

  static std::pair<Index, Index> row_of(const SingleAssembly& job, Node row) {
    return {Index{row} * job.block, (Index{row} + 1) * job.block};
  }

  void add(std::size_t g, Index chunk) {
    results_.make(job_.groups[g], chunk);
    met_ = 0;
    if (block_ == 1) sum_elements<1>(g, elements_of(job_, g, chunk));
    else if (block_ == 3) sum_elements<3>(g, elements_of(job_, g, chunk));
    else sum_elements<0>(g, elements_of(job_, g, chunk));
    const double* sums = sums_.data();
    for (const Node node : std::span(nodes_).first(met_)) {
      local_[static_cast<std::size_t>(node)] = -1;
      if (owners_.owns(share_, node)) {
        double* const values = job_.values + static_cast<std::size_t>(node) * block_;
        if (first_.is_first(node)) std::copy_n(sums, block_, values);
        else
          for (std::size_t i = 0; i < block_; ++i) values[i] += sums[i];
      } else {
        pending_.rows.push_back(node);
        pending_.sums.insert(pending_.sums.end(), sums, sums + block_);
      }
      sums += block_;
    }
  }

 private:
  // Block: the numbers per node where the compiler knows them, else 0.
  template <int Block>
  void sum_elements(std::size_t g, Elements elements) {
    const std::size_t block = Block > 0 ? std::size_t{Block} : block_;
    const ElementGroup& group = *job_.elements[g];
    const auto n = static_cast<std::size_t>(group.node_count());
    const std::size_t first = group.place(elements.first, 0);  // of a batch
    std::int32_t* const local = local_.data();
    for (Index e = elements.first; e < elements.last; ++e) {
      reserve(met_ + n);
      for (std::size_t a = 0; a < n; ++a) {
        const std::size_t place = group.place(e, a), item = (place - first) / lane_count;
        const double* const source = results_.data() + item * block * lane_count + place % lane_count;
        const Node node = group.host_nodes.data()[place];
        // Without a branch, which would be taken at random.
        const bool is_new = local[node] < 0;
        const std::size_t at = is_new ? met_ : static_cast<std::size_t>(local[node]);
        local[node] = static_cast<std::int32_t>(at);
        nodes_.data()[met_] = node;
        met_ += is_new ? 1 : 0;
        double* const sum = sums_.data() + at * block;
        for (std::size_t i = 0; i < block; ++i) sum[i] = (is_new ? 0.0 : sum[i]) + source[i * lane_count];
      }
    }
  }

  // Room for the sums at so many nodes.
  void reserve(std::size_t nodes) {
    if (nodes_.size() >= nodes) return;
    nodes_.resize(2 * nodes);
    sums_.resize(2 * nodes * block_);
  }

  const SingleAssembly& job_;
  const std::size_t block_;
  const Owners& owners_;
  FirstSums& first_;
  const std::size_t share_;
  PendingRows& pending_;
  std::vector<std::int32_t> local_;  // [node of the space] its number in the chunk, -1
  std::size_t met_ = 0;              // nodes of the chunk so far
  std::vector<Node> nodes_;          // [number in the chunk], and room for more
  std::vector<double> sums_;         // [number in the chunk][number of the block]
  ChunkResults results_;
};

template <class Adder>
void run(const SingleAssembly& job) {
  const LaunchScope launch(job.space->device(), job.name);
  Index chunks = 0;
  for (const AssemblyGroup& group : job.groups) chunks += group.chunk_count();
  const std::vector<Share> shares = shares_of(job, job.space->device().team(chunks));
  const Owners owners(job, shares);
  std::vector<PendingRows> pending(shares.size());
  FirstSums first(job.space->node_count());
  ParallelErrors errors;
#pragma omp parallel num_threads(static_cast <int>(shares.size()))
  {
#pragma omp for schedule(static)
    for (std::size_t share = 0; share < shares.size(); ++share)
      errors.run([&] {
        Adder adder(job, owners, first, share, pending[share]);
        for (std::size_t g = 0; g < job.groups.size(); ++g) {
          const Index begin = job.groups[g].first_chunk, end = begin + job.groups[g].chunk_count();
          for (Index chunk = std::max(begin, shares[share].first); chunk < std::min(end, shares[share].last); ++chunk)
            adder.add(g, chunk - begin);
        }
      });
#pragma omp for schedule(static)
    for (Node row = 0; row < static_cast<Node>(job.space->node_count()); ++row) {
      if (first.has(row)) continue;
      const auto [begin, end] = Adder::row_of(job, row);
      std::fill(job.values + begin, job.values + end, 0.0);
    }
  }
  errors.rethrow();
  for (const PendingRows& later : pending) {
    const double* sums = later.sums.data();
    for (const Node row : later.rows) {
      const auto [begin, end] = Adder::row_of(job, row);
      for (Index i = begin; i < end; ++i) job.values[i] += *sums++;
    }
  }
}

template <int Components>
void run_components(const SingleAssembly& job) {
  if (job.block == Components * Components) return run<MatrixAdder<Components * Components>>(job);
  if constexpr (Components > 1) run_components<Components - 1>(job);
}

}  // namespace

void assemble_without_lists(const SingleAssembly& job) { run_components<6>(job); }

void sum_without_lists(const SingleAssembly& job) { run<VectorAdder>(job); }

}  // namespace ritz
