// Keyword by keyword through a deck and the files that it includes (Abaqus Keywords Guide; CalculiX CrunchiX manual).
#include "io/meshes/inp_deck.hpp"

#include "io/files/included_files.hpp"
#include "io/files/input_file.hpp"
#include "io/files/number_text.hpp"
#include "io/files/text_case.hpp"
#include "io/meshes/inp_records.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

#include <fmt/format.h>

namespace ritz {
namespace {

constexpr int deepest_include = 32;

std::string unquoted(std::string_view text) {
  text = trimmed(text);
  if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

// "a, b=c" at commas outside of quotes.
std::vector<std::string_view> split_at_commas(std::string_view text) {
  std::vector<std::string_view> fields;
  char quote = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (quote != 0) quote = text[i] == quote ? char{0} : quote;
    else if (text[i] == '"' || text[i] == '\'') quote = text[i];
    else if (text[i] == ',') {
      fields.push_back(text.substr(first, i - first));
      first = i + 1;
    }
  }
  fields.push_back(text.substr(first));
  return fields;
}

struct Keyword {
  std::string name;                           // "NODE OUTPUT": capitals, single blanks
  std::map<std::string, std::string> values;  // parameters in capitals without blanks
  InpPlace place;

  bool has(const std::string& parameter) const { return values.contains(parameter); }
  std::string value(const std::string& parameter) const {
    const auto found = values.find(parameter);
    return found == values.end() ? std::string() : found->second;
  }
};

Keyword parse_keyword(const std::string& line, const InpPlace& place) {
  Keyword keyword;
  keyword.place = place;
  const std::vector<std::string_view> fields = split_at_commas(std::string_view(line).substr(1));
  for (const char c : inp_upper(trimmed(fields[0])))
    if (!is_blank(c)) keyword.name += c;
    else if (!keyword.name.empty() && keyword.name.back() != ' ') keyword.name += ' ';
  for (std::size_t i = 1; i < fields.size(); ++i) {
    const std::size_t equals = fields[i].find('=');
    std::string parameter;
    for (const char c : inp_upper(fields[i].substr(0, equals)))
      if (!is_blank(c)) parameter += c;
    if (!parameter.empty())
      keyword.values[parameter] =
          equals == std::string_view::npos ? std::string() : unquoted(fields[i].substr(equals + 1));
  }
  return keyword;
}

bool is_label(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

InpMember parse_member(std::string_view field, const InpPlace& place) {
  InpMember member{{}, unquoted(field), 0, place};
  const std::size_t dot = member.name.find('.');
  if (dot != std::string::npos && dot > 0 && dot + 1 < member.name.size()) {
    member.instance = member.name.substr(0, dot);
    member.name = member.name.substr(dot + 1);
  }
  if (!is_label(member.name)) return member;
  const char* end = member.name.data() + member.name.size();
  if (parse_number(member.name.data(), end, member.label) != end)
    place.file->fail(place.position, fmt::format("label {} is too large", member.name));
  member.name.clear();
  return member;
}

// Keywords that make nodes or elements by rules: without them the mesh is not whole.
bool generates_mesh(const std::string& name) {
  static const std::set<std::string> list = {"NGEN",  "NFILL",  "NCOPY",  "NMAP",
                                             "ELGEN", "ELCOPY", "SYSTEM", "SUBMODEL MESH"};
  return list.contains(name);
}

class DeckReader {
 public:
  explicit DeckReader(std::vector<std::string>& notices) : notices_(&notices) {}

  InpDeck read(const std::string& path) {
    deck_path_ = path;
    scope_ = &deck_.model;
    deck_.model.name = "the model";
    read_file(path, 0);
    return std::move(deck_);
  }

 private:
  enum class Data { other, nodes, elements, left_out, set, surface, instance };

  void read_file(const std::string& path, int depth) {
    const TextFile& file = deck_.files.emplace_back(path);
    const char* end = file.end();
    if (depth == 0 &&
        std::memchr(file.begin(), 0, static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - file.begin(), 4096))) !=
            nullptr)
      file.fail(file.begin(), "expected text, found zero bytes", "a deck is a text file");
    for (const char* position = file.begin(); position < end;) {
      const char* data = inp_data_line(position, end);
      const char* keyword = data == end ? end : next_keyword(data, end);
      if (data < keyword) read_data({&file, data, keyword});
      if (keyword == end) {
        if (data < end && end[-1] != '\n' && current_ != Data::other)
          notices_->push_back(fmt::format("'{}' ends within a line of data: check that it was not cut short", path));
        break;
      }
      position = read_keyword_line(file, keyword, depth);
    }
  }

