// Linking by the addresses of a run: see link.h. First every module's functions and globals find their place in the
// linked program, then LinkWork copies what they hold.
#include "program/link.h"
#include "program/link_work.h"

namespace racecast::program {
namespace {

class AddressLinker {
 public:
  explicit AddressLinker(std::span<const LinkInput> inputs) : work_(inputs) {}

  Linked run() {
    for (std::size_t m = 0; m < work_.modules(); ++m) place_globals(m);
    place_functions();
    Linked linked = work_.finish();
    resolve(linked.program);
    return linked;
  }

 private:
  // ---- globals

  // Does `b` say more about the object than `a`? A declaration has no content, and of an array perhaps no size.
  static bool says_more(const Global& a, const Global& b) {
    if (a.bytes.empty() != b.bytes.empty()) return a.bytes.empty();
    if (a.binding.declared != b.binding.declared) return a.binding.declared;
    if (a.size() != b.size()) return a.size() < b.size();
    return a.initial == 0 && b.initial != 0;
  }

  void place_globals(std::size_t m) {
    const std::vector<Global>& globals = work_.input(m).program->globals;
    for (std::size_t g = 0; g < globals.size(); ++g) {
      // An object without bytes may share its address with the next one.
      const std::uint64_t address = address_at(work_.input(m).globals, g);
      const bool shared = address != 0 && globals[g].size() != 0;
      const std::uint32_t* const known = shared ? find(global_at_, address) : nullptr;
      if (known == nullptr) {
        const std::uint32_t id = work_.module(m).globals[g] = work_.add_global(m, g);
        if (shared) global_at_.emplace(address, id);
      } else {
        work_.module(m).globals[g] = *known;
        if (says_more(work_.program().globals[*known], globals[g])) work_.replace_global(*known, m, g);
      }
    }
  }

  // ---- functions

  bool is_used(std::size_t m, std::size_t f) const {
    return work_.input(m).used.empty() || (f < work_.input(m).used.size() && work_.input(m).used[f]);
  }

  // ---- what stands for an entry: by address, else by name

  static const std::uint32_t* find(const HashMap<std::uint64_t, std::uint32_t>& map, std::uint64_t key) {
    const auto found = map.find(key);
    return found == map.end() || found->second == kNone32 ? nullptr : &found->second;
  }
  std::uint64_t name_of(std::size_t m, std::size_t f) const {
    return index(work_.string(m, work_.input(m).program->functions[f].name));
  }
  // A definition of that name elsewhere makes the name ambiguous.
  void remember_body(std::size_t m, std::size_t f, std::uint32_t id) {
    const std::uint64_t address = address_at(work_.input(m).functions, f);
    if (address != 0) function_at_.emplace(address, id);
    const auto [named, is_new] = defined_.emplace(name_of(m, f), id);
    if (is_new || named->second == kNone32) return;
    if (address == 0 || work_.program().functions[named->second].address != address) named.value() = kNone32;
  }

  template <typename Use>
  void for_each_function(const Use& use) {
    for (std::size_t m = 0; m < work_.modules(); ++m) {
      for (std::size_t f = 0; f < work_.input(m).program->functions.size(); ++f) use(m, f);
    }
  }

  // Copies that the run used first, so that calls go to them; then definitions that nothing stands for yet; then
  // declarations.
  void place_functions() {
    const auto keep = [&](std::size_t m, std::size_t f) {
      const std::uint32_t id = work_.add_function(m, f, true);
      work_.module(m).functions[f] = work_.module(m).bodies[f] = id;
      remember_body(m, f, id);
    };
    const auto has_body = [&](std::size_t m, std::size_t f) {
      return !work_.input(m).program->functions[f].blocks.empty();
    };
    for_each_function([&](std::size_t m, std::size_t f) {
      if (has_body(m, f) && is_used(m, f)) keep(m, f);
    });
    for_each_function([&](std::size_t m, std::size_t f) {
      if (!has_body(m, f) || work_.module(m).bodies[f] != kNone32) return;
      // Without an address the run cannot say whether another body of that name is the same: it may be a local one.
      const std::uint64_t address = address_at(work_.input(m).functions, f);
      const std::uint32_t* const id = address == 0 ? nullptr : find(function_at_, address);
      if (id != nullptr)
        work_.module(m).functions[f] = *id;
      else
        keep(m, f);
    });
    for_each_function([&](std::size_t m, std::size_t f) {
      if (has_body(m, f)) return;
      const std::uint64_t address = address_at(work_.input(m).functions, f);
      const std::uint32_t* id = address != 0 ? find(function_at_, address) : find(defined_, name_of(m, f));
      if (id == nullptr) id = find(declared_, name_of(m, f));
      if (id == nullptr) {
        const std::uint32_t added = work_.add_function(m, f, false);
        declared_.emplace(name_of(m, f), added);
        work_.module(m).functions[f] = added;
      } else {
        work_.module(m).functions[f] = *id;
      }
      Function& function = work_.program().functions[work_.module(m).functions[f]];
      if (function.address == 0) function.address = address;
    });
  }

  LinkWork work_;
  HashMap<std::uint64_t, std::uint32_t> global_at_, function_at_;  // by address
  HashMap<std::uint64_t, std::uint32_t> defined_;                  // bodies by name's string; kNone32: several
  HashMap<std::uint64_t, std::uint32_t> declared_;                 // functions without a body, the same
};

}  // namespace

Linked link(std::span<const LinkInput> inputs) {
  return AddressLinker(inputs).run();
}

}  // namespace racecast::program
