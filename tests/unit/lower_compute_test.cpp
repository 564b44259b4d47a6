// The model computes what the machine computes: functions of IR run in the interpreter and natively, with the same
// arguments. First written ones (loops, memory, addresses), then random ones that use every operation the lowering
// knows.
#include <fmt/format.h>

#include <array>
#include <map>
#include <random>

#include "unit/lower_fixture.h"

namespace racecast::frontend::testing {
namespace {

constexpr std::array<std::uint64_t, 14> kNumbers = {
    0,
    1,
    2,
    7,
    63,
    64,
    255,
    0x7fffffff,
    0x80000000,
    0xffffffff,
    0x7fffffffffffffff,
    0x8000000000000000,
    ~0ull,
    0x123456789abcdef0,
};

// Compares all functions of the text that are named, on all pairs of kNumbers.
void compare(std::string_view text, const std::vector<std::string>& names) {
  const LoweredText model(text);
  Native native(text);
  for (const std::string& name : names) {
    for (const std::uint64_t a : kNumbers) {
      for (const std::uint64_t b : kNumbers) {
        const auto computed = model.run(name, {a, b});
        ASSERT_EQ(computed, native.run(name, a, b)) << name << "(" << a << ", " << b << ")\n" << model.body(name);
      }
    }
  }
}

TEST(LowerCompute, LoopsPhisAndSwitches) {
  compare(R"(
define i64 @collatz(i64 %a, i64 %b) {
entry:
  %n0 = and i64 %a, 1023
  br label %loop
loop:
  %n = phi i64 [ %n0, %entry ], [ %next, %more ]
  %k = phi i64 [ 0, %entry ], [ %k1, %more ]
  %done = icmp ule i64 %n, 1
  br i1 %done, label %out, label %more
more:
  %odd = trunc i64 %n to i1
  %half = lshr i64 %n, 1
  %n3 = mul i64 %n, 3
  %n31 = add i64 %n3, 1
  %next = select i1 %odd, i64 %n31, i64 %half
  %k1 = add i64 %k, 1
  br label %loop
out:
  ret i64 %k
}
define i64 @swap(i64 %a, i64 %b) {
entry:
  br label %loop
loop:
  %x = phi i64 [ %a, %entry ], [ %y, %loop ]
  %y = phi i64 [ %b, %entry ], [ %x, %loop ]
  %i = phi i8 [ 0, %entry ], [ %i1, %loop ]
  %i1 = add i8 %i, 1
  %more = icmp slt i8 %i1, 5
  br i1 %more, label %loop, label %out
out:
  %s = sub i64 %x, %y
  ret i64 %s
}
define i64 @choose(i64 %a, i64 %b) {
entry:
  %c = trunc i64 %a to i8
  switch i8 %c, label %other [ i8 0, label %same  i8 -1, label %same  i8 7, label %seven ]
same:
  %s = phi i64 [ 5, %entry ], [ 5, %entry ]
  ret i64 %s
seven:
  br label %join
other:
  br label %join
join:
  %r = phi i64 [ 77, %seven ], [ %b, %other ]
  ret i64 %r
}
)",
          {"collatz", "swap", "choose"});
}

TEST(LowerCompute, AddressesAndConstants) {
  compare(R"(
@table = internal constant [4 x i16] [i16 -1, i16 2, i16 300, i16 -400]
@pair = internal constant { i8, i32, double } { i8 3, i32 -9, double 2.5 }
@zeros = internal constant [8 x i64] zeroinitializer
define i64 @lookup(i64 %a, i64 %b) {
  %i = and i64 %a, 3
  %p = getelementptr inbounds [4 x i16], ptr @table, i64 0, i64 %i
  %v = load i16, ptr %p
  %q = getelementptr { i8, i32, double }, ptr @pair, i64 0, i32 1
  %w = load i32, ptr %q
  %d = load double, ptr getelementptr inbounds ({ i8, i32, double }, ptr @pair, i64 0, i32 2)
  %di = fptosi double %d to i64
  %z = load i64, ptr @zeros
  %v64 = sext i16 %v to i64
  %w64 = sext i32 %w to i64
  %s1 = add i64 %v64, %w64
  %s2 = add i64 %s1, %di
  %s3 = add i64 %s2, %z
  ret i64 %s3
}
define i64 @negative_index(i64 %a, i64 %b) {
  %slots = alloca [4 x [3 x i32]], align 4
  %i = trunc i64 %a to i2
  %i8 = zext i2 %i to i8
  %end = getelementptr [4 x [3 x i32]], ptr %slots, i64 1
  %back = sub i8 -1, %i8
  %p = getelementptr [3 x i32], ptr %end, i8 %back, i64 2
  store i32 77, ptr %p
  %row = zext i2 %i to i64
  %up = sub i64 3, %row
  %q = getelementptr [4 x [3 x i32]], ptr %slots, i64 0, i64 %up, i32 2
  %v = load i32, ptr %q
  %r = zext i32 %v to i64
  ret i64 %r
}
define i64 @distance(i64 %a, i64 %b) {
  %p = inttoptr i64 %a to ptr
  %q = getelementptr i32, ptr %p, i64 %b
  %q2 = getelementptr { i64, [0 x i32] }, ptr %q, i64 -1, i32 1
  %x = ptrtoint ptr %q2 to i64
  %low = ptrtoint ptr %q to i16
  %l = zext i16 %low to i64
  %same = icmp eq ptr %p, %q
  %s = zext i1 %same to i64
  %t = xor i64 %x, %l
  %r = add i64 %t, %s
  ret i64 %r
}
)",
          {"lookup", "negative_index", "distance"});
}

