#include "apps/run/trace.hpp"

#include "io/files/atomic_file.hpp"

#include <fmt/format.h>

namespace ritz {

std::string text_of_trace(const Profile& profile, double start) {
  std::string text = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n";
  const char* form =
      "{{\"name\": \"{}\", \"cat\": \"phase\", \"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": {:.1f}, \"dur\": {:.1f}, "
      "\"args\": {{\"phase\": \"{}\"}}}},\n";
  text += fmt::format(fmt::runtime(form), "start", 0.0, 1e6 * start, "start");
  for (const PhaseEvent& event : profile.events()) {
    const std::string& name = profile.phases()[event.record].name;  // names of phases are ours: nothing to escape
    const std::size_t last = name.rfind('/');
    text += fmt::format(fmt::runtime(form), last == std::string::npos ? name : name.substr(last + 1),
                        1e6 * (start + event.start), 1e6 * event.seconds, name);
    text += fmt::format(
        "{{\"name\": \"device memory\", \"ph\": \"C\", \"pid\": 1, \"ts\": {:.1f}, \"args\": {{\"bytes\": {}}}}},\n",
        1e6 * (start + event.start + event.seconds), event.live);
  }
  text += "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": \"ritz\"}}\n]}\n";
  return text;
}

void write_trace(const std::string& path, const Profile& profile, double start) {
  write_named_file(path, text_of_trace(profile, start));
}

}  // namespace ritz
