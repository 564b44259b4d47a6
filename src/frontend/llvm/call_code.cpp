#include "frontend/llvm/call_code.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include "abi/abi.h"
#include "base/check.h"
#include "frontend/llvm/builder.h"
#include "frontend/llvm/record_code.h"

namespace racecast::frontend {
namespace {

using abi::ItemKind;

bool is_bulk(ItemKind kind) {
  return kind == ItemKind::BulkRead || kind == ItemKind::BulkWrite;
}
bool is_stack_object(ItemKind kind) {
  return kind == ItemKind::Alloca || kind == ItemKind::AllocaOfSize;
}

std::uint32_t what_of(const Record& record) {
  const abi::Item& item = record.shape.items[0];
  const bool writes = item.kind == ItemKind::Store || item.kind == ItemKind::BulkWrite;
  auto what = static_cast<std::uint32_t>(is_stack_object(item.kind) ? abi::AccessKind::StackObject
                                         : writes                   ? abi::AccessKind::Write
                                                                    : abi::AccessKind::Read);
  if (item.mode != abi::AddressMode::Explicit) what |= abi::kAddressKnown;
  if (item.value_bytes != 0 && (is_bulk(item.kind) || is_stack_object(item.kind))) what |= abi::kLengthRecorded;
  if (record.joins) what |= abi::kSameInstruction;
  return what;
}

}  // namespace

void CallCode::call(llvm::IRBuilder<>& builder, const char* hook, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 4> types;
  for (const llvm::Value* argument : arguments) types.push_back(argument->getType());
  const llvm::FunctionCallee callee =
      module_.getOrInsertFunction(hook, llvm::FunctionType::get(builder.getVoidTy(), types, false));
  builder.CreateCall(callee, arguments)->setDoesNotThrow();
}

void CallCode::write_access(const Record& record, std::uint32_t id) {
  CHECK(record.shape.items.size() == 1, "an access with {} items", record.shape.items.size());
  const abi::Item& item = record.shape.items[0];
  const Field& field = record.fields[0];
  const std::uint32_t what = what_of(record);
  Builder before(*record.before);
  llvm::Value* bytes =
      (what & abi::kLengthRecorded) != 0 ? item_value(before, item, field) : before.getInt64(item.size);
  call(before, "__racecast_access", {field.address, bytes, before.getInt32(what), id_value(before, ids_, id)});
  if (record.joined) return;
  // What the model calls a stack object is there already; an access is behind `before` then.
  llvm::Instruction* next = is_stack_object(item.kind) ? record.before : record.before->getNextNode();
  Builder after(*next, record.before->getDebugLoc());
  const bool has_value = item.value_bytes != 0 && (what & abi::kLengthRecorded) == 0;
  llvm::Value* value = after.getInt64(0);
  if (has_value) value = after.CreateZExt(item_value(after, item, field), after.getInt64Ty());
  call(after, "__racecast_accessed", {after.getInt32(has_value ? item.value_bytes : 0), value});
}

void CallCode::write(const Record& record, std::uint32_t id) {
  if (record.writer == Writer::Access) return write_access(record, id);
  Builder builder(*record.before);
  switch (record.writer) {
    case Writer::At: call(builder, "__racecast_at", {id_value(builder, ids_, id)}); break;
    case Writer::Leave: call(builder, "__racecast_leave", {id_value(builder, ids_, id)}); break;
    case Writer::Enter: call(builder, "__racecast_enter", {frame_address(builder), id_value(builder, ids_, id)}); break;
    case Writer::Landed: {
      llvm::Value* frame = frame_address(builder);
      std::uint32_t bytes = 0;
      llvm::Value* value = builder.getInt64(0);
      if (record.shape.items.size() > 1) {  // what a call returned for the second time
        const abi::Item& item = record.shape.items[1];
        bytes = item.value_bytes;
        value = builder.CreateZExt(item_value(builder, item, record.fields[1]), builder.getInt64Ty());
      }
      call(builder, "__racecast_landed", {frame, id_value(builder, ids_, id), builder.getInt32(bytes), value});
      break;
    }
    case Writer::Inline:
    case Writer::Access: CHECK(false, "a record of another kind");
  }
}

}  // namespace racecast::frontend
