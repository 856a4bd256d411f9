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
namespace inp {
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

[[noreturn]] void fail(const InpPlace& place, const std::string& what, const std::string& why = {},
                       const std::string& fix = {}) {
  place.file->fail(place.position, what, why, fix);
}

// A keyword and its lines of data: several blocks where a file is included between them.
struct Section {
  Keyword keyword;
  std::vector<InpBlock> data = {};
};

// Keywords whose lines of data are of the mesh.
bool has_mesh_data(const std::string& name) {
  static const std::set<std::string> list = {"NODE", "ELEMENT", "NSET", "ELSET", "SURFACE", "INSTANCE"};
  return list.contains(name);
}

// The line that starts with a star but not with two; leading blanks do not count.
const char* next_keyword(const char* position, const char* end) {
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

// Sections of a deck and of the files that it includes.
class SectionReader {
 public:
  SectionReader(std::list<TextFile>& files, std::vector<std::string>& notices) : files_(files), notices_(notices) {}

  std::vector<Section> read(const std::string& path) {
    deck_path_ = path;
    read_file(path, 0);
    return std::move(sections_);
  }

 private:
  void read_file(const std::string& path, int depth) {
    const TextFile& file = files_.emplace_back(path);
    const char* end = file.end();
    if (depth == 0 &&
        std::memchr(file.begin(), 0, static_cast<std::size_t>(std::min<std::ptrdiff_t>(end - file.begin(), 4096))) !=
            nullptr)
      file.fail(file.begin(), "expected text, found zero bytes", "a deck is a text file");
    for (const char* position = file.begin(); position < end;) {
      const char* data = inp_data_line(position, end);
      const char* keyword = data == end ? end : next_keyword(data, end);
      if (data < keyword) add_data({&file, data, keyword});
      if (keyword == end) {
        if (data < end && end[-1] != '\n' && takes_data())
          notices_.push_back(fmt::format("'{}' ends within a line of data: check that it was not cut short", path));
        break;
      }
      position = read_keyword_line(file, keyword, depth);
    }
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
    sections_.push_back({keyword});
    if (keyword.has("INPUT") && takes_data()) include(keyword, depth);
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

  bool takes_data() const { return !sections_.empty() && has_mesh_data(sections_.back().keyword.name); }
  void add_data(const InpBlock& block) {
    if (takes_data()) sections_.back().data.push_back(block);
  }

  std::list<TextFile>& files_;
  std::vector<std::string>& notices_;
  std::string deck_path_;
  std::vector<Section> sections_;
  int file_count_ = 0;
};

template <class F>
void for_each_line(const InpBlock& block, F f) {
  for (const char* position = inp_data_line(block.begin, block.end); position < block.end;
       position = inp_data_line(position, block.end)) {
    const char* stop = line_end(position, block.end);
    const std::string_view line = trimmed({position, stop});
    if (!line.empty()) f(line, position);
    position = stop;
  }
}

// A new piece of the set, which is made when it is not there yet.
InpSet& set_named(InpScope& scope, bool of_nodes, const std::string& name, const InpPlace& place) {
  auto& sets = of_nodes ? scope.node_sets : scope.element_sets;
  auto& numbers = of_nodes ? scope.node_set_number : scope.element_set_number;
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

// Radius, angle and height, or radius, longitude and latitude; degrees.
void to_rectangular(double* x, bool spherical) {
  const double r = x[0], a = x[1] * std::numbers::pi / 180, b = x[2] * std::numbers::pi / 180;
  x[0] = r * std::cos(a) * (spherical ? std::cos(b) : 1);
  x[1] = r * std::sin(a) * (spherical ? std::cos(b) : 1);
  if (spherical) x[2] = r * std::sin(b);
}

void read_nodes(const Section& section, InpScope& scope) {
  const Keyword& keyword = section.keyword;
  const std::string system = inp_upper(keyword.value("SYSTEM"));
  if (!system.empty() && system != "R" && system != "C" && system != "S")
    fail(keyword.place, fmt::format("*NODE has SYSTEM={}", system),
         "it is R (rectangular), C (cylindrical) or S (spherical)");
  for (const InpBlock& block : section.data) {
    const std::size_t first = scope.node_labels.size();
    parse_inp_nodes(block, scope.node_labels, scope.points);
    if (system == "C" || system == "S")
      for (std::size_t i = first; i < scope.node_labels.size(); ++i)
        to_rectangular(scope.points.data() + 3 * i, system == "S");
    if (keyword.value("NSET").empty()) continue;
    InpPiece& piece = set_named(scope, true, keyword.value("NSET"), keyword.place).pieces.back();
    piece.first = first;
    piece.last = scope.node_labels.size();
  }
}

Index record_count(const InpBlock& block) {
  Index count = 0;
  bool goes_on = false;
  for_each_line(block, [&](std::string_view line, const char*) {
    count += !goes_on;
    goes_on = line.back() == ',';
  });
  return count;
}

void read_elements(const Section& section, InpScope& scope, std::map<std::string, Index>& left_out) {
  const Keyword& keyword = section.keyword;
  const std::string type_name = inp_upper(keyword.value("TYPE"));
  if (type_name.empty()) fail(keyword.place, "*ELEMENT has no TYPE", "", "write TYPE=C3D10 or the like");
  const InpUse use = inp_use(type_name);
  if (use == InpUse::unsupported)
    fail(keyword.place, fmt::format("elements of type {} are not supported", type_name),
         "Ritz has solids with 4, 5, 6, 8, 10, 15 and 20 nodes, and plane, axisymmetric and shell elements with 3, "
         "4, 6, 8 and 9",
         "mesh with one of these");
  for (const InpBlock& block : section.data) {
    if (use == InpUse::nothing) {
      left_out[type_name] += record_count(block);
      continue;
    }
    const InpType type = *inp_type(type_name);
    InpElements& elements = scope.elements.emplace_back();
    elements.type = type;
    parse_inp_elements(block, traits(type.kind).node_count, type.extra_node, elements.labels, elements.nodes);
    if (keyword.value("ELSET").empty()) continue;
    InpPiece& piece = set_named(scope, false, keyword.value("ELSET"), keyword.place).pieces.back();
    piece.first = scope.elements.size() - 1;
    piece.last = scope.elements.size();
  }
}

void add_range(std::string_view line, const InpPlace& place, InpPiece& piece) {
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

void add_member(std::string_view field, const InpPlace& place, InpPiece& piece) {
  std::int64_t label = 0;
  const char* end = field.data() + field.size();
  if (parse_inp_integer(field.data(), end, label) == end) piece.labels.push_back(label);
  else piece.members.push_back(parse_member(field, place));
}

// Gmsh writes names with commas without quotes: what follows the comma looks like a parameter.
void report_unknown_parameters(const Keyword& keyword, const std::set<std::string>& known,
                               std::vector<std::string>& notices) {
  for (const auto& [parameter, value] : keyword.values)
    if (!known.contains(parameter))
      notices.push_back(fmt::format("*{} at line {} of '{}' has the unknown parameter '{}'", keyword.name,
                                    keyword.place.file->line_of(keyword.place.position), keyword.place.file->path(),
                                    parameter));
}

void read_set(const Section& section, InpScope& scope, std::vector<std::string>& notices) {
  const Keyword& keyword = section.keyword;
  const bool of_nodes = keyword.name == "NSET", generate = keyword.has("GENERATE");
  const std::string name = keyword.value(keyword.name);
  if (name.empty())
    fail(keyword.place, fmt::format("*{} names no set", keyword.name), "", fmt::format("write {}=name", keyword.name));
  report_unknown_parameters(keyword, {"NSET", "ELSET", "INSTANCE", "INTERNAL", "GENERATE", "UNSORTED", "INPUT"},
                            notices);
  InpSet& set = set_named(scope, of_nodes, name, keyword.place);
  set.internal = set.internal || keyword.has("INTERNAL");
  InpPiece& piece = set.pieces.back();
  piece.instance = keyword.value("INSTANCE");
  if (of_nodes) piece.nodes_of_elements = keyword.value("ELSET");
  for (const InpBlock& block : section.data)
    for_each_line(block, [&](std::string_view line, const char* position) {
      const InpPlace place{block.file, position};
      if (generate) return add_range(line, place, piece);
      for (const std::string_view field : split_at_commas(line))
        if (!trimmed(field).empty()) add_member(trimmed(field), place, piece);
    });
}

void read_surface(const Section& section, InpScope& scope, std::vector<std::string>& notices) {
  const Keyword& keyword = section.keyword;
  const std::string name = keyword.value("NAME"), type = inp_upper(keyword.value("TYPE"));
  if (name.empty()) fail(keyword.place, "*SURFACE has no NAME", "", "write NAME=name");
  if ((!type.empty() && type != "ELEMENT" && type != "NODE") || keyword.has("COMBINE") || keyword.has("CROP")) {
    notices.push_back(fmt::format("surface '{}' was not read: it is {}, and Ritz reads lists of element faces or nodes",
                                  name,
                                  keyword.has("COMBINE") ? "a combination of others"
                                  : keyword.has("CROP")  ? "cropped"
                                                         : "of type " + type));
    return;
  }
  const auto same = [&](const InpSurface& surface) { return inp_upper(surface.name) == inp_upper(name); };
  if (std::ranges::any_of(scope.surfaces, same))
    notices.push_back(fmt::format("surface '{}' is defined twice; both parts were taken", name));
  InpSurface& surface = scope.surfaces.emplace_back(InpSurface{name, keyword.has("INTERNAL"), type == "NODE", {}});
  for (const InpBlock& block : section.data)
    for_each_line(block, [&](std::string_view line, const char* position) {
      const std::vector<std::string_view> fields = split_at_commas(line);
      const InpPlace place{block.file, position};
      if (trimmed(fields[0]).empty()) fail(place, "a line of *SURFACE names no element and no set");
      const std::string face = fields.size() > 1 && !surface.of_nodes ? inp_upper(trimmed(fields[1])) : std::string();
      surface.entries.push_back({parse_member(fields[0], place), face});
    });
}

InpScope& start_part(const Keyword& keyword, InpDeck& deck) {
  const std::string name = keyword.value("NAME");
  if (name.empty()) fail(keyword.place, "*PART has no NAME");
  for (const InpScope& part : deck.parts)
    if (inp_upper(part.name) == inp_upper(name)) fail(keyword.place, fmt::format("part '{}' is defined twice", name));
  InpScope& scope = deck.parts.emplace_back();
  scope.name = name;
  return scope;
}

InpScope& start_instance(const Section& section, InpDeck& deck) {
  const Keyword& keyword = section.keyword;
  const std::string name = keyword.value("NAME"), part = keyword.value("PART");
  if (name.empty() || part.empty()) fail(keyword.place, "*INSTANCE needs NAME and PART");
  InpInstance& instance = deck.instances.emplace_back();
  instance.name = instance.own.name = name;
  instance.part = part;
  instance.place = keyword.place;
  for (const InpBlock& block : section.data)
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
  return instance.own;
}

// Adds the section to the scope, and returns the scope of the next one.
InpScope& read_section(const Section& section, InpScope& scope, InpDeck& deck, std::vector<std::string>& notices) {
  const std::string& name = section.keyword.name;
  if (name == "NODE") read_nodes(section, scope);
  else if (name == "ELEMENT") read_elements(section, scope, deck.left_out);
  else if (name == "NSET" || name == "ELSET") read_set(section, scope, notices);
  else if (name == "SURFACE") read_surface(section, scope, notices);
  else if (name == "PART") return start_part(section.keyword, deck);
  else if (name == "INSTANCE") return start_instance(section, deck);
  else if (name == "END PART" || name == "END INSTANCE") return deck.model;
  else if (generates_mesh(name))
    fail(section.keyword.place, fmt::format("*{} is not supported", name),
         "it makes or moves nodes or elements by a rule, so the mesh would not be whole",
         "let the preprocessor write all nodes and elements");
  else if (name != "ASSEMBLY" && name != "END ASSEMBLY" && name != "HEADING" && name != "PREPRINT")
    deck.passed_over.insert(name);
  return scope;
}

}  // namespace
}  // namespace inp

std::string inp_upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return upper;
}

InpDeck read_deck(const std::string& path, std::vector<std::string>& notices) {
  InpDeck deck;
  deck.model.name = "the model";
  InpScope* scope = &deck.model;
  for (const inp::Section& section : inp::SectionReader(deck.files, notices).read(path))
    scope = &inp::read_section(section, *scope, deck, notices);
  return deck;
}

}  // namespace ritz
