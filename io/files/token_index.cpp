#include "io/files/token_index.hpp"

#include "io/files/number_text.hpp"

#include <algorithm>

namespace ritz {
namespace {

constexpr std::int64_t chunk_size = 1 << 15;

// Tokens that start in [begin, end); `text` is where the whole text begins.
std::int64_t count_tokens(const char* text, const char* begin, const char* end) {
  std::int64_t count = 0;
  const char* p = begin;
  if (p < end && p == text) count += !is_blank(*p++);
  while (p < end) {
    const char* stop = std::min(end, p + 255);
    std::uint8_t starts = 0;  // a byte counter lets the compiler use whole vectors
    for (; p < stop; ++p) starts = static_cast<std::uint8_t>(starts + (is_blank(p[-1]) & !is_blank(*p)));
    count += starts;
  }
  return count;
}

}  // namespace

TokenIndex::TokenIndex(const char* begin, const char* end) : begin_(begin), end_(end) {
  const std::int64_t chunks = (end - begin + chunk_size - 1) / chunk_size;
  first_token_.assign(static_cast<std::size_t>(chunks) + 1, 0);
#pragma omp parallel for schedule(static)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk)
    first_token_[static_cast<std::size_t>(chunk) + 1] =
        count_tokens(begin, begin + chunk * chunk_size, std::min(end, begin + (chunk + 1) * chunk_size));
  for (std::size_t chunk = 1; chunk < first_token_.size(); ++chunk) first_token_[chunk] += first_token_[chunk - 1];
}

std::int64_t TokenIndex::tokens_before(const char* position) const {
  const std::int64_t chunk = (position - begin_) / chunk_size;
  return first_token_[static_cast<std::size_t>(chunk)] + count_tokens(begin_, begin_ + chunk * chunk_size, position);
}

const char* TokenIndex::token(std::int64_t number) const {
  if (number >= first_token_.back()) return end_;
  const auto next = std::upper_bound(first_token_.begin(), first_token_.end(), number);
  const auto chunk = (next - first_token_.begin()) - 1;
  std::int64_t left = number - first_token_[static_cast<std::size_t>(chunk)];
  const char* p = begin_ + chunk * chunk_size;
  if (p > begin_ && !is_blank(p[-1])) p = token_end(p, end_);  // the rest of a token of the chunk before
  for (p = skip_blanks(p, end_); left > 0; --left) p = skip_blanks(token_end(p, end_), end_);
  return p;
}

}  // namespace ritz
