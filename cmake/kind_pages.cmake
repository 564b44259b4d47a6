# Writes OUT, a source file with the text of every docs/kinds/*.md below SOURCE. Run with cmake -P at build time.
file(GLOB pages ${SOURCE}/docs/kinds/*.md)
set(rows "")
foreach(page IN LISTS pages)
  get_filename_component(name ${page} NAME_WE)
  file(READ ${page} text)
  string(APPEND rows "    {\"${name}\", R\"racecast-page(${text})racecast-page\"},\n")
endforeach()
file(WRITE ${OUT} "#include \"cli/commands/kind_pages.h\"

#include <utility>

namespace racecast::cli {

namespace {
constexpr std::pair<std::string_view, std::string_view> kPages[] = {
${rows}};
}  // namespace

std::string_view kind_page(std::string_view kind) {
  for (const auto& [name, text] : kPages)
    if (name == kind) return text;
  return {};
}

}  // namespace racecast::cli
")
