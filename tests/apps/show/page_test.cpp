#include "apps/show/html_text.hpp"
#include "apps/show/page.hpp"
#include "io/results/report.hpp"
#include "mesh/generators.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <nlohmann/json.hpp>

namespace ritz {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Pair;

std::string decoded(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count >= 8) bytes += static_cast<char>(bits >> (count -= 8) & 255u);
  }
  return bytes;
}

template <class Number>
std::vector<Number> numbers_of(const nlohmann::json& text) {
  const std::string bytes = decoded(text.get<std::string>());
  std::vector<Number> numbers(bytes.size() / sizeof(Number));
  std::memcpy(numbers.data(), bytes.data(), bytes.size());
  return numbers;
}

TEST(Html, Base64OfEveryLength) {
  EXPECT_EQ(base64("Many", 4), "TWFueQ==");
  EXPECT_EQ(base64("Man", 3), "TWFu");
  EXPECT_EQ(base64("Ma", 2), "TWE=");
  EXPECT_EQ(base64("", 0), "");
}

TEST(Html, TextsAreEscaped) {
  EXPECT_EQ(html_table({}, {{"<b> & \"c\""}}),
            "<table><tbody><tr><td>&lt;b&gt; &amp; &quot;c&quot;</td></tr></tbody></table>\n");
}

TEST(Curves, EveryPointIsOnItsCurve) {
  const std::string linear =
      curves_figure({{"a", {5, 6, 7}, {0, 10, 20}}, {"b", {5, 7}, {20, 20}}}, {.x = "t", .y = "T"});
  EXPECT_THAT(linear, HasSubstr("points=\"80.0,215.0 310.0,115.0 540.0,15.0\""));
  EXPECT_THAT(linear, HasSubstr("points=\"80.0,15.0 540.0,15.0\""));
  for (const char* mark : {">5<", ">7<", ">0<", ">20<", ">a<", ">b<", ">t<", ">T<"})
    EXPECT_THAT(linear, HasSubstr(mark));
  const std::string powers = curves_figure({{"r", {1, 2, 3, 4}, {1, 0.1, 0, 0.01}}}, {.logarithmic = true});
  EXPECT_THAT(powers, HasSubstr("points=\"80.0,15.0 233.3,115.0 540.0,215.0\""));  // without the zero
  EXPECT_THAT(powers, HasSubstr(">1e-2<"));
  const std::string marked = curves_figure({{"data", {}, {}, "", {{1, 2}, {3, 4}}}}, {});
  EXPECT_THAT(marked, HasSubstr("<circle cx=\"80.0\" cy=\"215.0\""));
  EXPECT_THAT(marked, HasSubstr("<circle cx=\"540.0\" cy=\"15.0\""));
  EXPECT_EQ(curves_figure({{"one", {1}, {1}}}, {}), "");
  EXPECT_EQ(curves_figure({{"zeros", {1, 2, 3}, {0, 0, 1}}}, {.logarithmic = true}), "");
}

TEST(Curves, APictureHasThePngOfItsSize) {
  const std::string picture = curves_png({{"a", {0, 1}, {0, 1}}}, {.x = "t", .y = "T"});
  EXPECT_EQ(picture.substr(1, 3), "PNG");
  EXPECT_EQ(picture.substr(16, 8), std::string("\0\0\3\xe8\0\0\2\xbc", 8));  // 1000 by 700
}

TEST(Html, TablesOfACase) {
  EXPECT_THAT(
      tables_of("# a comment\ntitle = \"t\"\n\n[mesh]\nfile = \"a\"\n[[material]]\nyoung = 1\npoisson = 0\n[empty]\n"),
      ElementsAre(Pair("", ElementsAre("title = \"t\"")), Pair("mesh", ElementsAre("file = \"a\"")),
                  Pair("material", ElementsAre("young = 1", "poisson = 0"))));
}

// A box whose field is x + 10, with a name that would end a script.
struct Ran {
  Mesh mesh = box(2, 1, 1, {2, 1, 1}, CellKind::hex8);
  Shown shown{mesh};
  RunReport report;
  Ran() {
    Field x{"</script><b>", 1, {}};
    for (Node node = 0; node < mesh.node_count(); ++node) x.values.push_back(mesh.point(node)[0] + 10);
    const std::array nodal{x};
    const std::array cells{Field{"part", 1, {0, 1}}};
    shown.add("", nodal, cells);
    report.case_file = "a/part.toml";
    report.solves.push_back({.method = "cg", .iterations = 2, .reason = "converged", .last_residuals = {1, 1e-9}});
    report.probes = {{"tip", {1.25}}};
    report.probe_units = {{"tip", "m"}};
    report.notices = {"a notice"};
    report.complete();
  }
};