  // The line that starts with a star but not with two; leading blanks do not count.
  static const char* next_keyword(const char* position, const char* end) {
    const char* begin = position;
    while (position < end) {
      const auto* star = static_cast<const char*>(std::memchr(position, '*', static_cast<std::size_t>(end - position)));
      if (star == nullptr) return end;
      const char* first = star;
      while (first > begin && (first[-1] == ' ' || first[-1] == '\t')) --first;
      const bool starts_line = first == begin || first[-1] == '\n' || first[-1] == '\r';
      if (starts_line && (star + 1 == end || star[1] != '*')) return first;
      position = starts_line ? line_end(star, end) : star + 1;
    }
    return end;
  }

  // A keyword's line continues after a comma at its end.
  const char* read_keyword_line(const TextFile& file, const char* begin, int depth) {
    const char* end = file.end();
    std::string line;
    const char* position = begin;
    for (;;) {
      const char* stop = line_end(position, end);
      const std::string_view text = trimmed({position, stop});
      line += text;
      position = stop < end ? stop + 1 : end;
      if (text.empty() || text.back() != ',') break;
      position = inp_data_line(position, end);
      if (position == end || *position == '*') break;
    }
    const char* star = begin;
    while (*star != '*') ++star;
    const Keyword keyword = parse_keyword(line, {&file, star});
    if (keyword.name == "INCLUDE") {  // as if its text were here: data lines may continue in it
      include(keyword, depth);
      return position;
    }
    start(keyword);
    if (keyword.has("INPUT") && current_ != Data::other) include(keyword, depth);
    return position;
  }

  void include(const Keyword& keyword, int depth) {
    const std::string name = keyword.value("INPUT");
    if (name.empty()) fail(keyword.place, fmt::format("*{} names no file", keyword.name), "", "write INPUT=file.inp");
    if (depth >= deepest_include)
      fail(keyword.place, fmt::format("'{}' is included at depth {}", name, depth + 1),
           "files include each other in a circle");
    const std::string path = included_path(deck_path_, keyword.place.file->path(), name);
    if (const std::string lack = lack_of_input(path); !lack.empty())
      fail(keyword.place, fmt::format("the file '{}' to include {}", path, lack),
           "relative names start at the folder of the deck, or of the file that includes", "check the name");
    if (++file_count_ > 10000) fail(keyword.place, "more than 10000 files are included");
    read_file(path, depth + 1);
  }

  void start(const Keyword& keyword) {
    current_ = Data::other;
    keyword_ = keyword;
    const std::string& name = keyword.name;
    if (name == "NODE") start_nodes();
    else if (name == "ELEMENT") start_elements();
    else if (name == "NSET" || name == "ELSET") start_set(name == "NSET");
    else if (name == "SURFACE") start_surface();
    else if (name == "PART") start_part();
    else if (name == "INSTANCE") start_instance();
    else if (name == "END PART" || name == "END INSTANCE") scope_ = &deck_.model;
    else if (name == "ASSEMBLY" || name == "END ASSEMBLY" || name == "HEADING" || name == "PREPRINT") return;
    else if (generates_mesh(name))
      fail(keyword.place, fmt::format("*{} is not supported", name),
           "it makes or moves nodes or elements by a rule, so the mesh would not be whole",
           "let the preprocessor write all nodes and elements");
    else deck_.passed_over.insert(name);
  }

