// Integer arithmetic of every width and sign: the model must compute every store.
// NORACE
#include <limits.h>
#include <stdint.h>

#include "test.h"

int8_t i8;
uint16_t u16;
int32_t i32;
uint64_t u64;
_Bool truth;

NOINLINE static void work(int32_t a, int32_t b, uint64_t c) {
  i8 = (int8_t)(a * b + i8);
  u16 = (uint16_t)(u16 + (uint16_t)a * 3u - (uint16_t)b);
  i32 = a / (b | 1) + a % (b | 1) + (a >> 3) + (int32_t)((uint32_t)b << 5);
  u64 = c * 0x9e3779b97f4a7c15ULL ^ (c >> 29) ^ u64;
  u64 = u64 / ((c & 0xff) + 1) + u64 % ((c & 0xff) + 1);
  truth = (a < b) ^ ((uint32_t)a < (uint32_t)b);
  i32 += truth ? a & ~b : a | b;
  u64 += (uint64_t)__builtin_popcountll(c) + (uint64_t)__builtin_clzll(c | 1) + (uint64_t)__builtin_ctzll(c | 4096);
  u64 ^= __builtin_bswap64(c) + __builtin_bswap32((uint32_t)a);
  int32_t sum;
  if (__builtin_add_overflow(a, INT_MAX - 10, &sum)) i32 ^= 0x55;
  if (__builtin_mul_overflow(a, b, &sum)) i32 ^= 0xaa;
  i32 += (a > b ? a : b) - (a < -b ? a : -b) + abs(a);
}

THREAD(worker) {
  lock();
  for (int i = -5; i < 12; i++) work(i * 1234567, 98765 - i * 77777, (uint64_t)i * 0x123456789abcULL);
  unlock();
  return NULL;
}

int main(void) {
  run_two(worker, worker);
  printf("%d %d %d %llu %d\n", i8, u16, i32, (unsigned long long)u64, truth);
}
