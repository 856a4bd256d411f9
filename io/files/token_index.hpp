// Positions of the tokens of a long text, so that several threads can parse one block of it. Private to io.
#pragma once

#include <cstdint>
#include <vector>

namespace ritz {

class TokenIndex {
 public:
  TokenIndex() = default;
  TokenIndex(const char* begin, const char* end);  // one pass over the text, by all threads

  bool made() const { return begin_ != nullptr; }
  // Number of tokens that start before `position`.
  std::int64_t tokens_before(const char* position) const;
  // Start of token `number`, or the end of the text.
  const char* token(std::int64_t number) const;

 private:
  const char *begin_ = nullptr, *end_ = nullptr;
  std::vector<std::int64_t> first_token_;  // of each chunk
};

}  // namespace ritz