TEST(Page, HoldsTheSurfaceAndItsFields) {
  const Ran ran;
  const std::string page = html_of({.report = to_json(ran.report), .resolved = "", .shown = &ran.shown});
  const std::string start = "id=\"body\">";
  const std::size_t from = page.find(start) + start.size();
  const auto body = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  const auto points = numbers_of<float>(body.at("points"));
  EXPECT_EQ(points.size(), 3u * 12u);
  EXPECT_EQ(numbers_of<std::uint32_t>(body.at("triangles")).size(), 3u * 20u);
  const auto fields = body.at("steps").at(0).at("fields");
  EXPECT_EQ(fields.at(0).at("name"), "</script><b>");
  const auto values = numbers_of<float>(fields.at(0).at("values"));
  for (std::size_t node = 0; node < values.size(); ++node)
    EXPECT_EQ(values[node], points[3 * node] + 11);  // from the middle
  EXPECT_THAT(numbers_of<float>(fields.at(1).at("values")), ElementsAre(0, 1));
}

TEST(Page, SaysWhatTheReportSaysAndNeedsNoOtherFile) {
  const Ran ran;
  const std::string page =
      html_of({.report = to_json(ran.report), .resolved = "[[material]]\nyoung = 7\n", .shown = &ran.shown});
  EXPECT_THAT(page, HasSubstr("<td>tip</td><td>1.25</td><td>m</td>"));
  EXPECT_THAT(page, HasSubstr("<h2>Materials</h2>"));
  EXPECT_THAT(page, HasSubstr("young = 7"));
  EXPECT_THAT(page, HasSubstr("<li>a notice</li>"));
  EXPECT_THAT(page, HasSubstr("data:image/png;base64,"));
  EXPECT_THAT(page, Not(HasSubstr("href=")));
  EXPECT_THAT(page, Not(HasSubstr("src=\"http")));
}

TEST(Page, HasARowForEachModeAndCurvesOfProbes) {
  RunReport report = Ran().report;
  report.facts = {{"frequencies_hz", "10 20.5"}, {"participation_x", "1 -3"}, {"total_mass", "7"}};
  const std::string page =
      html_of({.report = to_json(report),
               .resolved = "",
               .figures = {{"", "time [s]", {{"tip", {0, 1, 2}, {0, 3, 1}, "m"}, {"heat", {0, 1}, {0, 1}}}}}});
  EXPECT_THAT(page, HasSubstr("<th>mode</th><th>frequencies_hz</th><th>participation_x</th>"));
  EXPECT_THAT(page, HasSubstr("<tr><td>2</td><td>20.5</td><td>-3</td></tr>"));
  EXPECT_THAT(page, HasSubstr("<td>total_mass</td><td>7</td>"));
  EXPECT_THAT(page, Not(HasSubstr("10 20.5")));
  EXPECT_THAT(page, HasSubstr("<figcaption>tip [m]</figcaption>"));
  EXPECT_THAT(page, HasSubstr("<figcaption>heat</figcaption>"));
}

TEST(Page, ShowsValuesOfEveryKindOfJson) {
  auto report = nlohmann::ordered_json::parse(to_json(Ran().report));
  report["facts"] = {{"found", true}, {"missed", false}, {"none", nullptr}, {"list", {1, 2.5}}};
  const std::string page = html_of({.report = report.dump(), .resolved = ""});
  for (const char* row : {"<td>found</td><td>yes</td>", "<td>missed</td><td>no</td>", "<td>none</td><td>not known</td>",
                          "<td>list</td><td>1 2.5</td>"})
    EXPECT_THAT(page, HasSubstr(row));
}

TEST(Page, AFailedRunShowsItsErrorsWithoutAView) {
  RunReport report;
  report.case_file = "part.toml";
  report.fail(Error(ErrorKind::other_model, "the body can move", "nothing holds it", "add [[displacement]]"));
  const std::string page = html_of({.report = to_json(report), .resolved = ""});
  EXPECT_THAT(page, HasSubstr("<li>the body can move; nothing holds it; add [[displacement]]</li>"));
  EXPECT_THAT(page, Not(HasSubstr("<figure")));
}

}  // namespace
}  // namespace ritz
