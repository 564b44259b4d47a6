#include "report/names.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "base/printable.h"
#include "program/library_file.h"
#include "report/short_names.h"

namespace racecast::report {

namespace {

constexpr std::size_t kMaxFrames = 4096;  // looked at
constexpr std::size_t kMaxCalls = 64;  // told of a chain of inlined calls; of more, the outer half and the inner half

std::string name_of_place(const std::string& file, std::uint32_t line, std::uint32_t column) {
  if (line == 0) return file;
  return column == 0 ? fmt::format("{}:{}", file, line) : fmt::format("{}:{}:{}", file, line, column);
}

void cut_middle(std::vector<Frame>& frames) {
  if (frames.size() <= kMaxCalls + 1) return;
  const auto inner = frames.begin() + 1 + kMaxCalls / 2, outer = frames.end() - kMaxCalls / 2;
  Frame cut;
  cut.name = cut.function = "...";
  frames.insert(frames.erase(inner, outer), std::move(cut));
}

}  // namespace

Names::Names(const trace::Definitions& definitions, SourceLine source_line, std::string folder)
    : definitions_(definitions),
      source_line_(std::move(source_line)),
      folder_(std::move(folder)),
      addresses_(definitions) {
  if (definitions.program == nullptr) return;
  instructions_.emplace(*definitions.program);
  if (definitions.program->origin == program::Origin::Litmus) return;
  for (const program::Function& function : definitions.program->functions)
    if (!function.blocks.empty()) entries_.insert(index(function.blocks[0].instructions[0].id));
}

std::string Names::string(std::uint64_t id) const {
  return id < definitions_.strings.size() ? definitions_.strings[id] : std::string();
}

const program::Instruction* Names::instruction(LocationId location) const {
  if (!instructions_ || index(location) >= instructions_->size()) return nullptr;
  return (*instructions_)[static_cast<InstrId>(index(location))].instruction;
}

Frame Names::frame(std::string function, const std::string& file, std::uint32_t line, std::uint32_t column) const {
  Frame made;
  made.name = name_of_place(printable(seen_from(folder_, file)), line, column);
  made.function = std::move(function);
  made.file = file;
  made.line = line;
  made.column = column;
  made.library = program::is_library_file(file);
  return made;
}

// What one sees in the source there: the place itself and the calls that were inlined, innermost first. One frame where
// nothing was inlined.
std::vector<Frame> Names::frames_at(LocationId location) const {
  if (index(location) >= definitions_.locations.size()) return {};
  const trace::Location& l = definitions_.locations[index(location)];
  const program::Instruction* there = instruction(location);
  if (there == nullptr || there->position.inlined == program::kNoFrame)
    return {frame(l.function, l.file, l.line, l.column)};
  const program::Program& program = *definitions_.program;
  std::vector<Frame> frames;
  for (program::Position at = there->position; at.inlined != program::kNoFrame && frames.size() < kMaxFrames;) {
    const program::InlinedFrame& inlined = program.frames[index(at.inlined)];
    frames.push_back(frame(program.text(inlined.function), program.text(at.file), at.line, at.column));
    at = inlined.called;
  }
  return frames;
}

Place Names::place(LocationId location) const {
  Place place;
  place.name = name_of_location(definitions_, location);
  if (index(location) >= definitions_.locations.size()) return place;
  const trace::Location& l = definitions_.locations[index(location)];
  if (!l.file.empty()) place.name = name_of_place(printable(seen_from(folder_, l.file)), l.line, l.column);
  place.file = l.file;
  place.line = l.line;
  place.column = l.column;
  place.function = l.function;
  place.label = l.label;
  place.library = program::is_library_file(l.file);
  place.inlined = frames_at(location);
  if (place.inlined.size() == 1) {
    const program::Instruction* there = instruction(location);
    if (there == nullptr || there->position.inlined == program::kNoFrame) place.inlined.clear();
  }
  cut_middle(place.inlined);
  return place;
}

Place Names::place_with_excerpt(LocationId location) const {
  Place made = place(location);
  made.excerpt = excerpt(made.file, made.line);
  return made;
}

UserPlace Names::user_place(LocationId location, const std::vector<LocationId>& call_sites) const {
  UserPlace made;
  bool first = true;
  // Of several library frames the outermost is what the user called.
  const auto look_at = [&](LocationId at) {
    for (Frame& frame : frames_at(at)) {
      if (!frame.library) {
        made.frame = std::move(frame);
        return true;
      }
      made.inside = frame.function;
      if (std::exchange(first, false)) made.frame = std::move(frame);
    }
    return false;
  };
  bool found = look_at(location);
  for (std::size_t i = 0; !found && i < call_sites.size(); ++i) {
    if (is_call_site(call_sites[i])) found = look_at(call_sites[i]);
  }
  if (!found) made.inside.clear();
  if (made.frame.name.empty()) made.frame.name = name_of_location(definitions_, location);
  made.excerpt = excerpt(made.frame.file, made.frame.line);
  return made;
}

std::vector<Caller> Names::callers(const std::vector<LocationId>& call_sites) const {
  std::vector<Caller> made;
  made.reserve(call_sites.size());
  for (const LocationId site : call_sites) made.push_back({place(site), is_call_site(site)});
  return made;
}

Occasion Names::occasion(const SeenOccasion& seen) const {
  return {thread(seen.thread), place(seen.location), user_place(seen.location, seen.call_sites),
          callers(seen.call_sites)};
}

std::string Names::excerpt(const std::string& file, std::uint32_t line) const {
  if (definitions_.program == nullptr || line == 0) return {};
  std::string_view text = definitions_.program->source;
  std::string own;
  if (text.empty()) {
    if (source_line_) own = source_line_(file, line);
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
