#include "apps/show/page.hpp"

#include "apps/show/body_data.hpp"
#include "apps/show/curves.hpp"
#include "apps/show/html_text.hpp"
#include "apps/show/page_texts.hpp"
#include "apps/show/picture.hpp"
#include "apps/show/units.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/utsname.h>

namespace ritz {
namespace {

using Json = nlohmann::ordered_json;
using Rows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_triangles = 300'000;  // of the view that turns; with more a page takes seconds to open

// Tables of a case by what they say; the rest are settings.
struct Chapter {
  const char* title;
  std::vector<std::string> tables;
};
const std::vector<Chapter>& chapters() {
  static const std::vector<Chapter> list = {
      {"Materials", {"material", "section", "orientation", "capacity", "inertia", "table", "field"}},
      {"Loads",
       {"gravity", "rotation", "force", "pressure", "traction", "body_force", "line_load", "surface_load", "thermal",
        "source", "flux", "power", "convection", "radiation", "load", "boundary", "mass", "load_case", "combination"}},
      {"Supports and relations",
       {"displacement", "temperature", "support", "prescribe", "foundation", "spring", "coupling", "equation",
        "periodic", "rigid", "tie"}}};
  return list;
}

std::string text_of(const Json& value) {
  if (value.is_null()) return "not known";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_integer()) return std::to_string(value.get<std::int64_t>());
  if (value.is_number()) return fmt::format("{:.6g}", value.get<double>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  std::string text;
  for (const Json& each : value) {
    if (!text.empty()) text += ' ';
    text += text_of(each);
  }
  return text;
}

std::string given(const std::string& resolved) {
  const auto tables = tables_of(resolved);
  const auto rows_of = [&](const auto& belongs) {
    Rows rows;
    for (const auto& [name, lines] : tables)
      if (belongs(name)) rows.push_back({name.empty() ? "case" : name, fmt::format("{}", fmt::join(lines, "; "))});
    return rows;
  };
  const auto is_of = [](const std::string& name, const Chapter& chapter) {
    return std::ranges::find(chapter.tables, name.substr(0, name.find('.'))) != chapter.tables.end();
  };
  std::string text;
  const auto add = [&](const char* title, const Rows& rows) {
    if (!rows.empty()) text += html_chapter(title) + html_table({"table", "values"}, rows);
  };
  for (const Chapter& chapter : chapters())
    add(chapter.title, rows_of([&](const std::string& name) { return is_of(name, chapter); }));
  add("Settings", rows_of([&](const std::string& name) {
        return std::ranges::none_of(chapters(), [&](const Chapter& chapter) { return is_of(name, chapter); });
      }));
  return text;
}

// The words of a list of numbers; empty: it is none.
std::vector<std::string> numbers_in(const std::string& text) {
  std::istringstream from(text);
  std::vector<std::string> words;
  for (std::string word; from >> word;) {
    char* end = nullptr;
    const double number = std::strtod(word.c_str(), &end);
    if (*end != '\0') return {};
    words.push_back(fmt::format("{:.6g}", number));
  }
  return words;
}

// Facts of every mode, such as its frequency and its participation: a row for each mode.
std::string modes_table(const Json& facts) {
  if (!facts.contains("frequencies_hz")) return "";
  std::vector<std::string> head{"mode", "frequencies_hz"};
  Rows rows;
  for (const std::string& each : numbers_in(facts.at("frequencies_hz").get<std::string>()))
    rows.push_back({std::to_string(rows.size() + 1), each});
  for (const auto& [name, value] : facts.items()) {
    const std::vector<std::string> numbers = numbers_in(text_of(value));
    if (name == head[1] || numbers.size() != rows.size()) continue;
    head.push_back(name);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(numbers[i]);
  }
  return rows.size() < 2 ? "" : html_chapter("Modes") + html_table(head, rows);
}

std::string results(const Json& report) {
  Rows probes, facts;
  const std::string modes = modes_table(report.at("facts"));
  const auto add = [&](const std::string& part, const Json& from) {
    for (const auto& [name, value] : from.at("probes").items())
      probes.push_back({part, name, text_of(value), report.at("probe_units").value(name, "")});
    for (const auto& [name, value] : from.at("facts").items())
      if (modes.empty() || numbers_in(text_of(value)).size() < 2) facts.push_back({part, name, text_of(value)});
  };
  add("", report);
  for (const char* list : {"load_cases", "combinations", "steps"})
    for (const auto& [name, part] : report.at(list).items()) add(name, part);
  std::string text = modes;
  if (!probes.empty())
    text += html_chapter("Results") + html_table({"load case or step", "probe", "value", "unit"}, probes);
  if (!facts.empty())
    text += html_chapter("Balance and facts") + html_table({"load case or step", "what", "value"}, facts);
  return text;
}

// A figure for each unit.
std::string figures_of(const PageFigure& figure) {
  std::map<std::string, std::vector<Curve>> by_unit;
  for (const Curve& each : figure.curves) by_unit[each.unit].push_back(each);
  std::string text;
  for (const auto& [unit, curves] : by_unit) {
    std::vector<std::string> names;
    for (const Curve& each : curves) names.push_back(each.name);
    text += curves_figure(
        curves, {.x = figure.over,
                 .y = fmt::format("{}{}", fmt::join(names, ", "), unit.empty() ? "" : fmt::format(" [{}]", unit))});
  }
  if (figure.table.size() > 1) text += html_table(figure.table.front(), {figure.table.begin() + 1, figure.table.end()});
  return text.empty() || figure.title.empty() ? text : html_chapter(figure.title) + text;
}

std::string figures_of(const Page& page) {
  std::string text;
  for (const PageFigure& each : page.figures) text += figures_of(each);
  return text;
}

std::string convergence(const Json& report) {
  Rows rows;
  const Json* last = nullptr;
  const auto add = [&](const std::string& name, const Json& solve) {
    const std::string with = solve.at("preconditioner").get<std::string>();
    rows.push_back({name, text_of(solve.at("method")) + (with.empty() ? "" : " with " + with),
                    text_of(solve.at("iterations")), text_of(solve.at("reason")),
                    text_of(solve.at("true_relative_residual")), text_of(solve.at("fallbacks"))});
    last = &solve;
  };
  for (const Json& solve : report.at("solves")) add(std::to_string(rows.size() + 1), solve);
  if (rows.empty())
    for (const auto& [name, part] : report.at("load_cases").items()) add(name, part.at("solver"));
  if (last == nullptr) return "";
  Curve residuals;
  auto iteration = last->at("iterations").get<double>() - double(last->at("last_residuals").size());
  for (const Json& each : last->at("last_residuals")) {
    residuals.x.push_back(++iteration);
    residuals.y.push_back(each.is_number() ? each.get<double>() : 0);
  }
  const std::string choice = text_of(last->at("choice"));
  return html_chapter("Convergence") +
         html_table({"solve", "method", "iterations", "ended", "residual", "fell back"}, rows) +
         curves_figure({residuals},
                       {.x = "iteration of the linear solver", .y = "Relative residual", .logarithmic = true}) +
         (choice.empty() ? "" : fmt::format("<p>{}</p>\n", escaped(choice)));
}

std::string figure(const Page& page, const Units& units, const std::string& label) {
  if (page.shown == nullptr || page.shown->steps().empty()) return "";
  const Shown& shown = *page.shown;
  const ShownStep& step = shown.steps().back();
  if (step.fields.empty()) return "";
  const std::string unit = units.of_field(shade_of(step, page.look).field),
                    png = png_of(shown, step, page.look, label, unit.empty() ? "" : unit.substr(1));
  const bool turns = shown.surface().triangles.size() <= most_triangles;
  std::string caption;
  if (!turns)
    caption = fmt::format("The surface has {} triangles: beyond {} there is no view that can be turned.",
                          shown.surface().triangles.size(), most_triangles);
  if (shown.left_out() > 0)
    caption += fmt::format(" {} load cases are left out of the view: together they are too large.", shown.left_out());
  std::string text = fmt::format("<figure id=\"view\"><img alt=\"{}\" src=\"data:image/png;base64,{}\"/>",
                                 escaped(shade_of(step, page.look).name), base64(png.data(), png.size()));
  if (!caption.empty()) text += fmt::format("<figcaption>{}</figcaption>", escaped(caption));
  text += "</figure>\n";
  if (turns)
    text += fmt::format("<script type=\"application/json\" id=\"body\">{}</script>\n<script>{}</script>\n",
                        body_data(shown, page.look), viewer_script);
  return text;
}

std::string list_of(const char* title, const std::vector<std::string>& texts) {
  std::string text = fmt::format("<h2 class=\"bad\">{}</h2>\n<ul>", title);
  for (const std::string& each : texts) text += fmt::format("<li>{}</li>", escaped(each));
  return text + "</ul>\n";
}

std::string errors_and_notices(const Json& report) {
  std::string text;
  std::vector<std::string> errors, notices;
  for (const Json& each : report.at("errors")) {
    std::string error = text_of(each.at("what"));
    for (const char* part : {"why", "fix"})
      if (const std::string more = text_of(each.at(part)); !more.empty()) error += "; " + more;
    errors.push_back(error);
  }
  for (const Json& each : report.at("notices")) notices.push_back(text_of(each));
  if (!errors.empty()) text += list_of("Errors", errors);
  return text + (notices.empty() ? html_chapter("Notices") + "<p>none</p>\n" : list_of("Notices", notices));
}

Rows versions_of(const Json& report, const Page& page) {
  Rows versions = {{"Ritz", text_of(report.at("version"))}};
  for (const auto& [name, version] : page.versions) versions.push_back({name, version});
  utsname system{};
  if (uname(&system) == 0)
    versions.push_back({"system", fmt::format("{} {} {}", system.sysname, system.release, system.machine)});
  return versions;
}

}  // namespace

std::vector<std::pair<std::string, std::vector<std::string>>> tables_of(const std::string& resolved) {
  std::vector<std::pair<std::string, std::vector<std::string>>> tables{{"", {}}};
  for (std::size_t start = 0; start < resolved.size();) {
    const std::size_t end = std::min(resolved.find('\n', start), resolved.size());
    const std::string line = resolved.substr(start, end - start);
    start = end + 1;
    if (line.starts_with('[')) {
      const std::size_t first = line.find_first_not_of('['), last = line.find_last_not_of(']');
      if (first <= last && last != std::string::npos)
        tables.emplace_back(line.substr(first, last - first + 1), std::vector<std::string>());
    } else if (!line.empty() && !line.starts_with('#')) {
      tables.back().second.push_back(line);
    }
  }
  std::erase_if(tables, [](const auto& table) { return table.second.empty(); });
  return tables;
}

std::string html_of(const Page& page) {
  const Json report = Json::parse(page.report);
  const std::string name = std::filesystem::path(text_of(report.at("case"))).filename().string();
  const Rows summary = {
      {"program", text_of(report.at("program")) + " " + text_of(report.at("version"))},
      {"status", text_of(report.at("status"))},
      {"case", text_of(report.at("case"))},
      {"mesh", text_of(report.at("mesh"))},
      {"cells, nodes, unknowns", fmt::format("{}, {}, {}", text_of(report.at("cells")), text_of(report.at("nodes")),
                                             text_of(report.at("unknowns")))},
      {"device", text_of(report.at("device"))}};
  Rows phases;
  for (const auto& [phase, of] : report.at("phases").items())
    phases.push_back({phase, fmt::format("{:.3g}", of.at("seconds").is_number() ? of.at("seconds").get<double>() : 0)});
  return fmt::format(
             "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
             "charset=\"utf-8\"/><title>{}</title><style>{}</style></head>"
             "<body>\n<h1>{}</h1>\n",
             escaped(name), page_style, escaped(name)) +
         html_table({}, summary) +
         figure(page, Units(text_of(report.at("program")), unit_system_named(report.value("units", "SI"))),
                std::filesystem::path(name).stem().string()) +
         results(report) + figures_of(page) + convergence(report) + errors_and_notices(report) + given(page.resolved) +
         html_chapter("Time") + html_table({"phase", "seconds"}, phases) + html_chapter("Versions") +
         html_table({}, versions_of(report, page)) + "</body></html>\n";
}

}  // namespace ritz