TEST(LowerCompute, LocalMemory) {
  compare(R"(
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
declare void @llvm.memmove.p0.p0.i64(ptr, ptr, i64, i1)
define i64 @pieces(i64 %a, i64 %b) {
  %x = alloca [23 x i8]
  %y = alloca [23 x i8]
  %byte = trunc i64 %a to i8
  call void @llvm.memset.p0.i64(ptr %x, i8 %byte, i64 23, i1 false)
  %x3 = getelementptr i8, ptr %x, i64 3
  store i64 %b, ptr %x3
  call void @llvm.memcpy.p0.p0.i64(ptr %y, ptr %x, i64 23, i1 false)
  %y2 = getelementptr i8, ptr %y, i64 2
  call void @llvm.memmove.p0.p0.i64(ptr %y, ptr %y2, i64 15, i1 false)
  %v = load i64, ptr %y
  %y15 = getelementptr i8, ptr %y, i64 15
  %w = load i64, ptr %y15
  %r = xor i64 %v, %w
  ret i64 %r
}
define i64 @chosen(i64 %a, i64 %b) {
entry:
  %x = alloca i64
  %y = alloca i64
  store i64 %a, ptr %x
  store i64 %b, ptr %y
  %less = icmp slt i64 %a, %b
  %p = select i1 %less, ptr %x, ptr %y
  store i64 5, ptr %p
  br i1 %less, label %left, label %right
left:
  br label %join
right:
  br label %join
join:
  %q = phi ptr [ %x, %left ], [ %y, %right ]
  %v = load i64, ptr %q
  %w = load i64, ptr %x
  %r = add i64 %v, %w
  ret i64 %r
}
define i64 @of_size(i64 %a, i64 %b) {
  %n = and i64 %a, 7
  %n1 = add i64 %n, 1
  %x = alloca i32, i64 %n1
  %last = getelementptr i32, ptr %x, i64 %n
  store i32 9, ptr %last
  %v = load i32, ptr %last
  %r = zext i32 %v to i64
  ret i64 %r
}
)",
          {"pieces", "chosen", "of_size"});
}

