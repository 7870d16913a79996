__global__ void k(int n) {}
int f(int a, int b) { int x = a + b + a, y = x + x + a; k<<<((((y+x)))), -x-y>>>(x ? y : a ? b : x); return f(x + y, y + x); }
int main() { f(f(1, 2), f(3, 4)); }
