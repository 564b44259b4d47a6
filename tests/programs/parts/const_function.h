// Functions that use no memory, in a file of their own.
struct Parts {
  long whole, thousandths;
};
__attribute__((const, nothrow)) int const_root(int square);
__attribute__((const, nothrow)) struct Parts const_parts(double number);
