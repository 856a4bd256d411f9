// Sparse matrices row by row on a CPU: a thread takes a range of rows and keeps an array over all columns with the slot
// of each column in the current row. One pass makes pattern and values: rows are appended to the thread's store, whose
// parts are copied together at the end.
#pragma once

#include "device/launch.hpp"
#include "device/parallel_errors.hpp"
#include "device/scan.hpp"
#include "solvers/algebra/block_matrix.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

namespace ritz::RITZ_BACKEND {

// Sums of blocks, stored one after the other; a column's slot gives the place.
template <int Size>
struct RowStore {
  struct Slot {
    std::uint32_t row = 0, place = 0;
  };
  std::vector<Slot> slots;
  std::unique_ptr<std::int32_t[]> columns;  // of the row at hand
  std::unique_ptr<double[]> sums;
  explicit RowStore(Index n)
      : slots(static_cast<std::size_t>(n)),
        columns(new std::int32_t[static_cast<std::size_t>(n) + 1]),
        sums(new double[static_cast<std::size_t>(n) * Size]) {}

  struct NewRow {
    static constexpr bool has_values = true;
    Slot* slots;
    std::int32_t* columns;
    double* sums;
    std::uint32_t row;
    std::uint32_t size = 0;
    double* block(std::int32_t c) {
      Slot& slot = slots[c];
      if (slot.row != row) {
        slot = {row, size};
        columns[size] = c;
        std::memset(sums + Index{size} * Size, 0, Size * sizeof(double));
        ++size;
      }
      return sums + Index{slot.place} * Size;
    }
    double* find(std::int32_t c) { return slots[c].row == row ? sums + Index{slots[c].place} * Size : nullptr; }
    static constexpr bool knows_length = false;
    Index length() const { return size; }
    void keep_first() {
      for (; size > 1; --size) slots[columns[size - 1]].row = 0;
    }
    void write(std::int32_t* to_columns, double* to_values) {
      std::memcpy(to_columns, columns, size * sizeof(std::int32_t));
      std::memcpy(to_values, sums, size * Size * sizeof(double));
    }
  };
  NewRow new_row(Index i) { return {slots.data(), columns.get(), sums.get(), static_cast<std::uint32_t>(i + 1)}; }

  struct KnownRow {
    static constexpr bool has_values = true;
    Slot* slots;
    double* values;
    std::uint32_t row;
    Index size;
    bool fits = true;
    double unwanted[Size];
    static constexpr bool knows_length = true;
    Index length() const { return size; }
    double* find(std::int32_t c) { return slots[c].row == row ? values + Index{slots[c].place} * Size : nullptr; }
    double* block(std::int32_t c) {
      if (double* known = find(c)) return known;
      fits = false;
      return unwanted;
    }
    void finish(const std::int32_t*, Index) {}
  };
  KnownRow known_row(Index i, const std::int32_t* known, Index size, double* values) {
    for (Index k = 0; k < size; ++k)
      slots[static_cast<std::size_t>(known[k])] = {static_cast<std::uint32_t>(i + 1), static_cast<std::uint32_t>(k)};
    std::memset(values, 0, static_cast<std::size_t>(size) * Size * sizeof(double));
    return {slots.data(), values, static_cast<std::uint32_t>(i + 1), size, true, {}};
  }
};

// Single numbers: they are summed in the slots themselves, without a branch.
template <>
struct RowStore<1> {
  struct Slot {
    double sum = 0;
    std::uint32_t row = 0;
  };
  std::vector<Slot> slots;
  std::unique_ptr<std::int32_t[]> columns;
  explicit RowStore(Index n)
      : slots(static_cast<std::size_t>(n)), columns(new std::int32_t[static_cast<std::size_t>(n) + 1]) {}

  struct NewRow {
    static constexpr bool has_values = true;
    Slot* slots;
    std::int32_t* columns;
    std::uint32_t row;
    std::uint32_t size = 0;
    double* block(std::int32_t c) {
      Slot& slot = slots[c];
      columns[size] = c;
      size += slot.row != row ? 1 : 0;
      slot.row = row;
      return &slot.sum;
    }
    double* find(std::int32_t c) { return slots[c].row == row ? &slots[c].sum : nullptr; }
    static constexpr bool knows_length = false;
    Index length() const { return size; }
    void keep_first() {
      for (; size > 1; --size) slots[columns[size - 1]].row = 0;
    }
    void write(std::int32_t* to_columns, double* to_values) {
      for (std::uint32_t k = 0; k < size; ++k) {
        Slot& slot = slots[columns[k]];
        to_columns[k] = columns[k];
        to_values[k] = slot.sum;
        slot.sum = 0;
      }
    }
  };
  NewRow new_row(Index i) { return {slots.data(), columns.get(), static_cast<std::uint32_t>(i + 1)}; }

