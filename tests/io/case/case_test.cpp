#include "io/case/case.hpp"

#include "mesh/generators.hpp"
#include "tests/io/files.hpp"

#include <fmt/format.h>

namespace ritz {
namespace {

using test::error_of;
using test::Folder;
using test::replaced;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string sample = R"toml(title = "bracket"

[mesh]
file = "bracket.msh"
scale = 1e-3

[[material]]
region = "all"
young = 210e9
poisson = 0.3

[[boundary]]
region = ["x0", "y0"]
displacement = [0, 0.5, 1]

[[boundary]]
region = "x1"
traction = ["100*sin(x)", 0, 0]

[solver]
method = "cg"
relative = 1e-8
iterations = 500
verbose = true
)toml";

const Mesh& cube() {
  static const Mesh mesh = box(1, 1, 1, {1, 1, 1}, CellKind::hex8);
  return mesh;
}

std::vector<std::string> texts_of(const std::vector<Formula>& formulas) {
  std::vector<std::string> texts;
  for (const Formula& formula : formulas) texts.push_back(formula.text());
  return texts;
}

// Reads everything that the sample may say, as a program would.
struct Answers {
  std::string title, file, method;
  double scale = 0, young = 0, poisson = 0, relative = 0, radius = 0;
  std::int64_t iterations = 0;
  bool verbose = false;
  std::vector<double> displacement;
  std::vector<Formula> traction;
  std::vector<std::size_t> region_counts;
};

Answers ask(Case& input) {
  Answers a;
  a.title = input.root().text("title", "shown in the report", {.fallback = "untitled"});
  const Case::Table mesh = input.table("mesh", "the part");
  a.file = mesh.path("file", "mesh file");
  a.scale = mesh.number("scale", "file units to metres", {.fallback = 1.0, .above = 0});
  for (const Case::Table& material : input.tables("material", "what the body is made of", {.minimum_count = 1})) {
    material.region("region", "where it is", cube(), {RegionKind::cells});
    a.young = material.number("young", "Young's modulus [Pa]", {.above = 0});
    a.poisson = material.number("poisson", "Poisson's ratio [1]", {.above = -1, .below = 0.5});
  }
  for (const Case::Table& boundary : input.tables("boundary", "supports and loads")) {
    a.region_counts.push_back(
        boundary.regions("region", "where it acts", cube(), {RegionKind::facets, RegionKind::nodes}).size());
    if (boundary.has("traction")) a.traction = boundary.formulas("traction", "force per area [Pa]", 3);
    else a.displacement = boundary.vector("displacement", "prescribed displacement [m]", {.size = 3});
  }
  const Case::Table solver = input.table("solver", "how it is solved");
  a.method = solver.choice("method", "linear solver", {"cg", "gmres", "direct"}, "cg");
  a.relative = solver.number("relative", "tolerance of the residual [1]", {.fallback = 1e-10, .above = 0, .below = 1});
  a.iterations = solver.integer("iterations", "most iterations", {.fallback = 1000, .minimum = 1});
  a.verbose = solver.flag("verbose", "a line per iteration", false);
  a.radius =
      input.table("probe", "where to look").number("radius", "search radius [m]", {.fallback = 0.25, .minimum = 0});
  return a;
}

Answers answers(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Case input = Case::from_text(text, "dir/case.toml", overrides);
  const Answers a = ask(input);
  input.finish();
  return a;
}

std::string message(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return error_of([&] { answers(text, overrides); }, Exit::input);
}

TEST(Case, AnswersWhatTheFileSays) {
  const Answers a = answers(sample);
  EXPECT_EQ(a.title, "bracket");
  EXPECT_EQ(a.file, "dir/bracket.msh") << "relative to the case file";
  EXPECT_EQ(a.scale, 1e-3);
  EXPECT_EQ(a.young, 210e9);
  EXPECT_EQ(a.poisson, 0.3);
  EXPECT_THAT(a.displacement, ElementsAre(0, 0.5, 1));
  EXPECT_THAT(texts_of(a.traction), ElementsAre("100*sin(x)", "0", "0"));
  EXPECT_THAT(a.region_counts, ElementsAre(2, 1));
  EXPECT_EQ(a.iterations, 500);
  EXPECT_TRUE(a.verbose);
  EXPECT_EQ(a.radius, 0.25) << "of a table that is not there";
}

TEST(Case, AbsolutePathsStayAsTheyAre) {
  EXPECT_EQ(answers(replaced(sample, "\"bracket.msh\"", "\"/data/bracket.msh\"")).file, "/data/bracket.msh");
}

TEST(Case, WindowsLineEndsAndAByteOrderMarkAreAccepted) {
  std::string text = "\xEF\xBB\xBF";
  for (const char c : sample) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(answers(text).title, "bracket");
}

TEST(Case, OverridesReplaceAndAddValues) {
  const Answers a = answers(sample, {"material.0.young=1e9", "solver.method=gmres", "probe.radius = 2",
                                     "title=two words", "boundary.0.displacement=[1, 2, 3]", "solver.verbose=false"});
  EXPECT_EQ(a.young, 1e9);
  EXPECT_EQ(a.method, "gmres");
  EXPECT_EQ(a.radius, 2);
  EXPECT_EQ(a.title, "two words");
  EXPECT_THAT(a.displacement, ElementsAre(1, 2, 3));
  EXPECT_FALSE(a.verbose);
}

TEST(Case, OverridesThatMakeNoSenseAreErrors) {
  EXPECT_THAT(message(sample, {"solver.method"}), HasSubstr("cannot understand override 'solver.method'"));
  EXPECT_THAT(message(sample, {"material.7.young=1"}),
              AllOf(HasSubstr("no entry '7'"), HasSubstr("there are 1 entries")));
  EXPECT_THAT(message(sample, {"material.young=1"}),
              AllOf(HasSubstr("no entry 'young'"), HasSubstr("by its number, as in material.0.young")));
  EXPECT_THAT(message(sample, {"title.x=1"}), HasSubstr("no key 'x'"));
  EXPECT_THAT(message(sample, {"solver.metod=cg"}),
              AllOf(HasSubstr("unknown key 'solver.metod' at override"), HasSubstr("'method'")));
  EXPECT_THAT(message(sample, {"solver.relative=2"}),
              HasSubstr("'solver.relative' is 2 at override 'solver.relative=2'"));
}

// A letter less in each key of the file: the key is unknown, and what it was meant to be is suggested.
TEST(Case, EveryMisspelledKeyIsAnErrorWithTheRightSuggestion) {
  std::stringstream lines(sample);
  std::size_t start = 0;
  int tried = 0;
  for (std::string line; std::getline(lines, line); start += line.size() + 1) {
    const bool header = line.starts_with("[");
    const std::size_t from = header ? line.find_first_not_of('[') : 0;
    const std::size_t to = header ? line.find(']') : line.find(' ');
    if (line.empty()) continue;
    const std::string key = line.substr(from, to - from);
    for (std::size_t letter = 0; letter < key.size(); ++letter) {
      std::string text = sample;
      text.erase(start + from + letter, 1);
      std::string misspelled = key;
      misspelled.erase(letter, 1);
      const std::string error = message(text);
      EXPECT_THAT(error, HasSubstr(misspelled + "' at dir/case.toml:")) << error;
      EXPECT_THAT(error, HasSubstr("did you mean '" + key + "'?")) << misspelled << "\n" << error;
      EXPECT_THAT(error, Not(HasSubstr("missing key '" + key))) << error;
      ++tried;
    }
  }
  EXPECT_GT(tried, 80);
}

TEST(Case, UnknownKeysListTheValidOnesAndTheirPlace) {
  const std::string text = message(replaced(sample, "method = \"cg\"", "colour = \"cg\""));
  EXPECT_THAT(text, AllOf(HasSubstr("unknown key 'solver.colour' at dir/case.toml:21:1"),
                          HasSubstr("the valid keys of [solver] are 'method', 'relative', 'iterations' and 'verbose'"),
                          HasSubstr("remove it")));
  EXPECT_THAT(message(replaced(sample, "[mesh]\n", "[mesh]\nyoung = 3\n")),
              HasSubstr("there is a key 'material[].young'"));
  EXPECT_THAT(message(sample + "[zzz]\n"), HasSubstr("unknown table 'zzz'"));
}

TEST(Case, KeysOfKnownPhysicsAreAnsweredWithWhereItIs) {
  const auto answer = [](const std::string& key) { return message(sample + "[" + key + "]\n"); };
  for (const auto& [key, words] : {std::pair{"thermal_expansion", "thermal expansion is 'expansion' of [[material]]"},
                                   {"contact", "not in Ritz yet"},
                                   {"time", "[time]"},
                                   {"specific_heat", "ritz-heat"},
                                   {"Plastic", "law = \"j2\""},
                                   {"damping", "docs/motion.md"},
                                   {"units", "[mesh] scale"}}) {
    EXPECT_THAT(answer(key), AllOf(HasSubstr(words), Not(HasSubstr("did you mean")), Not(HasSubstr("remove it"))));
  }
}

TEST(Case, ACaseOfAnotherProgramIsToldApart) {
  const auto asked_by = [](const char* program, const std::string& text) -> std::string {
    Case input = Case::from_text(text, "dir/case.toml");
    input.set_program(program);
    try {
      input.finish();
    } catch (const Error& error) { return error.message() + error.fix(); }
    return "";
  };
  const std::string heat = "[mesh]\n[[material]]\nconductivity = 3\n[[flux]]\nvalue = 2\n";
  EXPECT_THAT(asked_by("ritz-elasticity", heat),
              AllOf(HasSubstr("'dir/case.toml' is a case for ritz-heat"), HasSubstr("run: ritz-heat dir/case.toml")));
  EXPECT_THAT(asked_by("ritz-heat", heat), Not(HasSubstr("is a case for")));
  EXPECT_THAT(asked_by("ritz-elasticity", heat + "[contact]\n"), Not(HasSubstr("is a case for")));
  EXPECT_THAT(asked_by("ritz-heat", "[mesh]\n[[section]]\n[[support]]\n[[force]]\n"), HasSubstr("for ritz-structure"));
  EXPECT_THAT(asked_by("ritz-heat", "[mesh]\n[model]\nform = \"mine\"\n"), HasSubstr("for ritz-solve"));
}

TEST(Case, KeyOfTheOtherBranchIsUnknownInThisTable) {
  const std::string text =
      message(replaced(sample, "displacement = [0, 0.5, 1]", "displacement = [0, 0.5, 1]\ntraction = [0, 0, 0]"));
  EXPECT_THAT(text, AllOf(HasSubstr("'boundary.0.displacement'"), HasSubstr("[[boundary]] #1")));
}

TEST(Case, MissingKeysNameTheirTable) {
  EXPECT_THAT(message(replaced(sample, "young = 210e9\n", "")),
              AllOf(HasSubstr("missing key 'material.0.young' in [[material]] #1 at dir/case.toml:7"),
                    HasSubstr("Young's modulus [Pa]"), HasSubstr("<a number above 0>")));
  // the mesh has no other
  EXPECT_THAT(message(replaced(sample, "region = \"all\"\n", "")), HasSubstr("add region = \"all\""));
  EXPECT_THAT(message(replaced(sample, "file = \"bracket.msh\"\n", "")),
              HasSubstr("missing key 'mesh.file' in [mesh] at dir/case.toml:3"));
  EXPECT_THAT(message(""), AllOf(HasSubstr("missing key 'mesh.file'"), HasSubstr("[[material]]")));
  // A table whose name is misspelt, in a reading that ends with the mesh.
  Case input = Case::from_text("[mehs]\nfile = \"bracket.msh\"\n", "dir/case.toml");
  input.table("mesh", "the mesh").path("file", "mesh file");
  EXPECT_THAT(error_of([&] { input.throw_if_any(); }, Exit::input), HasSubstr("is 'mehs' meant to be it?"));
}

TEST(Case, WrongTypesSayWhatWasGivenAndWhatIsExpected) {
  const auto with = [](const std::string& from, const std::string& to) { return message(replaced(sample, from, to)); };
  EXPECT_THAT(with("210e9", "\"steel\""),
              AllOf(HasSubstr("'material.0.young' is the text 'steel' at dir/case.toml:9:9"),
                    HasSubstr("give a number above 0")));
  EXPECT_THAT(with("= 500", "= 5.5"),
              AllOf(HasSubstr("'solver.iterations' is 5.5"), HasSubstr("a whole number at least 1")));
  EXPECT_THAT(with("verbose = true", "verbose = 1"), HasSubstr("give true or false"));
  EXPECT_THAT(with("title = \"bracket\"", "title = 1979-05-27"), HasSubstr("a date or time"));
  EXPECT_THAT(with("[0, 0.5, 1]", "[0, 0.5]"), HasSubstr("give a list of 3 numbers"));
  EXPECT_THAT(with("[0, 0.5, 1]", "[0, \"x\", 1]"),
              AllOf(HasSubstr("is the text 'x' at dir/case.toml:14:20"), HasSubstr("a list of 3 numbers")));
  EXPECT_THAT(with("[0, 0.5, 1]", "[]"), HasSubstr("an empty list"));
  EXPECT_THAT(with("[\"100*sin(x)\", 0, 0]", "[true, 0, 0]"), HasSubstr("'boundary.1.traction' is true"));
  EXPECT_THAT(with("\"bracket.msh\"", "\"\""), HasSubstr("an empty text"));
  EXPECT_THAT(with("[[material]]", "[material]"), AllOf(HasSubstr("'material' is a table"), HasSubstr("[[material]]")));
  EXPECT_THAT(with("[solver]", "[[solver]]"),
              AllOf(HasSubstr("'solver' is a list of 1 tables"), HasSubstr("a table, [solver]")));
  EXPECT_THAT(with("\"cg\"", "\"gmre\""),
              AllOf(HasSubstr("'cg', 'gmres' and 'direct'"), HasSubstr("did you mean 'gmres'?")));
}

TEST(Case, ValuesOutOfRangeAndNotANumberAreErrors) {
  for (const std::string value : {"0", "-1", "nan", "inf", "-inf"})
    EXPECT_THAT(message(replaced(sample, "210e9", value)), HasSubstr("give a number above 0")) << value;
  for (const std::string value : {"0.5", "-1", "-1.0", "7"})
    EXPECT_THAT(message(replaced(sample, "= 0.3", "= " + value)), HasSubstr("a number above -1 and below 0.5"))
        << value;
  for (const std::string value : {"0.499999999", "-0.999999999", "0"})
    EXPECT_NO_THROW(answers(replaced(sample, "= 0.3", "= " + value))) << value;
}

TEST(Case, AllErrorsAreThrownAtOnceInTheOrderOfTheFile) {
  std::string text = replaced(sample, "scale = 1e-3", "scale = -1");
  text = replaced(text, "poisson = 0.3", "poisson = 0.7");
  text = replaced(text, "verbose", "verbos");
  try {
    answers(text);
    FAIL() << "no error";
  } catch (const Errors& errors) {
    ASSERT_EQ(errors.list().size(), 3u) << errors.what();
    EXPECT_EQ(errors.exit(), Exit::input);
    EXPECT_THAT(errors.list()[0].message(), HasSubstr("mesh.scale"));
    EXPECT_THAT(errors.list()[1].message(), HasSubstr("material.0.poisson"));
    EXPECT_THAT(errors.list()[2].message(), HasSubstr("solver.verbos"));
  }
}

TEST(Case, UnknownRegionNamesTheNearestAndTheValidOnes) {
  EXPECT_THAT(
      message(replaced(sample, "\"x1\"", "\"x11\"")),
      AllOf(HasSubstr("'boundary.1.region' names the region 'x11', which is not in the mesh, at dir/case.toml:17:10"),
            HasSubstr("'x0', 'x1', 'y0'"), HasSubstr("did you mean 'x1'?")));
  EXPECT_THAT(message(replaced(sample, "region = \"all\"", "region = \"x0\"")),
              AllOf(HasSubstr("'x0', a region of facets"), HasSubstr("a region of cells is needed")));
}

TEST(Case, SyntaxErrorsAndDuplicatesCarryTheirPlace) {
  EXPECT_THAT(message(replaced(sample, "true", "tru")), HasSubstr("at dir/case.toml:24:"));
  EXPECT_THAT(message(replaced(sample, "young = 210e9", "young = 210e9\nyoung = 1")),
              AllOf(HasSubstr("at dir/case.toml:10:"), HasSubstr("once")));
  EXPECT_THAT(message(sample + "[mesh]\n"), HasSubstr("at dir/case.toml:25:"));
}

TEST(Case, MissingFileIsAnInputError) {
  const Folder folder;
  EXPECT_THAT(error_of([&] { Case::from_file(folder.file("none.toml")); }, Exit::input), HasSubstr("none.toml"));
  EXPECT_THAT(error_of([&] { Case::from_file(folder.path()); }, Exit::input), HasSubstr("cannot read"));
}

TEST(Case, FileThatMustExistIsChecked) {
  Case input = Case::from_text("file = \"none.msh\"", "dir/case.toml");
  input.root().path("file", "mesh file", {.must_exist = true});
  EXPECT_THAT(error_of([&] { input.finish(); }, Exit::input),
              AllOf(HasSubstr("'dir/none.msh', which does not exist, at dir/case.toml:1:8")));
}

TEST(Case, CallersAddTheirOwnErrorsAtAKey) {
  Case input = Case::from_text(sample, "case.toml");
  ask(input);
  const Case::Table solver = input.table("solver", "how it is solved");
  solver.error(ErrorKind::solver_options, "method", "'cg' needs a symmetric matrix", "contact is not symmetric",
               "use 'gmres'");
  EXPECT_THAT(error_of([&] { input.finish(); }, Exit::input),
              HasSubstr("'cg' needs a symmetric matrix, solver.method at case.toml:21:10"));
  EXPECT_EQ(solver.where("relative"), "solver.relative at case.toml:22:12");
  EXPECT_EQ(input.tables("boundary", "")[1].where(), "[[boundary]] #2 at case.toml:16");
}

TEST(Case, WhatHasNoPlaceIsOneErrorAndNothingInsideIsJudged) {
  Case input =
      Case::from_text("[[load_case]]\n[[load_case.material]]\nyuong = 1\n[[load_case.material]]\n", "case.toml");
  const Case::Table table = input.tables("load_case", "loads").at(0);
  table.refuse(ErrorKind::load_case, "material", "a load case cannot have its own [material]", "one matrix",
               "move it out");
  EXPECT_THAT(error_of([&] { input.finish(); }, Exit::input),
              AllOf(HasSubstr("own [material], load_case.0.material at case.toml:2"), Not(HasSubstr("yuong"))));
}

TEST(Case, TablesThatAreNotThereAreDescribedToo) {
  Case input = Case::from_text("[[load_case]]\nname = \"snow\"\n", "case.toml");
  const Case::Table table = input.tables("load_case", "loads").at(0);
  table.text("name", "of the load case");
  table.tables("pressure", "into the body");
  input.table("gravity", "weight");
  EXPECT_THAT(input.describe(),
              AllOf(HasSubstr("\n[[load_case]]  # loads"), HasSubstr("\n# [[load_case.pressure]]  # into the body"),
                    HasSubstr("\n# [gravity]  # weight"), Not(HasSubstr("# [[load_case]]"))));
}

TEST(Case, ResolvedCaseGivesTheSameAnswersWithDefaultsWrittenOut) {
  Case input = Case::from_text(sample, "dir/case.toml", {"solver.relative=1e-4"});
  ask(input);
  const std::string resolved = input.resolved();
  EXPECT_THAT(resolved,
              AllOf(HasSubstr("relative = 0.0001"), HasSubstr("[probe]\nradius = 0.25"), HasSubstr("[[boundary]]")));
  const Answers again = answers(resolved);
  EXPECT_EQ(again.relative, 1e-4);
  EXPECT_EQ(again.young, 210e9);
  EXPECT_THAT(texts_of(again.traction), ElementsAre("100*sin(x)", "0", "0"));
}

TEST(Case, KeysWhoseAbsenceSaysSomethingStayAbsentInTheResolvedCase) {
  Case input = Case::from_text("[plate]\nwidth = 2\n", "case.toml");
  const Case::Table plate = input.table("plate", "a plate");
  if (!plate.has("radius")) plate.number("height", "of it", {.fallback = 3});
  plate.number("radius", "instead of a height", {.fallback = 1});
  plate.number("width", "of it");
  const std::string resolved = input.resolved();
  EXPECT_THAT(resolved, AllOf(HasSubstr("height = 3.0"), HasSubstr("width = 2"), Not(HasSubstr("radius"))));
}

TEST(Case, ResolvedInAnotherFolderNamesTheSameFiles) {
  const auto resolved = [](const std::string& name, const std::string& folder) {
    Case input = Case::from_text(fmt::format("mesh = \"{}\"\n", name), "a/b/case.toml");
    input.root().path("mesh", "a file");
    return input.resolved(folder);
  };
  EXPECT_EQ(resolved("part.msh", ""), "mesh = \"part.msh\"\n");
  EXPECT_EQ(resolved("part.msh", "a/b"), "mesh = \"./part.msh\"\n");
  EXPECT_EQ(resolved("part.msh", "results/x"), "mesh = \"../../a/b/part.msh\"\n");
  EXPECT_EQ(resolved("../part.msh", "a/b/c"), "mesh = \"../../part.msh\"\n");
  EXPECT_EQ(resolved("/meshes/part.msh", "results/x"), "mesh = \"/meshes/part.msh\"\n");
}

TEST(Case, QuestionsDescribeTheSchema) {
  Case input = Case::from_text(sample, "case.toml");
  ask(input);
  const std::vector<CaseQuestion> questions = input.questions();
  const auto young = std::ranges::find(questions, "material[].young", &CaseQuestion::path);
  ASSERT_NE(young, questions.end());
  EXPECT_EQ(young->type, "number");
  EXPECT_EQ(young->about, "Young's modulus [Pa]");
  EXPECT_EQ(young->allowed, "above 0");
  EXPECT_EQ(young->fallback, "");
  EXPECT_THAT(input.describe(),
              AllOf(HasSubstr("[[material]]"),
                    HasSubstr("# relative = 1e-10  # tolerance of the residual [1]; number, above 0 and below 1")));
}

TEST(Case, NamedTablesKeepTheOrderOfTheFile) {
  Case input = Case::from_text("[table.zinc]\nx = 1\n[table.brass]\nx = 2\n", "case.toml");
  std::vector<std::string> names;
  for (const Case::Table& table : input.root().named_tables("table", "any")) {
    names.push_back(table.name());
    table.number("x", "a number [1]");
  }
  EXPECT_THAT(names, ElementsAre("zinc", "brass"));
  EXPECT_NO_THROW(input.finish());
}

TEST(Case, AskingTwiceGivesOneErrorPerMistakeOnly) {
  EXPECT_NO_THROW({
    Case input = Case::from_text("", "case.toml");
    input.root().number("x", "x [1]", {.fallback = 1.0});
    EXPECT_EQ(input.root().number("x", "x [1]", {.fallback = 1.0}), 1);
    input.finish();
  });
}

TEST(Case, FormulasDependOnTimeWhereTheAnalysisHasOne) {
  const Folder folder;
  const std::string path = folder.put("case.toml", R"toml(
value = "2*ramp(t)"
[[table]]
name = "ramp"
file = "ramp.csv"
interpolation = "linear"
)toml");
  folder.put("ramp.csv", "t, value\n0, 0\n10, 5\n");
  Case steady = Case::from_file(path), moving = Case::from_file(path);
  steady.read_tables();
  steady.root().formula("value", "[Pa]");
  EXPECT_THAT(error_of([&] { steady.finish(); }, Exit::input), AllOf(HasSubstr("no time"), HasSubstr("[time]")));
  moving.allow_time();
  moving.read_tables();
  const Formula value = moving.root().formula("value", "[Pa]");
  EXPECT_NO_THROW(moving.finish());
  ASSERT_TRUE(value.depends_on_time());
  std::vector<double> values(2);
  value.at(std::vector<double>(6), values, 4);
  EXPECT_THAT(values, ElementsAre(4, 4));
}

}  // namespace
}  // namespace ritz