TEST(LowerCompute, CallsAtomicsAndPairs) {
  compare(R"(
@counter = internal global i64 0
@f = internal alias i64 (i64, i64), ptr @callee
define internal i64 @callee(i64 %a, i64 %b) {
  %r = sub i64 %a, %b
  ret i64 %r
}
define i64 @calls(i64 %a, i64 %b) {
  %slot = alloca ptr
  store ptr @callee, ptr %slot
  %p = load ptr, ptr %slot
  %x = call i64 %p(i64 %a, i64 %b)
  %y = call i64 @callee(i64 %b, i64 %x)
  %z = call i64 @f(i64 %x, i64 %y)
  ret i64 %z
}
define i64 @atomics(i64 %a, i64 %b) {
  store atomic i64 %a, ptr @counter seq_cst, align 8
  %o = atomicrmw add ptr @counter, i64 %b acq_rel
  %m = atomicrmw umax ptr @counter, i64 12 monotonic
  %n = atomicrmw nand ptr @counter, i64 %a monotonic
  %c = cmpxchg ptr @counter, i64 %n, i64 3 acq_rel monotonic
  %old = extractvalue { i64, i1 } %c, 0
  %ok = extractvalue { i64, i1 } %c, 1
  %k = zext i1 %ok to i64
  %l = load atomic i64, ptr @counter acquire, align 8
  %s1 = xor i64 %o, %m
  %s2 = add i64 %s1, %old
  %s3 = add i64 %s2, %k
  %s4 = xor i64 %s3, %l
  ret i64 %s4
}
define i64 @chain(i64 %a, i64 %b) {
  %x = insertvalue { i64, { i32, i64 } } poison, i64 %a, 0
  %y = insertvalue { i64, { i32, i64 } } %x, i32 5, 1, 0
  %z = insertvalue { i64, { i32, i64 } } %y, i64 %b, 1, 1
  %v = extractvalue { i64, { i32, i64 } } %z, 0
  %w = extractvalue { i64, { i32, i64 } } %z, 1, 0
  %u = extractvalue { i64, { i32, i64 } } %z, 1, 1
  %w64 = zext i32 %w to i64
  %s = sub i64 %v, %w64
  %r = mul i64 %s, %u
  %f = freeze i64 %r
  ret i64 %f
}
)",
          {"calls", "atomics", "chain"});
}

// A function of random straight code, without undefined behaviour. Every operation has a line in one of the lists
// below.
class RandomFunction {
 public:
  explicit RandomFunction(unsigned seed) : random_(seed) {}

  std::string text(const std::string& name, int length) {
    body_.clear();
    values_.clear();
    values_["i64"] = {"%a", "%b"};
    for (const auto& type : kInts) {
      if (type != "i64") add(type, fmt::format("trunc i64 {} to {}", pick("i64"), type));
      values_[type].push_back(type == "i1" ? "true" : "1");
      values_[type].push_back(type == "i1" ? "false" : "-1");
    }
    for (const auto& type : kFloats) {
      values_[type] = {"0.0", "-1.5", "1.0e10", "3.25"};
      add(type, fmt::format("sitofp i64 {} to {}", pick("i64"), type));
    }
    for (int k = 0; k < length; ++k) step();
    fold();
    return fmt::format("define i64 @{}(i64 %a, i64 %b) {{\n{}  ret i64 {}\n}}\n", name, body_, values_["i64"].back());
  }

  static std::string declarations() {
    std::string out;
    for (const auto& type : kInts) {
      for (const char* f : {"smin", "smax", "umin", "umax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"})
        out += fmt::format("declare {0} @llvm.{1}.{0}({0}, {0})\n", type, f);
      for (const char* f : {"fshl", "fshr"}) out += fmt::format("declare {0} @llvm.{1}.{0}({0}, {0}, {0})\n", type, f);
      for (const char* f : {"ctlz", "cttz", "abs"}) out += fmt::format("declare {0} @llvm.{1}.{0}({0}, i1)\n", type, f);
      for (const char* f : {"scmp", "ucmp"}) out += fmt::format("declare i8 @llvm.{1}.i8.{0}({0}, {0})\n", type, f);
      for (const char* f : {"sadd", "uadd", "ssub", "usub", "smul", "umul"})
        out += fmt::format("declare {{ {0}, i1 }} @llvm.{1}.with.overflow.{0}({0}, {0})\n", type, f);
      out += fmt::format("declare {0} @llvm.ctpop.{0}({0})\n", type);
    }
    for (const char* type : {"i16", "i32", "i64"}) out += fmt::format("declare {0} @llvm.bswap.{0}({0})\n", type);
    for (const char* f : {"f32", "f64"}) {
      const char* type = f == std::string("f32") ? "float" : "double";
      out += fmt::format("declare {0} @llvm.fabs.{1}({0})\ndeclare {0} @llvm.copysign.{1}({0}, {0})\n", type, f);
    }
    return out;
  }

 private:
  inline static const std::vector<std::string> kInts = {"i1", "i8", "i13", "i16", "i32", "i33", "i64"};
  inline static const std::vector<std::string> kFloats = {"float", "double"};

  template <typename T>
  const T& any(const std::vector<T>& list) {
    return list[random_() % list.size()];
  }
  std::string pick(const std::string& type) { return any(values_[type]); }
  std::string add(const std::string& type, const std::string& code) {
    std::string name = fmt::format("%v{}", ++count_);
    body_ += fmt::format("  {} = {}\n", name, code);
    values_[type].push_back(name);
    return name;
  }
  static int width(const std::string& type) { return std::stoi(type.substr(1)); }

