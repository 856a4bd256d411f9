#include "apps/run/option_tables.hpp"

#include "io/files/version.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <iterator>

namespace ritz {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

bool takes_a_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

// "CPS CPE CAX" of an option of the type "TEXT:{CPS,CPE,CAX}"; empty: any value will do.
std::string choices_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return "";
  std::string choices = type.substr(open + 1, close - open - 1);
  std::ranges::replace(choices, ',', ' ');
  return choices;
}

// Text of roff: hyphens that can be copied, backslashes, and no line that looks like a request.
std::string roff(const std::string& text) {
  std::string result;
  for (const char c : text) {
    const bool first = result.empty() || result.back() == '\n';
    if (first && (c == '.' || c == '\'')) result += "\\&";
    if (c == '\\') result += "\\e";
    else if (c == '-') result += "\\-";
    else result += c;
  }
  return result;
}

std::string option_in_roff(const CLI::Option& option) {
  std::vector<std::string> names = names_of(option);
  if (names.empty()) names = {option.get_name(true)};
  std::string line = fmt::format(".TP\n.B {}", roff(fmt::format("{}", fmt::join(names, ", "))));
  if (takes_a_value(option) && option.nonpositional()) {
    std::string values = choices_of(option);
    std::ranges::replace(values, ' ', '|');
    line += " " + roff(values.empty() ? option.get_type_name() : values);
  }
  line += "\n" + roff(option.get_description());
  if (!option.get_default_str().empty()) line += roff(fmt::format(" (default: {})", option.get_default_str()));
  return line + "\n";
}

std::string options_in_roff(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options()) text += option_in_roff(*option);
  return text;
}

std::string synopsis(const CLI::App& app, const std::string& name) {
  std::string text = name;
  if (std::ranges::any_of(app.get_options(), [](const CLI::Option* o) { return o->nonpositional(); }))
    text += " [OPTIONS]";
  for (const CLI::Option* option : app.get_options())
    if (!option->nonpositional()) text += " " + option->get_name(true);
  return commands_of(app).empty() ? text : text + " COMMAND ...";
}

// Commands without commands of their own, with the words before them.
void add_commands(const CLI::App& app, const std::string& name, std::string& text) {
  for (const CLI::App* command : commands_of(app)) {
    const std::string full = name + " " + command->get_name();
    if (commands_of(*command).empty())
      text += fmt::format(".SS {}\n{}\n{}", roff(synopsis(*command, full)), roff(command->get_description()),
                          options_in_roff(*command));
    add_commands(*command, full, text);
  }
}

// A branch of a case of bash for each command that a name begins: its words, options with a value as "--scale=".
void add_words(const CLI::App& app, const std::string& name, std::string& table, std::string& values) {
  std::vector<std::string> words;
  for (const CLI::App* command : commands_of(app)) words.push_back(command->get_name());
  for (const CLI::Option* option : app.get_options()) {
    const std::string choices = choices_of(*option);
    if (!option->nonpositional() && !choices.empty()) words.push_back(choices);
    for (const std::string& each : names_of(*option)) {
      words.push_back(takes_a_value(*option) ? each + "=" : each);
      if (!choices.empty()) values += fmt::format("    \"{} {}\") echo \"{}\" ;;\n", name, each, choices);
    }
  }
  table += fmt::format("    \"{}\") echo \"{}\" ;;\n", name, fmt::join(words, " "));
  for (const CLI::App* command : commands_of(app)) add_words(*command, name + " " + command->get_name(), table, values);
}

