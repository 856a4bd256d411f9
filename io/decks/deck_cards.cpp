#include "io/decks/deck_cards.hpp"

#include "device/error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>

#include <fmt/format.h>

namespace ritz {
namespace {

std::string deck_word(std::string_view text) {
  const auto is_space = [](unsigned char c) { return std::isspace(c) != 0; };
  while (!text.empty() && is_space(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
  while (!text.empty() && is_space(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
  if (text.size() > 1 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
  return std::string(text);
}

std::string in_capitals(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t begin = 0;;) {
    const std::size_t comma = line.find(',', begin);
    fields.push_back(deck_word(line.substr(begin, comma - begin)));
    if (comma == std::string_view::npos) break;
    begin = comma + 1;
  }
  if (fields.size() > 1 && fields.back().empty()) fields.pop_back();
  return fields;
}

void add_parameters(DeckCard& card, std::vector<std::string> words) {
  for (const std::string& word : words) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    card.parameters[in_capitals(deck_word(std::string_view(word).substr(0, equals)))] =
        equals == std::string::npos ? "" : deck_word(std::string_view(word).substr(equals + 1));
  }
}

bool holds_mesh(const std::string& keyword) {
  static constexpr std::array words{"NODE", "ELEMENT", "NSET", "ELSET", "SURFACE", "HEADING"};
  return std::ranges::find(words, keyword) != words.end();
}

class CardReader {
 public:
  std::vector<DeckCard> read(const std::string& path, int depth) {
    if (depth > 50)
      throw Error(Exit::input, fmt::format("the deck {} includes itself", path), "", "remove that *INCLUDE");
    std::ifstream file(path);
    if (!file) throw Error(Exit::input, fmt::format("cannot read the deck '{}'", path), "", "check the name");
    int number = 0;
    for (std::string line; std::getline(file, line);) {
      ++number;
      take(path, number, line, depth);
    }
    return std::move(cards_);
  }

 private:
  void take(const std::string& path, int number, const std::string& line, int depth) {
    const std::string text = deck_word(line);
    if (text.empty() || text.starts_with("**")) return;
    if (!text.starts_with('*')) {
      if (continues_) continue_parameters(text);
      else if (!skips_) cards_.back().data.push_back(fields_of(text));
      return;
    }
    std::vector<std::string> words = fields_of(text.substr(1));
    DeckCard card{.keyword = in_capitals(words.front()), .parameters = {}, .data = {}, .file = path, .line = number};
    words.erase(words.begin());
    add_parameters(card, words);
    continues_ = text.ends_with(',');
    skips_ = holds_mesh(card.keyword);
    if (card.keyword == "INCLUDE") {
      include(path, card.parameter("INPUT"), depth);
      skips_ = true;
      return;
    }
    cards_.push_back(std::move(card));
  }

  void continue_parameters(const std::string& text) {
    add_parameters(cards_.back(), fields_of(text));
    continues_ = text.ends_with(',');
  }

  void include(const std::string& from, const std::string& name, int depth) {
    const std::filesystem::path beside = std::filesystem::path(from).parent_path() / name;
    CardReader inner;
    for (DeckCard& card : inner.read(beside.string(), depth + 1)) cards_.push_back(std::move(card));
  }

  std::vector<DeckCard> cards_;
  bool skips_ = true, continues_ = false;
};

}  // namespace

std::string DeckCard::parameter(const std::string& name) const {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : found->second;
}

std::string DeckCard::text(std::size_t row, std::size_t field) const {
  return row < data.size() && field < data[row].size() ? data[row][field] : "";
}

double DeckCard::number(std::size_t row, std::size_t field) const {
  std::string word = text(row, field);
  if (word.empty()) return 0;
  std::ranges::replace_if(
      word, [](char c) { return c == 'd' || c == 'D'; }, 'e');  // Fortran's exponent
  char* end = nullptr;
  const double value = std::strtod(word.c_str(), &end);
  if (*end != '\0')
    throw Error(Exit::input, fmt::format("'{}' of *{} is no number, {}:{}", word, keyword, file, line), "",
                "correct the deck");
  return value;
}

std::vector<DeckCard> read_cards(const std::string& path) { return CardReader().read(path, 0); }

}  // namespace ritz