  // Gmsh writes names with commas without quotes: what follows the comma looks like a parameter.
  void notice_unknown_parameters(const std::set<std::string>& known) {
    for (const auto& [parameter, value] : keyword_.values)
      if (!known.contains(parameter))
        notices_->push_back(fmt::format("*{} at line {} of '{}' has the unknown parameter '{}'", keyword_.name,
                                        keyword_.place.file->line_of(keyword_.place.position),
                                        keyword_.place.file->path(), parameter));
  }

  void start_nodes() {
    current_ = Data::nodes;
    const std::string system = inp_upper(keyword_.value("SYSTEM"));
    if (!system.empty() && system != "R" && system != "C" && system != "S")
      fail(keyword_.place, fmt::format("*NODE has SYSTEM={}", system),
           "it is R (rectangular), C (cylindrical) or S (spherical)");
  }

  void start_elements() {
    const std::string type = inp_upper(keyword_.value("TYPE"));
    if (type.empty()) fail(keyword_.place, "*ELEMENT has no TYPE", "", "write TYPE=C3D10 or the like");
    switch (inp_use(type)) {
      case InpUse::unsupported:
        fail(keyword_.place, fmt::format("elements of type {} are not supported", type),
             "Ritz has solids with 4, 5, 6, 8, 10, 15 and 20 nodes, and plane, axisymmetric and shell elements with 3, "
             "4, 6, 8 and 9",
             "mesh with one of these");
      case InpUse::nothing: current_ = Data::left_out; return;
      case InpUse::cell: current_ = Data::elements; return;
    }
  }

  // A new piece of the set, which is made when it is not there yet.
  InpSet& set_named(bool of_nodes, const std::string& name, const InpPlace& place) {
    auto& sets = of_nodes ? scope_->node_sets : scope_->element_sets;
    auto& numbers = of_nodes ? scope_->node_set_number : scope_->element_set_number;
    const auto [found, is_new] = numbers.try_emplace(inp_upper(name), sets.size());
    if (is_new) {
      sets.emplace_back();
      sets.back().name = name;
    }
    InpSet& set = sets[found->second];
    set.pieces.emplace_back();
    set.pieces.back().place = place;
    return set;
  }

  void start_set(bool of_nodes) {
    const std::string name = keyword_.value(of_nodes ? "NSET" : "ELSET");
    if (name.empty())
      fail(keyword_.place, fmt::format("*{} names no set", keyword_.name), "",
           fmt::format("write {}=name", keyword_.name));
    notice_unknown_parameters({"NSET", "ELSET", "INSTANCE", "INTERNAL", "GENERATE", "UNSORTED", "INPUT"});
    set_ = &set_named(of_nodes, name, keyword_.place);
    set_->internal = set_->internal || keyword_.has("INTERNAL");
    set_->pieces.back().instance = keyword_.value("INSTANCE");
    if (of_nodes) set_->pieces.back().nodes_of_elements = keyword_.value("ELSET");
    current_ = Data::set;
  }

  void start_surface() {
    const std::string name = keyword_.value("NAME"), type = inp_upper(keyword_.value("TYPE"));
    if (name.empty()) fail(keyword_.place, "*SURFACE has no NAME", "", "write NAME=name");
    if ((!type.empty() && type != "ELEMENT" && type != "NODE") || keyword_.has("COMBINE") || keyword_.has("CROP")) {
      notices_->push_back(
          fmt::format("surface '{}' was not read: it is {}, and Ritz reads lists of element faces or nodes", name,
                      keyword_.has("COMBINE") ? "a combination of others"
                      : keyword_.has("CROP")  ? "cropped"
                                              : "of type " + type));
      return;
    }
    for (InpSurface& surface : scope_->surfaces)
      if (inp_upper(surface.name) == inp_upper(name)) {
        notices_->push_back(fmt::format("surface '{}' is defined twice; both parts were taken", name));
        break;
      }
    scope_->surfaces.push_back({name, keyword_.has("INTERNAL"), type == "NODE", {}});
    current_ = Data::surface;
  }

