#include "cli/compile/compile_args.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/file.h"

namespace racecast::cli {

namespace {

using Words = std::vector<std::string>;

constexpr std::uint64_t kMaxResponseFile = 64u << 20;
constexpr int kMaxNesting = 20;
constexpr std::string_view kOurOptions = "--racecast-";
constexpr std::string_view kHooksOption = "--racecast-hooks=";
constexpr std::string_view kFeatureOption = "--racecast-tsan-feature=";
constexpr std::string_view kIgnoreList = "-fsanitize-ignorelist=";

// Options whose value is the next word: that word is no input, and no option either.
constexpr std::string_view kTakesNext[] = {"-o",
                                           "-x",
                                           "-I",
                                           "-D",
                                           "-U",
                                           "-L",
                                           "-l",
                                           "-F",
                                           "-B",
                                           "-T",
                                           "-u",
                                           "-z",
                                           "-e",
                                           "-A",
                                           "-G",
                                           "-J",
                                           "-arch",
                                           "-target",
                                           "-include",
                                           "-imacros",
                                           "-isystem",
                                           "-iquote",
                                           "-idirafter",
                                           "-iprefix",
                                           "-iwithprefix",
                                           "-iwithprefixbefore",
                                           "-isysroot",
                                           "-iframework",
                                           "-iframeworkwithsysroot",
                                           "-ivfsoverlay",
                                           "-imultilib",
                                           "-cxx-isystem",
                                           "-c-isystem",
                                           "-stdlib++-isystem",
                                           "-include-pch",
                                           "--sysroot",
                                           "--include-directory",
                                           "--define-macro",
                                           "--undefine-macro",
                                           "--output",
                                           "--language",
                                           "--include",
                                           "--library-directory",
                                           "--for-linker",
                                           "--param",
                                           "-Xclang",
                                           "-Xlinker",
                                           "-Xassembler",
                                           "-Xpreprocessor",
                                           "-Xanalyzer",
                                           "-Xopenmp-target",
                                           "-mllvm",
                                           "-MF",
                                           "-MT",
                                           "-MQ",
                                           "-MJ",
                                           "-aux-info",
                                           "-wrapper",
                                           "-dumpdir",
                                           "-dumpbase",
                                           "-dumpbase-ext",
                                           "-framework",
                                           "-install_name",
                                           "-undefined",
                                           "-rpath",
                                           "-gcc-toolchain",
                                           "-working-directory",
                                           "-serialize-diagnostics",
                                           "--serialize-diagnostics",
                                           "-mthread-model",
                                           "-weak_library",
                                           "-weak_framework",
                                           "-bundle_loader"};

// Options that end the work before the link.
constexpr std::string_view kNoLink[] = {"-c",
                                        "-S",
                                        "-E",
                                        "-M",
                                        "-MM",
                                        "--compile",
                                        "--assemble",
                                        "--preprocess",
                                        "-fsyntax-only",
                                        "--precompile",
                                        "--analyze",
                                        "-emit-ast",
                                        "-verify-pch",
                                        "-emit-interface-stubs",
                                        "--user-dependencies",
                                        "--dependencies",
                                        "-rewrite-objc",
                                        "-fmodule-file-info"};

// Options that make clang print something about itself and do nothing else.
bool asks_clang(const std::string& word) {
  constexpr std::string_view kWords[] = {"-###",  "--version",     "-dumpversion", "-dumpmachine",   "--help",
                                         "-help", "--help-hidden", "-dumpspecs",   "--autocomplete", "-fdriver-only"};
  return std::find(std::begin(kWords), std::end(kWords), word) != std::end(kWords) || word.starts_with("-print-") ||
         word.starts_with("--print-") || word.starts_with("--autocomplete=");
}

bool is_header(std::string_view file) {
  for (const std::string_view end : {".h", ".hh", ".hpp", ".hxx", ".hp", ".h++", ".H", ".tcc"})
    if (file.ends_with(end)) return true;
  return false;
}

// What the user's words say, response files included.
struct Request {
  bool input = false;    // there is a file, or standard input, to work on
  bool headers = false;  // and all of them are headers: they are precompiled
  bool link = true;
  bool nothing = false;  // clang is only asked about itself
  bool is_static = false;
  bool plain_link = false;  // -nostdlib, -r: the result is no program of libc's
  std::string lto;          // the last such flag
  std::string openmp;       // the last such flag
  std::string narrow;       // -m32 or -mx32
  bool vtables = false;     // -fwhole-program-vtables needs link-time optimisation
  bool vectors = false;     // a vectoriser or the unroller was asked for
  std::string sanitizers;   // joined by commas
  Words ignore_lists;       // -fsanitize-ignorelist=FILE
  std::string ours;         // one of our own words, in a response file, from which it cannot be taken out
};

class Scanner {
 public:
  Request scan(const Words& words) {
    look(words, 0);
    request_.headers = request_.input && only_headers_;
    return request_;
  }

