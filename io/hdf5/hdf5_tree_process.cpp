// A tree whose file a child process holds open: each question goes there, and its answer comes back.
#include "io/files/child_process.hpp"
#include "io/hdf5/hdf5_library.hpp"

namespace ritz {
namespace {

enum class Question : char { has, children, shape, reals, integers, characters, integer_attribute, text_attribute };

// In the child: answers until the other side hangs up.
void answer_questions(Channel& parent, const std::string& path) {
  std::unique_ptr<Hdf5Tree> tree;
  ChildProcess::respond(
      parent, [&] { return (tree = hdf5_library().open_tree(path)) != nullptr; },
      [](Channel& to, bool opened) { to.put(opened); });
  const auto put_text = [](Channel& to, const std::string& text) { to.put_text(text); };
  const auto put_texts = [](Channel& to, const std::vector<std::string>& texts) { to.put_texts(texts); };
  const auto put_numbers = [](Channel& to, const auto& numbers) { to.put_numbers(numbers); };
  while (tree) {
    const auto question = parent.get<Question>();
    const std::string object = parent.text(), name = parent.text();
    const auto respond = [&](const auto& compute, const auto& put) { ChildProcess::respond(parent, compute, put); };
    switch (question) {
      case Question::has:
        respond([&] { return tree->has(object); }, [](Channel& to, bool there) { to.put(there); });
        break;
      case Question::children: respond([&] { return tree->children(object); }, put_texts); break;
      case Question::shape: respond([&] { return tree->shape(object); }, put_numbers); break;
      case Question::reals: respond([&] { return tree->reals(object); }, put_numbers); break;
      case Question::integers: respond([&] { return tree->integers(object); }, put_numbers); break;
      case Question::characters: respond([&] { return tree->characters(object); }, put_text); break;
      case Question::integer_attribute:
        respond([&] { return tree->integer_attribute(object, name); },
                [](Channel& to, const std::optional<std::int64_t>& number) {
                  to.put(number.has_value());
                  to.put(number.value_or(0));
                });
        break;
      case Question::text_attribute: respond([&] { return tree->text_attribute(object, name); }, put_text); break;
    }
  }
}

class DistantTree final : public Hdf5Tree {
  template <class Take>
  auto ask(Question question, const std::string& object, const Take& take, const std::string& name = {}) const {
    Channel& child = child_.channel();
    return child_.answer(
        [&] {
          child.put(question);
          child.put_text(object);
          child.put_text(name);
          child.flush();
        },
        take);
  }

 public:
  explicit DistantTree(const std::string& path)
      : Hdf5Tree(path),
        child_({.file = path, .library = "HDF5"}, [&](Channel& parent) { answer_questions(parent, path); }) {
    child_.answer([](Channel& from) { return from.get<bool>(); });
  }
  bool has(const std::string& object) const override {
    return ask(Question::has, object, [](Channel& from) { return from.get<bool>(); });
  }
  std::vector<std::string> children(const std::string& group) const override {
    return ask(Question::children, group, [](Channel& from) { return from.texts(); });
  }
  std::vector<std::uint64_t> shape(const std::string& dataset) const override {
    return ask(Question::shape, dataset, [](Channel& from) { return from.numbers<std::uint64_t>(); });
  }
  std::vector<double> reals(const std::string& dataset) const override {
    return ask(Question::reals, dataset, [](Channel& from) { return from.numbers<double>(); });
  }
  std::vector<std::int64_t> integers(const std::string& dataset) const override {
    return ask(Question::integers, dataset, [](Channel& from) { return from.numbers<std::int64_t>(); });
  }
  std::string characters(const std::string& dataset) const override {
    return ask(Question::characters, dataset, [](Channel& from) { return from.text(); });
  }
  std::optional<std::int64_t> integer_attribute(const std::string& object, const std::string& name) const override {
    const auto take = [](Channel& from) {
      const bool there = from.get<bool>();
      const auto number = from.get<std::int64_t>();
      return there ? std::optional(number) : std::nullopt;
    };
    return ask(Question::integer_attribute, object, take, name);
  }
  std::string text_attribute(const std::string& object, const std::string& name) const override {
    return ask(
        Question::text_attribute, object, [](Channel& from) { return from.text(); }, name);
  }

 private:
  mutable ChildProcess child_;
};

}  // namespace

std::unique_ptr<Hdf5Tree> Hdf5Tree::open(const std::string& path) {
  hdf5_library();  // loaded here: another thread may hold the loader's lock when the child is forked
  return std::make_unique<DistantTree>(path);
}

}  // namespace ritz