  void step() {
    switch (random_() % 8) {
      case 0:
      case 1: return arithmetic(any(kInts));
      case 2: return intrinsic(any(kInts));
      case 3: return compare_or_select(any(kInts));
      case 4: return convert();
      case 5: return division_or_shift(any(kInts));
      default: return floating(any(kFloats));
    }
  }
  void arithmetic(const std::string& t) {
    const std::string op = any<std::string>({"add", "sub", "mul", "and", "or", "xor"});
    add(t, fmt::format("{} {} {}, {}", op, t, pick(t), pick(t)));
  }
  void division_or_shift(const std::string& t) {
    const std::string a = pick(t);
    if (random_() % 2 == 0) {
      const std::string by =
          add(t, fmt::format("urem {} {}, {}", t, pick(t), t == "i1" ? "true" : std::to_string(width(t))));
      add(t, fmt::format("{} {} {}, {}", any<std::string>({"shl", "lshr", "ashr"}), t, a, by));
    } else if (t != "i1") {
      const std::string half = add(t, fmt::format("lshr {} {}, 1", t, pick(t)));
      const std::string by = add(t, fmt::format("or {} {}, 1", t, half));
      add(t, fmt::format("{} {} {}, {}", any<std::string>({"sdiv", "udiv", "srem", "urem"}), t, a, by));
    }
  }
  void compare_or_select(const std::string& t) {
    const std::string p = any<std::string>({"eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"});
    const std::string c = add("i1", fmt::format("icmp {} {} {}, {}", p, t, pick(t), pick(t)));
    add(t, fmt::format("select i1 {}, {} {}, {} {}", c, t, pick(t), t, pick(t)));
  }
  void intrinsic(const std::string& t) {
    const std::string a = pick(t), b = pick(t), c = pick(t);
    switch (random_() % 6) {
      case 0: {
        const auto f =
            any<std::string>({"smin", "smax", "umin", "umax", "uadd.sat", "usub.sat", "sadd.sat", "ssub.sat"});
        add(t, fmt::format("call {0} @llvm.{1}.{0}({0} {2}, {0} {3})", t, f, a, b));
        return;
      }
      case 1:
        add(t, fmt::format("call {0} @llvm.{1}.{0}({0} {2}, {0} {3}, {0} {4})", t, any<std::string>({"fshl", "fshr"}),
                           a, b, c));
        return;
      case 2:
        add(t,
            fmt::format("call {0} @llvm.{1}.{0}({0} {2}, i1 false)", t, any<std::string>({"ctlz", "cttz", "abs"}), a));
        add(t, fmt::format("call {0} @llvm.ctpop.{0}({0} {1})", t, a));
        return;
      case 3:
        add("i8",
            fmt::format("call i8 @llvm.{1}.i8.{0}({0} {2}, {0} {3})", t, any<std::string>({"scmp", "ucmp"}), a, b));
        return;
      case 4:
        if (t == "i16" || t == "i32" || t == "i64") add(t, fmt::format("call {0} @llvm.bswap.{0}({0} {1})", t, a));
        return;
      default: {
        std::vector<std::string> names = {"sadd", "uadd", "ssub", "usub"};
        if (width(t) <= 32) names.insert(names.end(), {"smul", "umul"});
        const std::string pair = fmt::format("%p{}", ++count_);
        body_ += fmt::format("  {4} = call {{ {0}, i1 }} @llvm.{1}.with.overflow.{0}({0} {2}, {0} {3})\n", t,
                             any(names), a, b, pair);
        add(t, fmt::format("extractvalue {{ {}, i1 }} {}, 0", t, pair));
        add("i1", fmt::format("extractvalue {{ {}, i1 }} {}, 1", t, pair));
      }
    }
  }
  void convert() {
    const std::string from = any(kInts), to = any(kInts);
    if (width(from) < width(to)) {
      add(to, fmt::format("{} {} {} to {}", any<std::string>({"zext", "sext"}), from, pick(from), to));
    } else if (width(from) > width(to)) {
      add(to, fmt::format("trunc {} {} to {}", from, pick(from), to));
    }
  }
  void floating(const std::string& t) {
    const std::string a = pick(t), b = pick(t);
    const std::string f = t == "float" ? "f32" : "f64";
    const std::string other = t == "float" ? "double" : "float";
    const std::string i = any(kInts);
    switch (random_() % 7) {
      case 0:
      case 1:
        add(t, fmt::format("{} {} {}, {}", any<std::string>({"fadd", "fsub", "fmul", "fdiv", "frem"}), t, a, b));
        return;
      case 2: {
        const auto p = any<std::string>({"false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord", "uno", "ueq", "ugt",
                                         "uge", "ult", "ule", "une", "true"});
        add("i1", fmt::format("fcmp {} {} {}, {}", p, t, a, b));
        return;
      }
      case 3:
        add(t, fmt::format("fneg {} {}", t, a));
        add(t, fmt::format("call {0} @llvm.fabs.{1}({0} {2})", t, f, a));
        add(t, fmt::format("call {0} @llvm.copysign.{1}({0} {2}, {0} {3})", t, f, a, b));
        return;
      case 4: add(t, fmt::format("{} {} {} to {}", any<std::string>({"sitofp", "uitofp"}), i, pick(i), t)); return;
      case 5: add(other, fmt::format("{} {} {} to {}", t == "float" ? "fpext" : "fptrunc", t, a, other)); return;
      default: {  // to an integer, where it fits
        const std::string size = add(t, fmt::format("call {0} @llvm.fabs.{1}({0} {2})", t, f, a));
        const std::string small = add("i1", fmt::format("fcmp olt {} {}, 1.0e3", t, size));
        const std::string safe = add(t, fmt::format("select i1 {}, {} {}, {} 7.75", small, t, a, t));
        const std::string plus = add(t, fmt::format("select i1 {}, {} {}, {} 7.75", small, t, size, t));
        add("i32", fmt::format("fptosi {} {} to i32", t, safe));
        add("i16", fmt::format("fptoui {} {} to i16", t, plus));
      }
    }
  }
  // All that was computed decides the result; of what is not a number, only that it is none: which bits it has, no
  // language says.
  void fold() {
    std::string sum = "0";
    const auto mix = [&](const std::string& value) {
      const std::string times = add("i64", fmt::format("mul i64 {}, 1000003", sum));
      sum = add("i64", fmt::format("xor i64 {}, {}", times, value));
    };
    const auto values = values_;
    for (const auto& type : kFloats) {
      for (const std::string& value : values.at(type)) {
        const std::string nan = add("i1", fmt::format("fcmp uno {} {}, {}", type, value, value));
        const std::string clean = add(type, fmt::format("select i1 {}, {} 0.5, {} {}", nan, type, type, value));
        const std::string bits = type == "float" ? "i32" : "i64";
        const std::string number = add(bits, fmt::format("bitcast {} {} to {}", type, clean, bits));
        mix(bits == "i64" ? number : add("i64", fmt::format("zext i32 {} to i64", number)));
      }
    }
    for (const auto& type : kInts) {
      for (const std::string& value : values.at(type)) {
        mix(type == "i64" ? value : add("i64", fmt::format("zext {} {} to i64", type, value)));
      }
    }
  }

