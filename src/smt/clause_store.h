// Clauses in one array: a reference is the place of a clause's header, its literals follow. Two words of header: the
// size with whether it was learned; and for a learned clause its rank (how many decision levels it joined: few is
// good), for a given one the literal that last was seen to be true, so that "is it satisfied?" is mostly one look.
// Learned clauses that are no use any more are dropped in one sweep, which moves all others.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "smt/solver.h"

namespace racecast::smt {

using ClauseRef = std::uint32_t;
inline constexpr ClauseRef kNoClause = ~ClauseRef{0};

class ClauseStore {
 public:
  ClauseRef add(std::span<const Literal> literals, bool learned, std::uint32_t rank) {
    const auto ref = static_cast<ClauseRef>(words_.size());
    words_.push_back({static_cast<std::uint32_t>(literals.size()) << 1 | (learned ? 1U : 0U)});
    words_.push_back(learned ? Literal{rank} : literals[0]);
    words_.insert(words_.end(), literals.begin(), literals.end());
    return ref;
  }

  // Valid until the next add() or move().
  std::span<Literal> literals(ClauseRef ref) { return {&words_[ref + kHeader], words_[ref].code >> 1}; }
  std::uint32_t rank(ClauseRef ref) const { return words_[ref + 1].code; }
  Literal& seen_true(ClauseRef ref) { return words_[ref + 1]; }

  // Moving: what is moved to `target` leaves its new place behind. Each clause is moved once, later calls answer alike.
  ClauseRef move(ClauseRef ref, ClauseStore& target) {
    if (words_[ref].code == kMoved) return words_[ref + 1].code;
    const auto place = static_cast<ClauseRef>(target.words_.size());
    const auto first = words_.begin() + ref;
    target.words_.insert(target.words_.end(), first, first + kHeader + (words_[ref].code >> 1));
    words_[ref].code = kMoved;
    words_[ref + 1].code = place;
    return place;
  }
  std::size_t words() const { return words_.size(); }

 private:
  static constexpr std::uint32_t kHeader = 2, kMoved = ~0U;
  std::vector<Literal> words_;
};

}  // namespace racecast::smt
