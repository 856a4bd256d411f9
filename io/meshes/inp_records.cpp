#include "io/meshes/inp_records.hpp"

#include "device/parallel_errors.hpp"
#include "io/files/number_text.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

namespace ritz {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

const char* skip_space(const char* position, const char* end) {
  while (position < end && is_space(*position)) ++position;
  return position;
}

bool ends_here(const char* position, const char* end) {
  return position == end || *position == ',' || is_blank(*position);
}

struct Trouble {
  const char* position = nullptr;
  const char* expected = nullptr;
  const char* why = "";
};

// The records that one thread reads.
struct Part {
  std::vector<std::int64_t> labels, nodes;
  std::vector<double> points;
  const char* stop = nullptr;  // start of the next record
  Trouble trouble;

  const char* fail(const char* position, const char* expected, const char* why = "") {
    trouble = {position, expected, why};
    return nullptr;
  }
};

// The comma after a number or the end of the line; nullptr when something else follows.
const char* after_number(const char* position, const char* end, bool& more) {
  position = skip_space(position, end);
  more = position < end && *position == ',';
  if (more) return skip_space(position + 1, end);
  return position == end || *position == '\n' ? position : nullptr;
}

const char* parse_node(const char* position, const char* end, Part& part) {
  std::int64_t label = 0;
  position = skip_space(position, end);
  const char* stop = parse_inp_integer(position, end, label);
  if (stop == nullptr || label < 1) return part.fail(position, "the number of a node");
  double x[9] = {};
  bool more = false;
  const char* next = after_number(stop, end, more);
  if (next == nullptr) return part.fail(skip_space(stop, end), "a comma");
  int count = 0;
  while (more) {
    if (next == end || *next == '\n') break;
    if (count == 6) return part.fail(next, "the end of the line", "a node has three coordinates and at most a normal");
    if (*next != ',') {
      stop = parse_inp_real(next, end, x[count]);
      if (stop == nullptr) return part.fail(next, "a coordinate");
    } else {
      stop = next;
    }
    ++count;
    const char* after = after_number(stop, end, more);
    if (after == nullptr) return part.fail(skip_space(stop, end), "a comma");
    next = after;
  }
  if (count > 3) {
    const double length = std::hypot(x[3], x[4], x[5]);
    if (std::abs(length - 1) > 1e-3)
      return part.fail(position, "a node with three coordinates",
                       "the numbers after them are no unit normal; is the comma meant as a decimal sign?");
  }
  part.labels.push_back(label);
  part.points.insert(part.points.end(), x, x + 3);
  return next;
}

struct ElementForm {
  int node_count;
  bool extra_node;
};

const char* parse_element(const char* position, const char* end, const ElementForm& form, Part& part) {
  std::int64_t value = 0;
  int count = -1;  // nodes read; the label comes first
  for (bool more = true;;) {
    position = skip_space(position, end);
    if (position == end || *position == '\n') {  // the line ends
      if (count >= form.node_count) break;
      const char* next = inp_data_line(position, end);
      if (next == end) return part.fail(end, "more nodes of the element", "its data end here");
      position = next;
      continue;
    }
    if (!more && count < form.node_count) return part.fail(position, "a comma");
    if (count >= form.node_count + (form.extra_node ? 1 : 0))
      return part.fail(position, "the end of the line", "the element has all its nodes already");
    const char* stop = parse_inp_integer(position, end, value);
    if (stop == nullptr || value < 1)
      return part.fail(position, count < 0 ? "the number of an element" : "the number of a node");
    if (count < 0) part.labels.push_back(value);
    else if (count < form.node_count) part.nodes.push_back(value);
    ++count;
    const char* next = after_number(stop, end, more);
    if (next == nullptr) return part.fail(skip_space(stop, end), "a comma");
    position = next;
    if (!more) more = position < end && *position == '\n';  // the next number may come on the next line
  }
  return position;
}

// The start of a line near `position` that seems to begin a record: the line before does not end with a comma.
const char* record_start(const char* position, const char* begin, const char* end) {
  for (int tries = 0; tries < 64 && position < end; ++tries) {
    const char* line = line_end(position, end);
    const char* last = line;
    while (last > begin && is_space(last[-1])) --last;
    position = inp_data_line(std::min(line + 1, end), end);
    if (last > begin && last[-1] != ',') return position;
  }
  return nullptr;
}

template <class ParseRecord>
Part parse_part(const char* begin, const char* end, const char* text_end, const ParseRecord& parse_record) {
  Part part;
  const char* position = inp_data_line(begin, text_end);
  while (position < end) {
    position = parse_record(position, text_end, part);
    if (position == nullptr) return part;
    position = inp_data_line(position, text_end);
  }
  part.stop = position;
  return part;
}

// By all threads, each from where a record seems to start to where the next one's does. When these guesses do not meet,
// once more by one thread.
template <class ParseRecord>
std::vector<Part> parse_block(const InpBlock& block, const ParseRecord& parse_record) {
  const std::int64_t size = block.end - block.begin;
  const std::int64_t wanted = size < (1 << 20) ? 1 : 4 * std::int64_t{omp_get_max_threads()};
  std::vector<const char*> starts{inp_data_line(block.begin, block.end)};
  for (std::int64_t i = 1; i < wanted; ++i) {
    const char* start = record_start(block.begin + size / wanted * i, block.begin, block.end);
    if (start != nullptr && start > starts.back() && start < block.end) starts.push_back(start);
  }
  starts.push_back(block.end);
  std::vector<Part> parts(starts.size() - 1);
  ParallelErrors errors;
#pragma omp parallel for schedule(dynamic, 1) if (parts.size() > 1)
  for (std::size_t i = 0; i < parts.size(); ++i)
    errors.run([&] { parts[i] = parse_part(starts[i], starts[i + 1], block.end, parse_record); });
  errors.rethrow();
  bool meet = true;
  for (std::size_t i = 0; i < parts.size(); ++i) meet = meet && parts[i].stop == starts[i + 1];
  if (!meet && parts.size() > 1) {
    parts.clear();
    parts.push_back(parse_part(block.begin, block.end, block.end, parse_record));
  }
  if (const Trouble& trouble = parts[0].trouble; parts.size() == 1 && trouble.position != nullptr) {
    if (trouble.position >= block.end && block.end < block.file->end())
      block.file->fail(trouble.position, fmt::format("expected {}, but a keyword follows", trouble.expected),
                       trouble.why);
    block.file->fail_expected(trouble.position, trouble.expected, trouble.why);
  }
  return parts;
}

template <class T>
void move_behind(std::vector<T>& all, std::vector<T>& part) {
  if (all.empty()) all = std::move(part);
  else all.insert(all.end(), part.begin(), part.end());
  part = {};
}

}  // namespace