 private:
  void look(const Words& words, int nesting) {
    for (const std::string& word : words) {
      if (word.size() > 1 && word[0] == '@' && nesting < kMaxNesting) {
        // clang itself says what is wrong with a response file that cannot be read.
        if (const auto text = read_file(word.substr(1), kMaxResponseFile)) {
          look(response_words(*text), nesting + 1);
          continue;
        }
      }
      look(word);
    }
  }

  void look(const std::string& word) {
    if (pending_) {
      if (*pending_ == "-x" || *pending_ == "--language") language(word);
      if (*pending_ == "-Xlinker" && word == "-r") request_.plain_link = true;
      pending_.reset();
      return;
    }
    if (word.empty()) return;
    if (word[0] != '-' || word == "-") return input(word);
    if (std::find(std::begin(kTakesNext), std::end(kTakesNext), word) != std::end(kTakesNext)) {
      pending_ = word;
      if (word == "-l") input(word);
      return;
    }
    option(word);
  }

  void input(const std::string& file) {
    if (!request_.input) only_headers_ = true;
    request_.input = true;
    const bool header = headers_by_language_ ? *headers_by_language_ : is_header(file);
    only_headers_ = only_headers_ && header;
  }

  void language(const std::string& name) {
    headers_by_language_ = name.ends_with("-header") || name.ends_with("-header-unit");
    if (name == "none") headers_by_language_.reset();
  }

  void option(const std::string& word) {
    if (std::find(std::begin(kNoLink), std::end(kNoLink), word) != std::end(kNoLink)) request_.link = false;
    if (asks_clang(word)) request_.nothing = true;
    if (word == "-static" || word == "--static" || word == "-static-pie") request_.is_static = true;
    if (word == "-nostdlib" || word == "--no-standard-libraries" || word == "-r") request_.plain_link = true;
    if (word.starts_with("-l")) input(word);
    if (word == "-m32" || word == "-mx32") request_.narrow = word;
    if (word.starts_with("-x")) language(word.substr(2));
    if (word.starts_with("--language=")) language(word.substr(11));
    if (word.starts_with("-flto")) request_.lto = word;
    if (word == "-fno-lto") request_.lto.clear();
    if (word == "-fopenmp" || word.starts_with("-fopenmp=")) request_.openmp = word;
    if (word == "-fno-openmp") request_.openmp.clear();
    if (word == "-fwhole-program-vtables") request_.vtables = true;
    for (const std::string_view flag : {"-fvectorize", "-ftree-vectorize", "-fslp-vectorize", "-ftree-slp-vectorize",
                                        "-funroll-loops", "-funroll-all-loops"})
      if (word == flag) request_.vectors = true;
    if (word.starts_with("-fsanitize="))
      request_.sanitizers += (request_.sanitizers.empty() ? "" : ",") + word.substr(11);
    if (word.starts_with(kIgnoreList)) request_.ignore_lists.push_back(word);
    if (word == "-fno-sanitize-ignorelist") request_.ignore_lists.clear();
    if (word.starts_with(kOurOptions)) request_.ours = word;
    if (word == "-fno-sanitize=all" || word == "-fno-sanitize=" + request_.sanitizers) request_.sanitizers.clear();
  }

