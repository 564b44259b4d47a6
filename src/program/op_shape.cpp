// One row an operation, in the order of op.def; the shapes that rows share have names.
#include "program/op_shape.h"

#include <array>

#include "base/check.h"

namespace racecast::program {
namespace {

constexpr Shape kIntegers{2, 2, Want::Yes, TypeRule::Int, 0, 2};              // two integers to one
constexpr Shape kFloats{2, 2, Want::Yes, TypeRule::Float, 0, 2};              // two floats to one
constexpr Shape kFloat{1, 1, Want::Yes, TypeRule::Float, 0, 1};               // a float to one
constexpr Shape kComparison{2, 2, Want::Yes, TypeRule::Compare, 0, 2};        // two integers or pointers to a bit
constexpr Shape kFloatComparison{2, 2, Want::Yes, TypeRule::CompareF, 0, 2};  // two floats to a bit
constexpr Shape kMade{1, 1, Want::Yes, TypeRule::Value,
                      0, 0};  // one operand of any type to a value: casts, addresses, objects, loads
constexpr Shape kChoice{3, 3, Want::Yes, TypeRule::Value, 1, 3};     // a bit, and two values to one of them
constexpr Shape kPhi{1, kAny, Want::Yes, TypeRule::Value, 0, kAny};  // values to one of them
constexpr Shape kElement{2, 2, Want::Yes, TypeRule::Value, 0, 0};    // an address and a number to an address
constexpr Shape kAnswer{1, 1, Want::Yes, TypeRule::Int, 0, 0};       // an address to a number
constexpr Shape kTakesOne{1, 1, Want::No, TypeRule::Free, 0, 0};     // one operand, no result
constexpr Shape kStore{2, 2, Want::No, TypeRule::Value, 1, 2};       // an address and a value
constexpr Shape kUpdate{2, 2, Want::Maybe, TypeRule::Value, 1, 2};   // an address and a value to what was there
constexpr Shape kCompareAndSwap{3, 3, Want::Maybe, TypeRule::Value,
                                1, 3};                                // an address and two values to what was there
constexpr Shape kAlone{0, 0, Want::No, TypeRule::Free, 0, 0};         // nothing
constexpr Shape kTry{1, 1, Want::Maybe, TypeRule::Bool, 0, 0};        // an address to success
constexpr Shape kTakesTwo{2, 2, Want::No, TypeRule::Free, 0, 0};      // two operands, no result
constexpr Shape kCall{1, kAny, Want::Maybe, TypeRule::Void, 0, 0};    // what is called, and arguments
constexpr Shape kReturn{0, 1, Want::No, TypeRule::Free, 0, 0};        // perhaps a value
constexpr Shape kOpaque{0, kAny, Want::Maybe, TypeRule::Void, 0, 0};  // anything

struct Row {
  Op op;
  Shape shape;
};
constexpr std::array kRows{
    Row{Op::Add, kIntegers},
    Row{Op::Sub, kIntegers},
    Row{Op::Mul, kIntegers},
    Row{Op::SDiv, kIntegers},
    Row{Op::UDiv, kIntegers},
    Row{Op::SRem, kIntegers},
    Row{Op::URem, kIntegers},
    Row{Op::And, kIntegers},
    Row{Op::Or, kIntegers},
    Row{Op::Xor, kIntegers},
    Row{Op::Shl, kIntegers},
    Row{Op::LShr, kIntegers},
    Row{Op::AShr, kIntegers},
    Row{Op::FAdd, kFloats},
    Row{Op::FSub, kFloats},
    Row{Op::FMul, kFloats},
    Row{Op::FDiv, kFloats},
    Row{Op::FRem, kFloats},
    Row{Op::FNeg, kFloat},
    Row{Op::Eq, kComparison},
    Row{Op::Ne, kComparison},
    Row{Op::SLt, kComparison},
    Row{Op::SLe, kComparison},
    Row{Op::ULt, kComparison},
    Row{Op::ULe, kComparison},
    Row{Op::FEq, kFloatComparison},
    Row{Op::FLt, kFloatComparison},
    Row{Op::FLe, kFloatComparison},
    Row{Op::FUnordered, kFloatComparison},
    Row{Op::Trunc, kMade},
    Row{Op::ZExt, kMade},
    Row{Op::SExt, kMade},
    Row{Op::FpToSi, kMade},
    Row{Op::FpToUi, kMade},
    Row{Op::SiToFp, kMade},
    Row{Op::UiToFp, kMade},
    Row{Op::FpCast, kMade},
    Row{Op::Bitcast, kMade},
    Row{Op::Select, kChoice},
    Row{Op::Phi, kPhi},
    Row{Op::Offset, kMade},
    Row{Op::Index, kElement},
    Row{Op::ArrayLength, kAnswer},
    Row{Op::InstanceOf, kAnswer},
    Row{Op::Alloc, kMade},
    Row{Op::StackAlloc, kMade},
    Row{Op::Free, kTakesOne},
    Row{Op::Load, kMade},
    Row{Op::Store, kStore},
    Row{Op::AtomicLoad, kMade},
    Row{Op::AtomicStore, kStore},
    Row{Op::AtomicRmw, kUpdate},
    Row{Op::AtomicCas, kCompareAndSwap},
    Row{Op::Fence, kAlone},
    Row{Op::Lock, kTakesOne},
    Row{Op::TryLock, kTry},
    Row{Op::Unlock, kTakesOne},
    Row{Op::RdLock, kTakesOne},
    Row{Op::TryRdLock, kTry},
    Row{Op::WrLock, kTakesOne},
    Row{Op::TryWrLock, kTry},
    Row{Op::RwUnlock, kTakesOne},
    Row{Op::Wait, kTakesTwo},
    Row{Op::Notify, kTakesOne},
    Row{Op::NotifyAll, kTakesOne},
    Row{Op::SemPost, kTakesOne},
    Row{Op::SemWait, kTakesOne},
    Row{Op::TrySemWait, kTry},
    Row{Op::Arrive, kTakesOne},
    Row{Op::OnceEnter, kTry},
    Row{Op::OnceDone, kTakesOne},
    Row{Op::Put, kStore},
    Row{Op::Get, kMade},
    Row{Op::Fork, kCall},
    Row{Op::Join, kTakesOne},
    Row{Op::Call, kCall},
    Row{Op::VirtualCall, kCall},
    Row{Op::Return, kReturn},
    Row{Op::Jump, kAlone},
    Row{Op::Branch, kTakesOne},
    Row{Op::Switch, kTakesOne},
    Row{Op::Unreachable, kAlone},
    Row{Op::Opaque, kOpaque},
    Row{Op::Mark, kAlone},
};

constexpr bool rows_are_complete() {
  std::size_t next = 0;
#define OP(name, text, traits, meaning)                                 \
  if (next >= kRows.size() || kRows[next].op != Op::name) return false; \
  ++next;
#include "program/op.def"
#undef OP
  return next == kRows.size();
}
static_assert(rows_are_complete(), "op.def and the shapes differ");

}  // namespace

const Shape& shape_of(Op op) {
  CHECK(static_cast<std::size_t>(op) < kRows.size(), "operation {}", static_cast<int>(op));
  return kRows[static_cast<std::size_t>(op)].shape;
}

int address_operands(Op op) {
  switch (op) {
    case Op::Wait: return 2;
    case Op::Fence:
    case Op::Fork:
    case Op::Join: return 0;
    case Op::Offset:
    case Op::Index:
    case Op::ArrayLength:
    case Op::InstanceOf:
    case Op::Free:
    case Op::VirtualCall: return 1;
    default: return is_step(op) ? 1 : 0;
  }
}

}  // namespace racecast::program
