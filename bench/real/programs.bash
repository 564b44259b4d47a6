# The real programs: for each NAME, the packages it needs, how to build it with $CC and $CXX in a copy of its pristine source, and a bounded
# piece of work that prints something which must be the same natively and recorded. Sourced by `run`.
#   package_NAME   Debian source package          needs_NAME  packages to build it
#   build_NAME     in the source folder           work_NAME   in the source folder; "$@" is put before the program: nothing, or racecast run …
# How much work: $text is a file of words, $frames a number of pictures in $data/pictures.yuv.

programs=(pbzip2 lbzip2 pixz zstd leveldb memcached redis x264)

package_pbzip2=pbzip2
needs_pbzip2=(libbz2-dev)
# Its format strings are of the time before C++11.
build_pbzip2() { make -s CC="$CC" CXX="$CXX -std=gnu++98" pbzip2; }
work_pbzip2() { "$@" ./pbzip2 -p4 -b1 -k -c "$text" | sha256sum; }

package_lbzip2=lbzip2
needs_lbzip2=()
# The bundled gnulib is too old for today's libc; what it looks for is there.
build_lbzip2() { touch aclocal.m4 Makefile.in lib/config.h.in configure 2>/dev/null; ./configure -q CC="$CC" CFLAGS="-g -O2 -D_IO_ftrylockfile -D_IO_IN_BACKUP=0x100" && make -s; }
work_lbzip2() { "$@" src/lbzip2 -n4 -1 -k -c "$text" | sha256sum; }

package_pixz=pixz
needs_pixz=(liblzma-dev libarchive-dev autoconf automake libtool pkg-config)
build_pixz() { ./autogen.sh >/dev/null 2>&1 && ./configure -q --without-manpage CC="$CC" && make -s -C src; }
work_pixz() { "$@" src/pixz -t -p4 -1 -i "$text" -o out.xz && sha256sum <out.xz; }

package_zstd=libzstd
needs_zstd=()
build_zstd() { make -s -C programs zstd CC="$CC" HAVE_ZLIB=0 HAVE_LZMA=0 HAVE_LZ4=0 MOREFLAGS="-DZSTD_DISABLE_ASM=1" ZSTD_NO_ASM=1; }
work_zstd() { "$@" programs/zstd -q -T4 -B256K -3 -c "$text" | sha256sum; }

package_leveldb=leveldb
needs_leveldb=()
build_leveldb() {
  cmake -S . -B out -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER="${CXX%% *}" -DCMAKE_C_COMPILER="${CC%% *}" -DLEVELDB_BUILD_TESTS=OFF \
    -DCMAKE_CXX_FLAGS="$EXTRA_FLAGS" -DCMAKE_C_FLAGS="$EXTRA_FLAGS" -DLEVELDB_BUILD_BENCHMARKS=OFF -DHAVE_SNAPPY=OFF -DHAVE_TCMALLOC=OFF >/dev/null &&
    ninja -C out leveldb >/dev/null &&
    $CXX $EXTRA_FLAGS -std=c++11 -O2 -fno-rtti -DLEVELDB_PLATFORM_POSIX=1 -Iinclude -I. -Iout/include benchmarks/db_bench.cc util/histogram.cc util/testutil.cc out/libleveldb.a -o db_bench -pthread
}
# Its figures are times: what was done must be the same, and what the first thread found.
work_leveldb() {
  "$@" ./db_bench --db="$PWD/db" --threads=4 --num=400 --benchmarks=fillrandom,readrandom,compact,readseq 2>/dev/null |
    sed -n 's/^\([a-z]*\) *:.*op;/\1 done/; s/done.*MB.s/done/; /done/p'
}

package_memcached=memcached
needs_memcached=(libevent-dev)
build_memcached() { ./configure -q CC="$CC" --disable-extstore --disable-coverage && make -s memcached CFLAGS="-g -O2 -Wno-error"; }
work_memcached() { python3 "$here/client.py" memcached "$@" ./memcached; }

package_redis=redis
needs_redis=()
build_redis() { make -s -C src redis-server CC="$CC" CXX="$CXX" MALLOC=libc OPTIMIZATION=-O2 BUILD_TLS=no USE_SYSTEMD=no >/dev/null; }
work_redis() { python3 "$here/client.py" redis "$@" src/redis-server; }

package_x264=x264
needs_x264=()
build_x264() { CC="$CC" ./configure --disable-asm --disable-lavf --disable-swscale --disable-ffms --disable-gpac --disable-lsmash --disable-opencl >/dev/null && make -s x264; }
work_x264() { "$@" ./x264 --quiet --threads 4 --preset ultrafast --input-res 176x144 --frames "$frames" -o out.264 "$data/pictures.yuv" 2>/dev/null && sha256sum <out.264; }
