// The fields that lead to a byte of a struct, and names of addresses that are made of them.
#include "report/field_path.h"

#include <gtest/gtest.h>

#include <memory>

#include "report/address_names.h"

namespace racecast::report {
namespace {

using program::Field;
using program::Program;
using program::Struct;
using program::StructId;

// What debug information tells of
//   struct Inner { short low; short high; };
//   struct Base { int id; };
//   struct Opts : Base { Inner pair; int table[3]; Inner rows[2]; union { int i; float f; }; int a : 3, b : 5; Box box;
//   }
// where Box is a library's: struct Box { int _M_size; int first; }.
struct Types {
  Program program;
  StructId inner{}, base{}, anonymous{}, box{}, opts{}, layout{};

  Types() {
    inner = add("Inner", 4, {field("low", 0, 2), field("high", 2, 2)});
    base = add("Base", 4, {field("id", 0, 4)});
    anonymous = add("", 4, {field("i", 0, 4), field("f", 0, 4)});
    box = add("Box", 8, {field("_M_size", 0, 4), field("first", 4, 4)});
    program.structs[index(box)].library = true;
    Field from = field("Base", 0, 4, base);
    from.base = true;
    Field table = field("table", 8, 12);
    table.strides = {4};
    Field rows = field("rows", 20, 8, inner);
    rows.strides = {4};
    opts = add("Opts", 48,
               {from, field("pair", 4, 4, inner), table, rows, field("", 28, 4, anonymous), field("a", 32, 1),
                field("b", 32, 1), field("box", 36, 8, box)});
    // As the IR has it: no names.
    layout = add("Opts", 48, {field("", 0, 4), field("", 4, 4, inner), field("", 8, 12), field("", 20, 8, inner)});
  }
  Field field(std::string_view name, std::uint32_t offset, std::uint32_t size,
              std::optional<StructId> type = std::nullopt) {
    Field made;
    made.name = program.intern(name);
    made.offset = offset;
    made.size = size;
    made.type = type;
    return made;
  }
  StructId add(std::string_view name, std::uint32_t size, std::vector<Field> fields) {
    Struct made;
    made.name = program.intern(name);
    made.size = size;
    made.fields = std::move(fields);
    program.structs.push_back(std::move(made));
    return static_cast<StructId>(program.structs.size() - 1);
  }
  std::string name(std::uint64_t offset, std::uint64_t size) const {
    return field_path(program, opts, offset, size).name;
  }
};

TEST(FieldPath, Names) {
  const Types t;
  EXPECT_EQ(t.name(4, 2), ".pair.low");
  EXPECT_EQ(t.name(6, 2), ".pair.high");
  EXPECT_EQ(t.name(4, 4), ".pair") << "both of its fields";
  EXPECT_EQ(t.name(0, 4), ".id") << "of a base class";
  EXPECT_EQ(t.name(12, 4), ".table[1]");
  EXPECT_EQ(t.name(8, 12), ".table");
  EXPECT_EQ(t.name(26, 2), ".rows[1].high");
  EXPECT_EQ(t.name(28, 4), ".i/f") << "of a union without a name";
  EXPECT_EQ(t.name(32, 1), ".a/b") << "bit fields of one byte";
  EXPECT_EQ(t.name(33, 1), "+33") << "between fields";
  EXPECT_EQ(t.name(0, 48), "") << "all of it";
  EXPECT_EQ(t.name(0, 8), "") << "several fields";
}

TEST(FieldPath, EndsWhereALibraryHidesItsFields) {
  const Types t;
  const FieldPath hidden = field_path(t.program, t.opts, 36, 4);
  EXPECT_EQ(hidden.name, ".box");
  EXPECT_TRUE(hidden.hidden);
  const FieldPath open = field_path(t.program, t.opts, 40, 4);
  EXPECT_EQ(open.name, ".box.first") << "what has no reserved name is for users";
  EXPECT_FALSE(open.hidden);
}

TEST(FieldPath, KeysHaveNoNumbers) {
  const Types t;
  EXPECT_EQ(field_path(t.program, t.opts, 12, 4).key, ".table[]");
  EXPECT_EQ(field_path(t.program, t.opts, 26, 2).key, ".rows[].high");
  EXPECT_EQ(field_path(t.program, t.opts, 33, 1).key, "");
}

TEST(FieldPath, WithoutNamesTheOffset) {
  const Types t;
  EXPECT_EQ(field_path(t.program, t.layout, 8, 4).name, "+8");
  EXPECT_EQ(field_path(t.program, t.layout, 6, 2).name, ".high") << "of the struct inside names are known";
  EXPECT_EQ(field_path(t.program, t.layout, 24, 2).key, "+24") << "in a table";
}

TEST(AddressNames, OfVariablesWithTypes) {
  Types t;
  const auto global = [&](std::string_view name, std::uint64_t address, std::uint32_t element, std::uint32_t count,
                          std::optional<StructId> type, std::vector<std::uint32_t> strides = {}) {
    program::Global made;
    made.strides = std::move(strides);
    made.name = t.program.intern(name);
    made.element_size = element;
    made.count = count;
    made.address = address;
    made.type = type;
    t.program.globals.push_back(made);
  };
  trace::Definitions definitions;
  global("opts", 0x1000, 48, 1, t.layout);  // another file knows more of it
  global("all", 0x2000, 48, 3, t.opts);
  global("grid", 0x3000, 96, 2, t.opts, {48});  // rows of two
  global("cells", 0x3800, 16, 3, std::nullopt, {4});
  definitions.symbols = {{0x1000, 48, 0, "opts"},
                         {0x2000, 144, 48, "all"},
                         {0x3000, 192, 96, "grid"},
                         {0x3800, 48, 16, "cells"},
                         {0x4000, 8, 0, "x"}};
  definitions.program = std::make_shared<Program>(t.program);
  const AddressNames names(definitions);
  EXPECT_EQ(names(0x1004, 2), "opts.pair.low");
  EXPECT_EQ(names(0x2000 + 48 + 12, 4), "all[1].table[1]");
  EXPECT_EQ(names.at(0x2000 + 48 + 12, 4).key, "all[].table[]");
  EXPECT_EQ(names(0x3000 + 96 + 48 + 6, 2), "grid[1][1].pair.high");
  EXPECT_EQ(names(0x3800 + 36, 4), "cells[2][1]");
  EXPECT_EQ(names(0x3800 + 32, 16), "cells[2]") << "all of a row";
  EXPECT_EQ(names(0x4004, 1), "x+4");
  EXPECT_EQ(names.at(0x4004, 1).root, "x");
  EXPECT_EQ(names(0x5000, 1), "0x5000");
  EXPECT_EQ(names.at(0x5000, 1).root, "");
}

}  // namespace
}  // namespace racecast::report