  void start_part() {
    const std::string name = keyword_.value("NAME");
    if (name.empty()) fail(keyword_.place, "*PART has no NAME");
    for (const InpScope& part : deck_.parts)
      if (inp_upper(part.name) == inp_upper(name))
        fail(keyword_.place, fmt::format("part '{}' is defined twice", name));
    scope_ = &deck_.parts.emplace_back();
    scope_->name = name;
  }

  void start_instance() {
    const std::string name = keyword_.value("NAME"), part = keyword_.value("PART");
    if (name.empty() || part.empty()) fail(keyword_.place, "*INSTANCE needs NAME and PART");
    InpInstance& instance = deck_.instances.emplace_back();
    instance.name = name;
    instance.part = part;
    instance.place = keyword_.place;
    instance.own.name = name;
    scope_ = &instance.own;
    current_ = Data::instance;
  }

  void read_data(const InpBlock& block) {
    switch (current_) {
      case Data::other: return;
      case Data::nodes: return read_nodes(block);
      case Data::elements: return read_elements(block);
      case Data::left_out: return count_left_out(block);
      case Data::set: return read_set(block);
      case Data::surface: return read_surface(block);
      case Data::instance: return read_motion(block);
    }
  }

  void read_nodes(const InpBlock& block) {
    const std::size_t first = scope_->node_labels.size();
    parse_inp_nodes(block, scope_->node_labels, scope_->points);
    const std::string system = inp_upper(keyword_.value("SYSTEM"));
    if (system == "C" || system == "S")
      for (std::size_t i = first; i < scope_->node_labels.size(); ++i)
        to_rectangular(scope_->points.data() + 3 * i, system == "S");
    if (!keyword_.value("NSET").empty()) {
      InpPiece& piece = set_named(true, keyword_.value("NSET"), keyword_.place).pieces.back();
      piece.first = first;
      piece.last = scope_->node_labels.size();
    }
  }

  // Radius, angle and height, or radius, longitude and latitude; degrees.
  static void to_rectangular(double* x, bool spherical) {
    const double r = x[0], a = x[1] * std::numbers::pi / 180, b = x[2] * std::numbers::pi / 180;
    x[0] = r * std::cos(a) * (spherical ? std::cos(b) : 1);
    x[1] = r * std::sin(a) * (spherical ? std::cos(b) : 1);
    if (spherical) x[2] = r * std::sin(b);
  }

  void read_elements(const InpBlock& block) {
    const InpType type = *inp_type(inp_upper(keyword_.value("TYPE")));
    InpElements& elements = scope_->elements.emplace_back();
    elements.type = type;
    parse_inp_elements(block, traits(type.kind).node_count, type.extra_node, elements.labels, elements.nodes);
    if (!keyword_.value("ELSET").empty()) {
      InpPiece& piece = set_named(false, keyword_.value("ELSET"), keyword_.place).pieces.back();
      piece.first = scope_->elements.size() - 1;
      piece.last = scope_->elements.size();
    }
  }

  void count_left_out(const InpBlock& block) {
    Index count = 0;
    bool goes_on = false;
    for_each_line(block, [&](std::string_view line, const char*) {
      count += !goes_on;
      goes_on = line.back() == ',';
    });
    deck_.left_out[inp_upper(keyword_.value("TYPE"))] += count;
  }

  template <class F>
  static void for_each_line(const InpBlock& block, F f) {
    for (const char* position = inp_data_line(block.begin, block.end); position < block.end;
         position = inp_data_line(position, block.end)) {
      const char* stop = line_end(position, block.end);
      const std::string_view line = trimmed({position, stop});
      if (!line.empty()) f(line, position);
      position = stop;
    }
  }

