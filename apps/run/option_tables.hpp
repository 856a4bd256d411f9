// Completion in shells and pages for man(1), from the table of the options of a program.
//
//   add_man_option(cli);                              // ritz-heat --man | man -l -
//   bash_completion(tool, program, {"ritz-heat"});    // eval "$(ritz completion bash)"
#pragma once

#include "device/error.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace ritz {

// A manual page in roff: name, synopsis, options, commands with their options, and the footer of --help.
std::string man_page(const CLI::App& cli);

// The options and arguments of a command line that are not known, with the nearest ones that are; all else in the words
// of CLI11. help: the remedy where none is near.
Error command_line_error(const CLI::App& cli, const CLI::ParseError& error, const std::string& help);

// --man prints the page and ends the program.
void add_man_option(CLI::App& cli);

// A script for bash. `tool`: the program `ritz` with its commands, of which "run" takes the options of `program`, too;
// `programs`: names of programs with these options.
std::string bash_completion(const CLI::App& tool, const CLI::App& program, const std::vector<std::string>& programs);

}  // namespace ritz
