#!/usr/bin/env python3
"""Writes a random C program: the same seed gives the same program.

Its threads compute with machine integers of every width, floats, structs, arrays, pointers, switches, loops, calls direct and through
pointers, and meet in commutative updates under locks and in atomics, so that its output does not depend on the schedule and nothing in it is
undefined: unsigned arithmetic, shifts by less than the width, guarded divisions, indices masked. What it prints must be the same natively and
recorded, and its trace must verify.

    random_program.py SEED > program.c
"""
import random
import sys

UNSIGNED = ["uint8_t", "uint16_t", "uint32_t", "uint64_t"]
SIGNED = ["int8_t", "int16_t", "int32_t", "int64_t"]
WIDTH = {"8": 8, "16": 16, "32": 32, "64": 64}


def bits(ctype):
    return int("".join(c for c in ctype if c.isdigit()))


class Writer:
    def __init__(self, seed):
        self.r = random.Random(seed)
        self.lines = []
        self.functions = []

    def out(self, text, depth=0):
        self.lines.append("  " * depth + text)

    # ---- expressions: of unsigned 64-bit value, built from typed parts

    def leaf(self, env):
        pick = self.r.random()
        if pick < 0.25:
            return f"UINT64_C({self.r.choice([0, 1, 2, 3, 7, 255, 65535, self.r.getrandbits(16), self.r.getrandbits(64)])})"
        if pick < 0.55 and env:
            return f"(uint64_t){self.r.choice(env)}"
        if pick < 0.8:
            field = self.r.choice(["a8", "a16", "a32", "a64", "s8", "s16", "s32", "s64"])
            return f"(uint64_t)me->{field}[({self.small(env)}) & 7]"
        if pick < 0.87:
            return f"(uint64_t)constants[({self.small(env)}) & 15]"
        if pick < 0.93:
            return f"(uint64_t)me->bits.{self.r.choice(['p', 'q', 'r'])}"
        return f"(uint64_t)(int64_t)me->{self.r.choice(['f', 'd'])}"

    def small(self, env):
        return f"(uint64_t){self.r.choice(env)}" if env and self.r.random() < 0.7 else str(self.r.randrange(16))

    def expr(self, env, depth=3):
        if depth == 0:
            return self.leaf(env)
        a, b = self.expr(env, depth - 1), self.expr(env, self.r.randrange(depth))
        t, s = self.r.choice(UNSIGNED), self.r.choice(SIGNED)
        return self.r.choice([
            lambda: f"({a} + {b})", lambda: f"({a} - {b})", lambda: f"({a} * {b})", lambda: f"({a} ^ {b})",
            lambda: f"({a} & {b})", lambda: f"({a} | {b})", lambda: f"(~{a})",
            lambda: f"((uint64_t)({t})({a}))", lambda: f"((uint64_t)({s})({a}))",
            lambda: f"({a} << ({b} & 63))", lambda: f"({a} >> ({b} & 63))",
            lambda: f"((uint64_t)((int64_t)({a}) >> ({b} & 63)))",
            lambda: f"({a} / (({b}) | 1))", lambda: f"({a} % (({b}) | 1))",
            lambda: f"((uint64_t)((int32_t)({a}) / ((int32_t)(({b}) & 1023) + 1)))",
            lambda: f"((uint64_t)(({a}) < ({b})))", lambda: f"((uint64_t)((int64_t)({a}) < (int64_t)({b})))",
            lambda: f"((({a}) == ({b})) ? ({a}) : ({b} + 1))", lambda: f"((uint64_t)({t})(1u * ({t})({a}) * ({t})({b})))",
            lambda: f"((uint64_t)__builtin_popcountll({a}))", lambda: f"((uint64_t)(({a}) > 5 && ({b}) < 100))",
        ])()

    # ---- statements

    def store(self, env, depth):
        field = self.r.choice(["a8", "a16", "a32", "a64", "s8", "s16", "s32", "s64"])
        ctype = ("uint" if field[0] == "a" else "int") + field[1:] + "_t"
        target = f"me->{field}[({self.small(env)}) & 7]"
        form = self.r.randrange(6)
        if form == 0:
            self.out(f"{target} = ({ctype})({self.expr(env)});", depth)
        elif form == 1:
            self.out(f"{target} = ({ctype})({target} + ({ctype})({self.expr(env, 2)}));", depth) if ctype[0] == "u" else \
                self.out(f"{target} = ({ctype})((uint64_t){target} + ({self.expr(env, 2)}));", depth)
        elif form == 2:
            self.out(f"{{ {ctype}* p = &{target}; *p = ({ctype})((uint64_t)*p ^ ({self.expr(env, 2)})); }}", depth)
        elif form == 3:
            self.out(f"me->bits.{self.r.choice(['p', 'q', 'r'])} = ({self.expr(env, 2)}) & 7;", depth)
        elif form == 4:
            self.out(f"me->d = me->d * 0.5 + (double)(int32_t)({self.expr(env, 1)});", depth)
        else:
            self.out(f"me->f = (float)(int16_t)({self.expr(env, 1)}) + me->f * 0.25f;", depth)

    def statement(self, env, depth, budget, loops):
        pick = self.r.random()
        if pick < 0.3 or budget <= 0:
            self.store(env, depth)
        elif pick < 0.42:
            name = f"v{len(self.lines)}"
            self.out(f"{self.r.choice(UNSIGNED + SIGNED)} {name} = ({self.expr(env)});", depth)
            env.append(name)
        elif pick < 0.54:
            self.out(f"if ({self.expr(env, 2)}) {{", depth)
            self.block(env, depth + 1, budget - 1, loops)
            if self.r.random() < 0.5:
                self.out("} else {", depth)
                self.block(env, depth + 1, budget - 1, loops)
            self.out("}", depth)
        elif pick < 0.64 and loops > 0:
            i = f"i{len(self.lines)}"
            self.out(f"for (unsigned {i} = 0; {i} < {self.r.randrange(1, 7)}; {i}++) {{", depth)
            self.block(env + [i], depth + 1, budget - 1, loops - 1)
            if self.r.random() < 0.3:
                self.out(f"if (({self.expr(env, 1)}) % 7 == 3) break;", depth + 1)
            self.out("}", depth)
        elif pick < 0.72:
            self.out(f"switch (({self.expr(env, 2)}) % 5) {{", depth)
            for case in range(4):
                self.out(f"case {case}:", depth)
                self.store(env, depth + 1)
                if self.r.random() < 0.7:
                    self.out("break;", depth + 1)
            self.out("default:", depth)
            self.store(env, depth + 1)
            self.out("}", depth)
        elif pick < 0.82 and self.functions:
            f = self.r.choice(self.functions)
            call = f if self.r.random() < 0.6 else f"table[({self.small(env)}) % {len(self.functions)}]"
            name = f"c{len(self.lines)}"
            self.out(f"uint64_t {name} = {call}(me, {self.expr(env, 2)}, (uint32_t)({self.expr(env, 1)}));", depth)
            env.append(name)
        elif pick < 0.88:
            self.out("pthread_mutex_lock(&lock);", depth)
            self.out(f"shared_sum += {self.r.randrange(1, 100)};", depth)
            self.out("pthread_mutex_unlock(&lock);", depth)
        elif pick < 0.93:
            self.out(f"atomic_fetch_add_explicit(&shared_atomic, {self.r.randrange(1, 9)}, memory_order_{self.r.choice(['relaxed', 'acq_rel', 'seq_cst'])});", depth)
        elif pick < 0.96:
            self.out(f"memcpy(me->a8, me->s8, {self.r.randrange(1, 8)});", depth)
        else:
            self.out("{", depth)
            self.out(f"uint32_t local[8] = {{{', '.join(str(self.r.randrange(99)) for _ in range(8))}}};", depth + 1)
            self.out(f"local[({self.small(env)}) & 7] = (uint32_t)({self.expr(env, 2)});", depth + 1)
            self.out(f"me->a32[({self.small(env)}) & 7] += local[({self.small(env)}) & 7];", depth + 1)
            self.out("}", depth)

    def block(self, env, depth, budget, loops):
        inner = list(env)
        for _ in range(self.r.randrange(1, 4)):
            self.statement(inner, depth, budget, loops)

    def program(self):
        r = self.r
        self.out("#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>")
        self.out("struct state { uint8_t a8[8]; uint16_t a16[8]; uint32_t a32[8]; uint64_t a64[8]; int8_t s8[8]; int16_t s16[8]; int32_t s32[8]; int64_t s64[8];")
        self.out("  float f; double d; struct { unsigned p : 3, q : 9, r : 5; } bits; };")
        self.out(f"static const uint32_t constants[16] = {{{', '.join(str(r.getrandbits(32)) for _ in range(16))}}};")
        self.out("pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\nuint64_t shared_sum;\n_Atomic uint64_t shared_atomic;")
        self.out("typedef uint64_t (*function)(struct state*, uint64_t, uint32_t);\nextern const function table[];")
        for k in range(r.randrange(2, 5)):
            name = f"f{k}"
            self.out(f"{r.choice(['', 'static '])}{r.choice(['', '__attribute__((noinline)) '])}uint64_t {name}(struct state* me, uint64_t x, uint32_t y) {{".replace("  ", " "))
            callable_now, self.functions = self.functions, [f for f in self.functions]
            env = ["x", "y"]
            # Only earlier functions are called, and not through the table: no recursion without end.
            for _ in range(r.randrange(2, 5)):
                saved, self.functions = self.functions, []
                self.statement(env, 1, 2, 1)
                self.functions = saved
            if callable_now and r.random() < 0.7:
                self.out(f"  x += {r.choice(callable_now)}(me, x ^ 5, y + 1);")
            self.out(f"  return {self.expr(['x', 'y'], 2)};\n}}")
            self.functions = callable_now + [name]
        self.out(f"const function table[] = {{{', '.join(self.functions)}}};")
        threads = r.randrange(2, 5)
        for t in range(threads):
            self.out(f"static void* thread{t}(void* arg) {{\n  struct state* me = arg;")
            env = []
            for _ in range(r.randrange(4, 9)):
                self.statement(env, 1, 3, 2)
            self.out("  return 0;\n}")
        self.out("int main(void) {\n  pthread_t t[%d];\n  struct state* all = calloc(%d, sizeof *all);" % (threads, threads))
        self.out(f"  for (int i = 0; i < {threads}; i++) for (int k = 0; k < 8; k++) all[i].a64[k] = (uint64_t)(i * 8 + k) * UINT64_C(0x9e3779b97f4a7c15), all[i].s32[k] = i - k;")
        for t in range(threads):
            self.out(f"  pthread_create(&t[{t}], 0, thread{t}, &all[{t}]);")
        self.out(f"  for (int i = 0; i < {threads}; i++) pthread_join(t[i], 0);\n  uint64_t h = 0;")
        self.out(f"  for (int i = 0; i < {threads}; i++) for (int k = 0; k < 8; k++)")
        self.out("    h = h * 31 + all[i].a8[k] + all[i].a16[k] + all[i].a32[k] + all[i].a64[k] + (uint64_t)all[i].s8[k] + (uint64_t)all[i].s16[k] + (uint64_t)all[i].s32[k] + (uint64_t)all[i].s64[k];")
        self.out(f"  for (int i = 0; i < {threads}; i++) printf(\"%a %a %u\\n\", (double)all[i].f, all[i].d, all[i].bits.p + all[i].bits.q + all[i].bits.r);")
        self.out('  printf("%llu %llu %llu\\n", (unsigned long long)h, (unsigned long long)shared_sum, (unsigned long long)shared_atomic);')
        self.out("  free(all);\n  return (int)(h & 15);\n}")
        return "\n".join(self.lines) + "\n"


def main():
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    sys.stdout.write(Writer(int(sys.argv[1])).program())


main()