  void read_set(const InpBlock& block) {
    InpPiece& piece = set_->pieces.back();
    const bool generate = keyword_.has("GENERATE");
    for_each_line(block, [&](std::string_view line, const char* position) {
      const InpPlace place{block.file, position};
      if (generate) return add_range(line, place, piece);
      for (const std::string_view field : split_at_commas(line))
        if (!trimmed(field).empty()) add_member(trimmed(field), place, piece);
    });
  }

  static void add_range(std::string_view line, const InpPlace& place, InpPiece& piece) {
    std::int64_t numbers[3] = {0, 0, 1};
    int count = 0;
    for (const std::string_view field : split_at_commas(line)) {
      const std::string_view text = trimmed(field);
      if (text.empty()) continue;
      const char* end = text.data() + text.size();
      if (count == 3 || parse_inp_integer(text.data(), end, numbers[count]) != end)
        fail(place, fmt::format("expected first, last and step of a set, found '{}'", std::string(line.substr(0, 60))));
      ++count;
    }
    if (count == 1) numbers[1] = numbers[0];
    if (numbers[2] < 0 && numbers[1] <= numbers[0]) {  // downwards: the same numbers upwards
      numbers[2] = -numbers[2];
      numbers[1] = numbers[0] - (numbers[0] - numbers[1]) / numbers[2] * numbers[2];
      std::swap(numbers[0], numbers[1]);
    }
    if (numbers[0] < 1 || numbers[1] < numbers[0] || numbers[2] < 1)
      fail(place, fmt::format("steps of {} from {} do not lead to {}", numbers[2], numbers[0], numbers[1]),
           "GENERATE takes the first number, the last and the step, which counts downwards when negative",
           "exchange the numbers, or change the sign of the step");
    piece.ranges.push_back({numbers[0], numbers[1], numbers[2]});
  }

  static void add_member(std::string_view field, const InpPlace& place, InpPiece& piece) {
    std::int64_t label = 0;
    const char* end = field.data() + field.size();
    if (parse_inp_integer(field.data(), end, label) == end) piece.labels.push_back(label);
    else piece.members.push_back(parse_member(field, place));
  }

  void read_surface(const InpBlock& block) {
    InpSurface& surface = scope_->surfaces.back();
    for_each_line(block, [&](std::string_view line, const char* position) {
      const std::vector<std::string_view> fields = split_at_commas(line);
      const InpPlace place{block.file, position};
      if (trimmed(fields[0]).empty()) fail(place, "a line of *SURFACE names no element and no set");
      const std::string face = fields.size() > 1 && !surface.of_nodes ? inp_upper(trimmed(fields[1])) : std::string();
      surface.entries.push_back({parse_member(fields[0], place), face});
    });
  }

  void read_motion(const InpBlock& block) {
    InpInstance& instance = deck_.instances.back();
    for_each_line(block, [&](std::string_view line, const char* position) {
      for (const std::string_view field : split_at_commas(line)) {
        const std::string_view text = trimmed(field);
        if (text.empty()) continue;
        double value = 0;
        if (parse_inp_real(text.data(), text.data() + text.size(), value) != text.data() + text.size() ||
            instance.motion.size() == 10)
          fail({block.file, position}, fmt::format("expected a translation or a rotation of instance '{}', found '{}'",
                                                   instance.name, std::string(line.substr(0, 60))));
        instance.motion.push_back(value);
      }
    });
  }

  [[noreturn]] static void fail(const InpPlace& place, const std::string& what, const std::string& why = {},
                                const std::string& fix = {}) {
    place.file->fail(place.position, what, why, fix);
  }

  InpDeck deck_;
  std::vector<std::string>* notices_;
  std::string deck_path_;
  InpScope* scope_ = nullptr;
  Data current_ = Data::other;
  Keyword keyword_;
  InpSet* set_ = nullptr;  // of the last *NSET or *ELSET; no set is added while its data are read
  int file_count_ = 0;
};

}  // namespace

std::string inp_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

InpDeck read_deck(const std::string& path, std::vector<std::string>& notices) { return DeckReader(notices).read(path); }

}  // namespace ritz
