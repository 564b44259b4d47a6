#include "report/names.h"

#include <charconv>
#include <string_view>
#include <utility>

#include "program/program.h"

namespace racecast::report {

namespace {

// The number behind the last ':' of a text, which is cut off; 0: there is none.
std::uint32_t cut_number(std::string_view& text) {
  std::uint32_t number = 0;
  const std::size_t colon = text.rfind(':');
  if (colon == text.npos) return 0;
  std::from_chars(text.data() + colon + 1, text.data() + text.size(), number);
  text = text.substr(0, colon);
  return number;
}

// "g, called from f (a.c:12:3), ..., called from main (a.c:30:1)": the functions, and where each calls.
std::vector<Frame> frames_of(const trace::Location& location) {
  constexpr std::string_view kCalledFrom = ", called from ", kCut = ", ...";
  std::vector<Frame> frames;
  std::string_view chain = location.inlined;
  if (chain.empty()) return frames;
  std::size_t end = chain.find(kCalledFrom);
  frames.push_back({std::string(chain.substr(0, end)), location.file, location.line, location.column});
  while (end != chain.npos) {
    chain.remove_prefix(end + kCalledFrom.size());
    end = chain.find(kCalledFrom);
    std::string_view call = chain.substr(0, end);
    const bool cut = call.ends_with(kCut);
    if (cut) call.remove_suffix(kCut.size());
    if (call.ends_with(')')) call.remove_suffix(1);
    Frame& frame = frames.emplace_back();
    frame.column = cut_number(call);
    frame.line = cut_number(call);
    const std::size_t open = call.rfind(" (");
    frame.function = call.substr(0, open);
    if (open != call.npos) frame.file = call.substr(open + 2);
    if (cut) frames.push_back({"...", {}, 0, 0});
  }
  return frames;
}

}  // namespace

Names::Names(const trace::Definitions& definitions, SourceLine source_line)
    : definitions_(definitions), source_line_(std::move(source_line)), addresses_(definitions) {
  if (definitions.program == nullptr || definitions.program->origin == program::Origin::Litmus) return;
  for (const program::Function& function : definitions.program->functions)
    if (!function.blocks.empty()) entries_.insert(index(function.blocks[0].instructions[0].id));
}

std::string Names::string(std::uint64_t id) const {
  return id < definitions_.strings.size() ? definitions_.strings[id] : std::string();
}

Place Names::place(LocationId location) const {
  Place place;
  place.name = name_of_location(definitions_, location);
  if (index(location) >= definitions_.locations.size()) return place;
  const trace::Location& l = definitions_.locations[index(location)];
  place.file = l.file;
  place.line = l.line;
  place.column = l.column;
  place.function = l.function;
  place.label = l.label;
  place.inlined = frames_of(l);
  return place;
}

Place Names::place_with_excerpt(LocationId location) const {
  Place made = place(location);
  made.excerpt = excerpt(location);
  return made;
}

std::string Names::excerpt(LocationId location) const {
  if (definitions_.program == nullptr || index(location) >= definitions_.locations.size()) return {};
  std::string_view text = definitions_.program->source;
  const trace::Location& place = definitions_.locations[index(location)];
  std::uint32_t line = place.line;
  if (line == 0) return {};
  std::string own;
  if (text.empty()) {
    if (source_line_) own = source_line_(place.file, line);
    text = own;
  } else {
    while (--line > 0) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) return {};
      text.remove_prefix(end + 1);
    }
  }
  text = text.substr(0, text.find('\n'));
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(" \t\r") + 1 - first));
}

}  // namespace racecast::report
