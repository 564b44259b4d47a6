# Writes OUT, a source file with the text of IN (the table of library functions). Run with cmake -P at build time. The
# text is cut into pieces: a compiler need not accept a string literal of any length.
set(pieces "")
file(READ ${IN} text)
string(LENGTH "${text}" length)
set(at 0)
while(at LESS length)
  string(SUBSTRING "${text}" ${at} 4000 piece)
  string(APPEND pieces "    R\"racecast-table(${piece})racecast-table\"\n")
  math(EXPR at "${at} + 4000")
endwhile()
file(WRITE ${OUT} "namespace racecast::program {
extern const char kLibraryText[];
extern const char kLibraryText[] =
    \"\"
${pieces};
}  // namespace racecast::program
")
