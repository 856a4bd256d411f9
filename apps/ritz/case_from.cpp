#include "apps/ritz/case_from.hpp"

#include "apps/ritz/deck_numbers.hpp"
#include "apps/ritz/deck_reader.hpp"
#include "apps/run/named_outputs.hpp"
#include "io/files/atomic_file.hpp"
#include "io/files/text_case.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>

namespace ritz {
namespace {

const char* program_for(const DeckModel& deck) {
  if (deck.modes > 0) return "ritz-modal";
  return deck.physics == DeckPhysics::heat    ? "ritz-heat"
         : deck.physics == DeckPhysics::frame ? "ritz-structure"
                                              : "ritz-elasticity";
}

std::string toml_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

std::string plane_text(const DeckModel& deck) {
  const char* large = deck.large ? "large_displacement = true\n" : "";
  if (deck.dimension() != 2 || deck.plane.empty()) return deck.large ? fmt::format("\n[model]\n{}", large) : "";
  // CalculiX takes the cells of plane stress and strain for heat, too.
  const bool flat_heat = deck.physics == DeckPhysics::heat && deck.plane != "axisymmetric";
  const std::string type = flat_heat ? "plane" : deck.plane;
  std::string text = fmt::format("\n[model]\ntype = {}\n{}", toml_text(type), large);
  if (deck.thickness > 0 && (type == "plane_stress" || type == "plane"))
    text += fmt::format("thickness = {}\n", deck.thickness);
  return text;
}

bool takes(const DeckModel& deck, const std::string& key) {
  const bool heat = deck.physics == DeckPhysics::heat;
  if (key == "density") return !heat || deck.modes > 0;
  return key != "specific_heat" && (key == "conductivity") == heat;
}

// Increments of Newton's method, which Abaqus and CalculiX choose by themselves.
std::string newton_text(const DeckModel& deck) {
  if (deck.path)
    return fmt::format("\n[newton]\npath = [{}]\ndurations = [{}]\n",
                       fmt::join(std::vector<int>(deck.path->durations.size(), 1), ", "),
                       fmt::join(deck.path->durations, ", "));
  const bool laws = std::ranges::any_of(deck.materials, [](const DeckMaterial& each) { return !each.law.empty(); });
  return deck.large || laws ? "\n[newton]\nincrements = 10\nhalvings = 8\n" : "";
}

std::string section_text(const DeckModel& deck, const DeckSection& section) {
  std::string text =
      fmt::format("\n[[{}]]\nregion = {}", section.solid ? "material" : "section", toml_text(section.region->name));
  text += section.material.empty() ? "\n" : fmt::format("   # {}\n", section.material);
  for (const std::string& line : section.lines) text += line + "\n";
  for (const DeckMaterial& each : deck.materials)
    if (upper(each.name) == upper(section.material))
      for (const auto& [key, value] : each.numbers)
        if (takes(deck, key) && !(section.bar && key == "poisson")) text += fmt::format("{} = {}\n", key, value);
  if (section.solid && deck.physics == DeckPhysics::solid)
    for (const DeckMaterial& each : deck.materials)
      if (upper(each.name) == upper(section.material))
        for (const std::string& line : each.law) text += line + "\n";
  const std::vector<std::string> directed = deck.directed_lines(section);
  if (!directed.empty() && deck.orientations.contains(upper(section.orientation)))
    text += fmt::format("orientation = {}\n", toml_text(upper(section.orientation)));
  for (const std::string& line : directed) text += line + "\n";
  return text;
}

// Those that a material uses.
std::string orientations_text(const DeckModel& deck) {
  std::string text;
  for (const auto& [name, lines] : deck.orientations)
    if (std::ranges::any_of(deck.sections, [&](const DeckSection& section) {
          return upper(section.orientation) == name && !deck.directed_lines(section).empty();
        }))
      text += fmt::format("\n[[orientation]]\nname = {}\n{}\n", toml_text(name), fmt::join(lines, "\n"));
  return text;
}

std::string support_text(const DeckModel& deck, const DeckSupport& support) {
  static constexpr std::array names{"x", "y", "z", "rx", "ry", "rz"};
  const char* table = deck.physics == DeckPhysics::heat    ? "temperature"
                      : deck.physics == DeckPhysics::frame ? "support"
                                                           : "displacement";
  std::string text = fmt::format("\n[[{}]]\nregion = {}\n", table, toml_text(support.region->name));
  for (const auto& [unknown, value] : support.values)
    text += fmt::format("{} = {}\n", unknown == 11 ? "value" : names[static_cast<std::size_t>(unknown - 1)], value);
  return text;
}

// A deck gives the force of each node; that of a frame's case is in total.
std::string force_lines(const DeckModel& deck, const DeckLoad& load) {
  const bool frame = deck.physics == DeckPhysics::frame;
  std::vector<double> v = load.values;
  if (frame)
    for (double& each : v) each *= static_cast<double>(nodes_in(deck.regions->mesh(), *load.region).size());
  std::string text = fmt::format("value = [{}, {}, {}]{}\n", v[0], v[1], v[2], frame ? "  # in total" : "");
  if (!frame) text += "each = true\n";
  else if (v[3] != 0 || v[4] != 0 || v[5] != 0) text += fmt::format("moment = [{}, {}, {}]\n", v[3], v[4], v[5]);
  return text;
}

std::string load_text(const DeckModel& deck, const DeckLoad& load, const std::string& inside) {
  const bool single = load.region == nullptr;  // [gravity]
  std::string text = fmt::format("\n{0}{1}{2}{3}\n", single ? "[" : "[[", inside, load.table, single ? "]" : "]]");
  if (!single) text += fmt::format("region = {}\n", toml_text(load.region->name));
  if (load.table == "force") return text + force_lines(deck, load);
  const char* key = load.table == "gravity"      ? "acceleration"
                    : load.table == "convection" ? "coefficient"
                    : load.table == "radiation"  ? "emissivity"
                                                 : "value";
  text += load.values.size() > 1 ? fmt::format("{} = [{}]\n", key, fmt::join(load.values, ", "))
                                 : fmt::format("{} = {}\n", key, load.values[0]);
  for (const std::string& line : load.others) text += line + "\n";
  return text;
}

std::string loads_text(const DeckModel& deck) {
  std::string text;
  for (const DeckLoad& load : deck.loads.common) text += load_text(deck, load, "");
  for (const DeckCase& each : deck.loads.cases) {
    if (!each.name.empty()) text += fmt::format("\n[[load_case]]\nname = {}\n", toml_text(each.name));
    for (const DeckLoad& load : each.loads) text += load_text(deck, load, each.name.empty() ? "" : "load_case.");
    if (!each.name.empty() && each.loads.empty() && !deck.sections.empty())
      text += fmt::format("\n[[load_case.source]]  # nothing but what is common to all\nregion = {}\nvalue = 0\n",
                          toml_text(deck.sections.front().region->name));
  }
  return text;
}

std::string probes_text(const DeckModel& deck) {
  if (deck.modes > 0 || deck.sections.empty()) return "";
  const bool heat = deck.physics == DeckPhysics::heat;
  return fmt::format("\n[[probe]]\nname = \"largest_{0}\"\nfield = \"{0}\"\n{1}region = {2}\nmeasure = \"max\"\n",
                     heat ? "temperature" : "displacement", heat ? "" : "component = \"magnitude\"\n",
                     toml_text(deck.sections.front().region->name));
}

std::string gaps_text(const DeckModel& deck) {
  if (deck.gaps.empty()) return "";
  std::string text = "# NOT COMPLETE. These cards of the deck change its results and are not in this case:\n";
  for (const DeckGap& gap : deck.gaps)
    text += fmt::format("# - {}, {}:{}: {}\n", gap.card, std::filesystem::path(gap.file).filename().string(), gap.line,
                        gap.why);
  return text + "\n";
}

ErrorList errors_of(const DeckModel& deck, bool partial) {
  ErrorList errors;
  for (const DeckGap& gap : deck.gaps)
    errors.add(Error(ErrorKind::deck_card, fmt::format("{} at {}:{} is not translated", gap.card, gap.file, gap.line),
                     gap.why,
                     &gap != &deck.gaps.back() ? ""
                     : partial                 ? "complete the case by hand: its first lines name what is missing"
                               : "remove cards that do not matter, or add --partial and complete the case by hand"));
  return errors;
}

// A deck does not name its units. Radiation is computed in SI, whatever the deck's other numbers are.
std::string units_text(const DeckModel& deck, const std::string& units) {
  const auto radiates = [](const DeckLoad& load) { return load.table == "radiation"; };
  if (units == "SI" || std::ranges::any_of(deck.loads.common, radiates)) return "";
  const char* comment =
      units == "none" ? "    # of the deck; with \"SI\", or \"mm\" (mm, N, s, t), results have units" : "";
  return fmt::format("[output]\nunits = \"{}\"{}\n\n", units, comment);
}

std::string case_text(const DeckModel& deck, const std::string& deck_file, const std::string& mesh_file,
                      const std::string& units) {
  std::string text = fmt::format(
      "# Written from {} by ritz case from. Numbers are those of the deck: they must be in one system of units.\n"
      "# Run it: {} THIS_FILE\n\n{}[mesh]\nfile = {}\n",
      std::filesystem::path(deck_file).filename().string(), program_for(deck), units_text(deck, units),
      toml_text(mesh_file));
  text = gaps_text(deck) + text + plane_text(deck) + newton_text(deck);
  text += orientations_text(deck);
  for (const DeckSection& section : deck.sections) text += section_text(deck, section);
  for (const DeckSupport& support : deck.supports) text += support_text(deck, support);
  text += loads_text(deck);
  if (deck.modes > 0) text += fmt::format("\n[modal]\ncount = {}\n", deck.modes);
  text += probes_text(deck);
  if (!deck.notes.empty()) text += "\n# How the deck was read:\n";
  for (const std::string& note : deck.notes) text += "# - " + note + "\n";
  return text;
}

}  // namespace

std::vector<std::string> DeckModel::directed_lines(const DeckSection& section) const {
  if (!section.solid) return {};
  for (const DeckMaterial& each : materials)
    if (upper(each.name) == upper(section.material))
      if (const auto found = each.directed.find(physics == DeckPhysics::heat ? "CONDUCTIVITY" : "ELASTIC");
          found != each.directed.end())
        return found->second;
  return {};
}

WrittenCase case_from(const CaseFrom& question) {
  namespace fs = std::filesystem;
  const DeckModel deck = read_deck_model(question.deck);
  if (deck.materials.empty() && deck.sections.empty() && deck.supports.empty() && deck.notes.empty() &&
      deck.gaps.empty())
    throw Error(ErrorKind::deck, fmt::format("cannot read the deck '{}'", question.deck),
                "it says nothing of materials, sections, supports or steps",
                fmt::format("name a deck of Abaqus or CalculiX; for a mesh alone: ritz new {}", question.deck));
  const ErrorList missing = errors_of(deck, question.partial);
  if (!question.partial) missing.throw_if_any();
  if (question.to.empty()) {
    if (deck.by_number)
      throw Error(ErrorKind::deck, fmt::format("the case of '{}' needs a second file", question.deck),
                  "the deck names nodes or faces by number, which become sets in a file next to the case",
                  fmt::format("name the case: ritz case from {} CASE.toml", question.deck));
    return {case_text(deck, question.deck, question.deck, question.units), missing};
  }
  if (is_same_file(question.to, question.deck))
    throw Error(ErrorKind::show, fmt::format("the name '{}' is taken", question.to), "the deck has it",
                "name another file");
  const fs::path folder = fs::absolute(question.to).parent_path();
  const std::string sets = (folder / (fs::path(question.to).stem().string() + "_sets.inp")).string();
  for (const std::string& path : {question.to, sets})
    if (fs::exists(path) && !question.overwrite && (path != sets || deck.by_number))
      throw Error(ErrorKind::results_exist, fmt::format("'{}' exists already", path),
                  "files are not overwritten unless asked", "choose another name, or add --force");
  std::string mesh = fs::proximate(fs::absolute(question.deck), folder).string();
  if (deck.by_number) {
    write_named_file(sets, DeckNumbers(deck.cards).text(mesh));
    mesh = fs::path(sets).filename().string();
  }
  write_named_file(question.to, case_text(deck, question.deck, mesh, question.units));
  return {fmt::format("{}: a case for {}, from {}{}\n", question.to, program_for(deck), question.deck,
                      missing.empty() ? "" : fmt::format("; NOT COMPLETE, {} cards are missing", deck.gaps.size())),
          missing};
}

}  // namespace ritz