  std::mt19937 random_;
  std::string body_;
  int count_ = 0;
  std::map<std::string, std::vector<std::string>> values_;
};

TEST(LowerCompute, RandomFunctions) {
  constexpr unsigned kFunctions = 100;
  for (unsigned seed = 1; seed <= kFunctions; ++seed) {
    // One module each: a run copies the program.
    const std::string text = RandomFunction::declarations() + RandomFunction(seed).text("f", 60);
    const LoweredText model(text);
    Native native(text);
    for (std::size_t k = 0; k < kNumbers.size(); ++k) {
      const std::uint64_t a = kNumbers[k];
      const std::uint64_t b = kNumbers[(k * 5 + seed) % kNumbers.size()];
      ASSERT_EQ(model.run("f", {a, b}), native.run("f", a, b)) << "seed " << seed << ", f(" << a << ", " << b << ")\n"
                                                               << text;
    }
  }
}

TEST(LowerCompute, DivisionFaults) {
  const LoweredText model(R"(
define i64 @quotient(i64 %a, i64 %b) {
  %r = sdiv i64 %a, %b
  ret i64 %r
}
)");
  EXPECT_EQ(model.run("quotient", {~std::uint64_t{6}, 2}), ~std::uint64_t{2});
  EXPECT_EQ(model.run("quotient", {5, 0}), std::nullopt);
  EXPECT_EQ(model.run("quotient", {std::uint64_t{1} << 63, ~std::uint64_t{0}}), std::nullopt);
}

}  // namespace
}  // namespace racecast::frontend::testing