  struct KnownRow {
    static constexpr bool has_values = true;
    Slot* slots;
    double* values;
    std::uint32_t row;
    Index size;
    bool fits = true;
    double unwanted = 0;
    static constexpr bool knows_length = true;
    Index length() const { return size; }
    double* find(std::int32_t c) { return slots[c].row == row ? &slots[c].sum : nullptr; }
    double* block(std::int32_t c) {
      if (slots[c].row == row) return &slots[c].sum;
      fits = false;
      return &unwanted;
    }
    void finish(const std::int32_t* known, Index size) {
      for (Index k = 0; k < size; ++k) {
        values[k] = slots[known[k]].sum;
        slots[known[k]].sum = 0;
      }
    }
  };
  KnownRow known_row(Index i, const std::int32_t* known, Index size, double* values) {
    for (Index k = 0; k < size; ++k) slots[static_cast<std::size_t>(known[k])].row = static_cast<std::uint32_t>(i + 1);
    return {slots.data(), values, static_cast<std::uint32_t>(i + 1), size};
  }
};

// Numbers that are appended, in pieces of 256 KiB.
template <class T>
class Appended {
 public:
  Appended(const Device& device, const char* tag) : device_(device), tag_(tag) {}
  T* room(Index n) {
    if (now_ < pieces_.size() && used_[now_] + n > pieces_[now_].size()) ++now_;
    if (now_ == pieces_.size()) {
      pieces_.emplace_back(device_, std::max(n, Index{256 << 10} / Index{sizeof(T)}), tag_);
      used_.push_back(0);
    } else if (used_[now_] == 0 && n > pieces_[now_].size()) {
      pieces_[now_] = Array<T>(device_, n, tag_);
    }
    T* result = pieces_[now_].data() + used_[now_];
    used_[now_] += n;
    return result;
  }
  void start_again() {  // forgets the rows, keeps the memory
    std::fill(used_.begin(), used_.end(), 0);
    now_ = 0;
  }
  void move_to(T* to) {  // and empties the store
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      std::memcpy(to, pieces_[k].data(), static_cast<std::size_t>(used_[k]) * sizeof(T));
      to += used_[k];
      pieces_[k] = {};
    }
    pieces_.clear();
    used_.clear();
    now_ = 0;
  }

 private:
  Device device_;
  const char* tag_;
  std::vector<Array<T>> pieces_;
  std::vector<Index> used_;
  std::size_t now_ = 0;  // piece
};

inline int row_parts(const Device& device, Index rows) {
  return static_cast<int>(std::max<Index>(1, std::min<Index>(device.threads(), rows / 256)));
}

// The functor of a thread for a range of rows: its own one, where the functor says of_thread(first, last).
template <class F>
decltype(auto) of_thread(const F& f, [[maybe_unused]] Index first, [[maybe_unused]] Index last) {
  if constexpr (requires { f.of_thread(first, last); }) {
    return f.of_thread(first, last);
  } else {
    return (f);
  }
}

// rows, columns and block sizes of `result` are given; offsets, columns and values are made.
template <int Size, int, class F>
void build_rows(const Device& device, const char* name, const F& f, const char*, const char* result_tag,
                BlockMatrix& result) {
  const int parts = row_parts(device, result.rows);
  const Index rows = result.rows;
  constexpr const char* tag = "multigrid set-up";
  Array<std::int32_t> count(device, rows, tag);
  std::vector<Appended<std::int32_t>> columns;
  std::vector<Appended<double>> values;
  for (int part = 0; part < parts; ++part) {
    columns.emplace_back(device, tag);
    values.emplace_back(device, tag);
  }
  {
    const LaunchScope launch(device, name);
    std::int32_t* const counts = count.data();
    ParallelErrors errors;
#pragma omp parallel for num_threads(device.team(parts)) schedule(static, 1)
    for (int part = 0; part < parts; ++part)
      errors.run([&] {
        RowStore<Size> store(result.columns);
        Appended<std::int32_t>& my_columns = columns[static_cast<std::size_t>(part)];
        Appended<double>& my_values = values[static_cast<std::size_t>(part)];
        const Index first = rows * part / parts, last = rows * (part + 1) / parts;
        auto&& mine = of_thread(f, first, last);
        for (Index i = first; i < last; ++i) {
          auto row = store.new_row(i);
          mine(i, row);
          counts[i] = static_cast<std::int32_t>(row.size);
          row.write(my_columns.room(row.size), my_values.room(Index{row.size} * Size));
        }
      });
    errors.rethrow();
  }
  result.offsets = Array<Index>(device, rows + 1, result_tag);
  exclusive_scan(device, count.data(), rows, result.offsets.data());
  const Index* const offsets = result.offsets.data();
  Index nonzeros = 0;
  device.machine().copy_to_host(&nonzeros, offsets + rows, Index{sizeof nonzeros});
  result.column = Array<std::int32_t>(device, nonzeros, result_tag);
  result.values = Vector(device, nonzeros * Size, result_tag);
  const LaunchScope launch(device, name);
#pragma omp parallel for num_threads(device.team(parts)) schedule(static, 1)
  for (int part = 0; part < parts; ++part) {
    const Index first = offsets[rows * part / parts];
    columns[static_cast<std::size_t>(part)].move_to(result.column.data() + first);
    values[static_cast<std::size_t>(part)].move_to(result.values.data() + first * Size);
  }
}

template <int Size, int, class F>
bool refill_rows(const Device& device, const char* name, const F& f, const BlockMatrixView<double>& pattern,
                 double* values) {
  const LaunchScope launch(device, name);
  const int parts = row_parts(device, pattern.rows);
  int misfits = 0;
  ParallelErrors errors;
#pragma omp parallel for num_threads(device.team(parts)) schedule(static, 1) reduction(+ : misfits)
  for (int part = 0; part < parts; ++part)
    errors.run([&] {
      RowStore<Size> store(pattern.columns);
      const Index first = pattern.rows * part / parts, last = pattern.rows * (part + 1) / parts;
      auto&& mine = of_thread(f, first, last);
      for (Index i = first; i < last; ++i) {
        const Index begin = pattern.offsets[i], size = pattern.offsets[i + 1] - begin;
        auto row = store.known_row(i, pattern.column + begin, size, values + begin * Size);
        mine(i, row);
        row.finish(pattern.column + begin, size);
        misfits += row.fits ? 0 : 1;
      }
    });
  errors.rethrow();
  return misfits == 0;
}

}  // namespace ritz::RITZ_BACKEND
