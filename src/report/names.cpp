#include "report/names.h"

#include <string_view>
#include <utility>

namespace racecast::report {

namespace {

constexpr std::size_t kMaxCalls = 8;  // told of a chain of inlined calls; of more, the outer half and the inner half

// Of a caller the name of its file will do: headers of libraries have long paths.
std::string without_folders(const std::string& file) {
  return file.starts_with('/') ? file.substr(file.rfind('/') + 1) : file;
}

// What one sees in the source at an instruction: itself and the calls that were inlined, or nothing.
std::vector<Frame> frames_of(const program::Program& program, const program::Position& position) {
  std::vector<Frame> frames;
  for (program::Position at = position; at.inlined != program::kNoFrame;) {
    const program::InlinedFrame& frame = program.frames[index(at.inlined)];
    const std::string& file = program.text(at.file);
    frames.push_back({program.text(frame.function), frames.empty() ? file : without_folders(file), at.line, at.column});
    at = frame.called;
  }
  if (frames.size() > kMaxCalls + 1) {
    const auto inner = frames.begin() + 1 + kMaxCalls / 2, outer = frames.end() - kMaxCalls / 2;
    frames.insert(frames.erase(inner, outer), {"...", {}, 0, 0});
  }
  return frames;
}

}  // namespace

Names::Names(const trace::Definitions& definitions, SourceLine source_line)
    : definitions_(definitions), source_line_(std::move(source_line)), addresses_(definitions) {
  if (definitions.program == nullptr || definitions.program->origin == program::Origin::Litmus) return;
  instructions_.emplace(*definitions.program);
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
  if (instructions_ && index(location) < instructions_->size()) {
    const program::Instruction& there = *(*instructions_)[static_cast<InstrId>(index(location))].instruction;
    place.inlined = frames_of(*definitions_.program, there.position);
  }
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