const char* inp_data_line(const char* position, const char* end) {
  while (position < end) {
    if (is_blank(*position)) {
      ++position;
      continue;
    }
    if (end - position < 2 || position[0] != '*' || position[1] != '*') return position;
    position = line_end(position, end);
  }
  return end;
}

const char* parse_inp_integer(const char* position, const char* end, std::int64_t& value) {
  if (position < end && *position == '+') ++position;
  std::int64_t digits = 0;
  const char* p = position;
  while (p < end && p - position < 18 && *p >= '0' && *p <= '9') digits = 10 * digits + (*p++ - '0');
  if (p > position && ends_here(p, end)) {
    value = digits;
    return p;
  }
  const auto [stop, error] = std::from_chars(position, end, value);
  return error == std::errc{} && ends_here(stop, end) ? stop : nullptr;
}

const char* parse_inp_real(const char* position, const char* end, double& value) {
  if (position < end && *position == '+') ++position;
  const auto [stop, error] = std::from_chars(position, end, value);
  if (error == std::errc{} && ends_here(stop, end)) return std::isfinite(value) ? stop : nullptr;
  if (error != std::errc{} && error != std::errc::result_out_of_range) return nullptr;
  if (ends_here(stop, end)) {
    value = beyond_range(position, stop);
    return std::isfinite(value) ? stop : nullptr;
  }
  if (*stop != 'd' && *stop != 'D') return nullptr;  // Fortran's double precision
  char copy[64];
  std::size_t length = 0;
  for (const char* p = position; p < end && !ends_here(p, end); ++p) {
    if (length == sizeof(copy)) return nullptr;
    copy[length++] = *p == 'd' || *p == 'D' ? 'e' : *p;
  }
  const auto [copy_stop, copy_error] = std::from_chars(copy, copy + length, value);
  return copy_error == std::errc{} && copy_stop == copy + length && std::isfinite(value) ? position + length : nullptr;
}

void parse_inp_nodes(const InpBlock& block, std::vector<std::int64_t>& labels, std::vector<double>& points) {
  for (Part& part : parse_block(block, parse_node)) {
    move_behind(labels, part.labels);
    move_behind(points, part.points);
  }
}

void parse_inp_elements(const InpBlock& block, int node_count, bool extra_node, std::vector<std::int64_t>& labels,
                        std::vector<std::int64_t>& nodes) {
  const ElementForm form{node_count, extra_node};
  const auto parse = [&form](const char* position, const char* end, Part& part) {
    return parse_element(position, end, form, part);
  };
  for (Part& part : parse_block(block, parse)) {
    move_behind(labels, part.labels);
    move_behind(nodes, part.nodes);
  }
}

}  // namespace ritz
