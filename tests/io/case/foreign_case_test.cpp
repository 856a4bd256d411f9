#include "io/case/foreign_case.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>

#include <fmt/core.h>

namespace ritz {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> programs_of(const std::string& text) { return programs_of(parse_case(text, "case.toml")); }

// The text that makes a case one for this program and needs no table beside it.
std::string mark_of(const std::string& program) {
  if (program == "ritz-modal") return "[modal]\n";
  if (program == "ritz-structure") return "[[section]]\n";
  return program == "ritz-solve" ? "[model]\nform = \"diffusion3\"\n" : "";
}

bool is_of_a_law(const std::string& key, const nlohmann::json& rule) {
  const std::string about = rule.value("description", "");
  return about.find("only with law") != std::string::npos || key == "hardening" || key == "yield_stress";
}

TEST(ForeignCase, EveryTableOfASchemaIsKnownAsOneOfItsProgram) {
  int tables = 0;
  for (const std::string program : {"ritz-elasticity", "ritz-heat", "ritz-modal", "ritz-solve", "ritz-structure"}) {
    std::ifstream file(fmt::format("{}/../../docs/schema/{}.schema.json", RITZ_TEST_DATA, program));
    const auto schema = nlohmann::json::parse(file);
    for (const auto& [table, rules] : schema.at("properties").items()) {
      const bool is_table = !rules.contains("type") || rules["type"] == "object" || rules["type"] == "array";
      if (!is_table || mark_of(program).find("[" + table + "]") != std::string::npos) continue;
      if (table == "modal" && program != "ritz-solve") continue;  // outside of steps it is a case of ritz-modal
      const bool excites_modes = program == "ritz-modal" && table == "load_case";
      const std::string mark = mark_of(program) + (excites_modes ? "[harmonic]\n" : "");
      EXPECT_THAT(programs_of(fmt::format("{}[[{}]]\n", mark, table)), Contains(program)) << table;
      ++tables;
      if (table != "material") continue;
      for (const auto& [key, rule] : rules.at("items").at("properties").items())
        EXPECT_THAT(programs_of(fmt::format("{}[[material]]\n{}{} = 1\n", mark_of(program),
                                            is_of_a_law(key, rule) ? "law = \"a\"\n" : "", key)),
                    Contains(program))
            << key;
    }
  }
  EXPECT_GT(tables, 80);
}

TEST(ForeignCase, ACaseIsForTheProgramThatReadsAllOfIt) {
  EXPECT_THAT(programs_of("[[material]]\nyoung = 1\n[[traction]]\n"), ElementsAre("ritz-elasticity"));
  EXPECT_THAT(programs_of("[[material]]\nyoung = 1\n[modal]\n"), ElementsAre("ritz-modal"));
  EXPECT_THAT(programs_of("[[material]]\nconductivity = 1\n"), ElementsAre("ritz-heat"));
  EXPECT_THAT(programs_of("plugin = \"bar.cpp\"\n[[section]]\n"), ElementsAre("ritz-structure"));
  EXPECT_THAT(programs_of("[[section]]\n[[material]]\nyoung = 1\n[[force]]\n"), ElementsAre("ritz-structure"));
  EXPECT_THAT(programs_of("plugin = \"form.cpp\"\n[[material]]\nk = 1\n[[prescribe]]\n"), ElementsAre("ritz-solve"));
  EXPECT_THAT(programs_of("[model]\nform = \"diffusion3\"\n[[material]]\nconductivity = 1\n"),
              ElementsAre("ritz-solve"));
  EXPECT_THAT(programs_of("[[material]]\nyoung = 1\n[[convection]]\n"), IsEmpty());
  EXPECT_THAT(programs_of("[[materials]]\nyoung = 1\n"), IsEmpty());
}

TEST(ForeignCase, AMisspeltCaseIsForTheProgramThatReadsMostOfIt) {
  const auto closest = [](const std::string& text) { return closest_program(parse_case(text, "case.toml")); };
  EXPECT_EQ(closest("[[material]]\nconductivity = 1\n[[temprature]]\nvalue = 1\n"), "ritz-heat");
  EXPECT_EQ(closest("[[material]]\nyuong = 1\n[[displacement]]\nfixed = true\n"), "ritz-elasticity");
  EXPECT_EQ(closest("[[material]]\nyuong = 1\n[modal]\n"), "ritz-modal");
  EXPECT_EQ(closest("plugin = \"bar.cpp\"\n[[section]]\n[[suport]]\n"), "ritz-structure");
  EXPECT_EQ(closest("[model]\nform = \"diffusion3\"\n[[materials]]\nk = 1\n"), "ritz-solve");
}

}  // namespace
}  // namespace ritz