  Request request_;
  std::optional<std::string> pending_;       // an option that waits for its value
  std::optional<bool> headers_by_language_;  // set by -x
  bool only_headers_ = false;
};

bool has_item(std::string_view list, std::string_view item) {
  return ("," + std::string(list) + ",").find("," + std::string(item) + ",") != std::string::npos;
}

}  // namespace

std::vector<std::string> response_words(const std::string& text) {
  Words words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') {
      if (in_word) words.push_back(std::move(word));
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(std::move(word));
  return words;
}

Result<CompileArgs> compile_args(const std::vector<std::string>& words, const Installation& installation) {
  Words user;
  CompileChoice choice;
  for (const std::string& word : words) {
    if (word.starts_with(kHooksOption)) {
      RC_TRY(choice.hooks, hooks_named(word.substr(kHooksOption.size())));
    } else if (word.starts_with(kFeatureOption)) {
      RC_TRY(choice.tsan_feature, tsan_feature_named(word.substr(kFeatureOption.size())));
    } else {
      user.push_back(word);
    }
  }
  const Request request = Scanner().scan(user);
  CompileArgs result;
  if (request.nothing || !request.input) {
    result.args = user;
    return result;
  }
  result.adds = true;
  const bool links = request.link && !request.headers;
  if (!request.ours.empty())
    return bad_input(request.ours.starts_with(kHooksOption) || request.ours.starts_with(kFeatureOption)
                         ? fmt::format("{} is in a response file: give it on the command line itself", request.ours)
                         : fmt::format("there is no option {}: there are {}... and {}...", request.ours, kHooksOption,
                                       kFeatureOption));
  if (has_item(request.sanitizers, "thread"))
    return bad_input("-fsanitize=thread cannot be combined with racecast: both record every access; leave it out");
  if (!request.openmp.empty())
    return bad_input(fmt::format(
        "{} cannot be combined with racecast: what OpenMP's runtime orders is not recorded, so that correct "
        "programs would seem to race; leave it out, and the pragmas are ignored",
        request.openmp));
  if (!request.narrow.empty())
    return bad_input(fmt::format("{} cannot be combined with racecast: it records 64-bit programs", request.narrow));
  if (links && request.is_static)
    return bad_input(
        "-static cannot be combined with racecast: its runtime stands in for functions of libc, which needs libc as a "
        "shared library; leave it out");
  if (!request.sanitizers.empty())
    result.warnings.push_back(fmt::format(
        "warning: -fsanitize={} is passed on: its checks run beside what racecast records", request.sanitizers));
  if (!request.lto.empty())
    result.warnings.push_back(
        fmt::format("warning: {} is dropped: racecast does not work with link-time optimisation", request.lto));

  Words& args = result.args;
  const auto add = [&](const Words& words) { args.insert(args.end(), words.begin(), words.end()); };
  // Which of ours are of use depends on the inputs: clang need not warn about those that are not.
  add({"--start-no-unused-arguments"});
  add(compile_flags(installation, choice));
  // The driver passes them on only with a sanitizer that it knows of. What a list excludes for ThreadSanitizer is
  // unchecked.
  for (const std::string& list : request.ignore_lists) add({"-Xclang", list});
  if (links && !request.plain_link) add(link_flags(installation));
  add({"--end-no-unused-arguments"});
  add(user);
  Words last;
  if (links && !request.plain_link) last = library_flags();
  if (!request.lto.empty()) last.push_back("-fno-lto");
  if (!request.lto.empty() && request.vtables) last.push_back("-fno-whole-program-vtables");
  if (request.vectors) last.insert(last.end(), {"-fno-vectorize", "-fno-slp-vectorize", "-fno-unroll-loops"});
  if (!last.empty()) {
    add({"--start-no-unused-arguments"});
    add(last);
    add({"--end-no-unused-arguments"});
  }
  return result;
}

}  // namespace racecast::cli
