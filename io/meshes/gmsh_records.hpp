// Long runs of equally long text records, parsed by all threads. Private to io.
#pragma once

#include "io/files/token_index.hpp"
#include "io/meshes/gmsh_cursor.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace ritz {

// Calls parse(record, position, end) for every record of `width` tokens; it returns the end of the record, or nullptr
// after setting `bad` to the offending place. Moves the cursor past the last record. Throws through explain(place) for
// the first bad place in the file.
template <class Parse, class Explain>
void parse_records(GmshCursor& cursor, TokenIndex& index, const char* section_begin, std::int64_t record_count,
                   std::int64_t width, const Parse& parse, const Explain& explain) {
  constexpr std::int64_t records_per_chunk = 4096;
  const char* begin = cursor.position();
  const char* end = cursor.end();
  if (record_count <= 2 * records_per_chunk) {
    const char* bad = nullptr;
    for (std::int64_t record = 0; record < record_count; ++record) {
      begin = parse(record, begin, end, bad);
      if (begin == nullptr) explain(bad);
    }
    cursor.move_to(begin);
    return;
  }
  if (!index.made()) index = TokenIndex(section_begin, end);
  const std::int64_t first_token = index.tokens_before(skip_blanks(begin, end));
  const std::int64_t chunks = (record_count + records_per_chunk - 1) / records_per_chunk;
  std::atomic<const char*> first_bad{nullptr};
#pragma omp parallel for schedule(dynamic, 4)
  for (std::int64_t chunk = 0; chunk < chunks; ++chunk) {
    const std::int64_t last = std::min(record_count, (chunk + 1) * records_per_chunk);
    const char* position = index.token(first_token + chunk * records_per_chunk * width);
    const char* bad = nullptr;
    for (std::int64_t record = chunk * records_per_chunk; record < last; ++record) {
      position = parse(record, position, end, bad);
      if (position != nullptr) continue;
      const char* known = first_bad.load();
      while ((known == nullptr || bad < known) && !first_bad.compare_exchange_weak(known, bad)) {}
      break;
    }
  }
  if (first_bad.load() != nullptr) explain(first_bad.load());
  cursor.move_to(index.token(first_token + record_count * width));
}

}  // namespace ritz