constexpr const char* completing = R"bash(
_ritz() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[0]##*/} i words values
  for ((i = 1; i < COMP_CWORD; ++i)); do
    if [ -n "$(_ritz_words "$command ${COMP_WORDS[i]}")" ]; then command="$command ${COMP_WORDS[i]}"; fi
  done
  case $command in
    "ritz run") words="$(_ritz_words "$command") $(_ritz_words ritz-)" ;;
    ritz-*) words=$(_ritz_words ritz-) ;;
    *) words=$(_ritz_words "$command") ;;
  esac
  if [[ " $words " == *" $before= "* ]]; then
    values=$(_ritz_values "$command $before")
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word"))
    else COMPREPLY=($(compgen -f -- "$word")); fi
  elif [[ $word == -* ]]; then COMPREPLY=($(compgen -W "${words//=/}" -- "$word"))
  else COMPREPLY=($(compgen -W "$(printf '%s\n' $words | grep -v '^-')" -- "$word") $(compgen -f -- "$word")); fi
}
)bash";

// Options of the program and of the command that was given, and the commands that may follow.
std::vector<std::string> known_words(const CLI::App& cli) {
  std::vector<std::string> words;
  for (const CLI::Option* option : cli.get_options()) std::ranges::copy(names_of(*option), std::back_inserter(words));
  for (const CLI::App* command : commands_of(cli)) words.push_back(command->get_name());
  for (const CLI::App* command : cli.get_subcommands())
    std::ranges::copy(known_words(*command), std::back_inserter(words));
  return words;
}

}  // namespace

Error command_line_error(const CLI::App& cli, const CLI::ParseError& error, const std::string& help) {
  const std::vector<std::string> unknown = cli.remaining(true);
  const auto code = static_cast<CLI::ExitCodes>(error.get_exit_code());
  const std::string words = error.what();
  if (const std::size_t at = words.find(": At Most 1 required but received "); at != std::string::npos)
    return {ErrorKind::command_line,
            fmt::format("{} was given more than once, on the command line", words.substr(0, at)),
            {},
            "give it once"};
  if (unknown.empty() || (code != CLI::ExitCodes::ExtrasError && code != CLI::ExitCodes::RequiredError))
    return {ErrorKind::command_line, fmt::format("{}, on the command line", words), {}, help};
  const std::string word = unknown.front().substr(0, unknown.front().find('='));
  const std::string near = nearest_match(word, known_words(cli));
  return {ErrorKind::command_line,
          fmt::format("unknown {} '{}', on the command line", word.starts_with("-") ? "option" : "argument", word),
          {},
          near.empty() ? help : fmt::format("did you mean '{}'?", near)};
}

std::string man_page(const CLI::App& cli) {
  const std::string& name = cli.get_name();
  std::string text = fmt::format(
      ".TH \"{}\" 1 \"\" \"Ritz {}\" \"Ritz\"\n.SH NAME\n{} \\- {}\n.SH SYNOPSIS\n.B {}\n.SH OPTIONS\n{}", name,
      ritz_version(), roff(name), roff(cli.get_description()), roff(synopsis(cli, name)), options_in_roff(cli));
  std::string commands;
  add_commands(cli, name, commands);
  if (!commands.empty()) text += ".SH COMMANDS\n" + commands;
  return text + ".SH EXAMPLES AND EXIT CODES\n.nf\n" + roff(cli.get_footer()) + "\n.fi\n";
}

void add_man_option(CLI::App& cli) {
  cli.add_flag_callback(
      "--man",
      [&cli] {
        const std::string page = man_page(cli);
        std::fwrite(page.data(), 1, page.size(), stdout);
        throw CLI::Success();
      },
      "print this as a page for man(1)");
}

std::string bash_completion(const CLI::App& tool, const CLI::App& program, const std::vector<std::string>& programs) {
  std::string table, values;
  add_words(tool, "ritz", table, values);
  add_words(program, "ritz-", table, values);
  return fmt::format(
      "# Completion for the programs of Ritz in bash; in zsh after bashcompinit.\n"
      "_ritz_words() {{\n  case \"$1\" in\n{}  esac\n}}\n\n_ritz_values() {{\n  case \"$1\" in\n{}  esac\n}}\n{}"
      "complete -o filenames -F _ritz ritz {}\n",
      table, values, completing, fmt::join(programs, " "));
}

}  // namespace ritz
