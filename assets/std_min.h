// The parts of C++'s library that device code can use, where no library is read: traits, limits, min, max, swap and
// the like, all constexpr and for the device too. With NVRTC and with clang. Included before every source that has
// host code; the rest of such a source's library (streams, containers, threads) is the host's.
// SPDX-License-Identifier: Apache-2.0
// A line per trait:
// clang-format off
#ifndef RIDGE_STD_MIN_H
#define RIDGE_STD_MIN_H
#define RIDGE_STD __host__ __device__ constexpr
#ifdef __CUDACC_RTC__ // it has no constant for these
#define RIDGE_SPECIAL(T, name, rtc, constant) static __device__ __forceinline__ T name() { return rtc; }
#else
#define RIDGE_SPECIAL(T, name, rtc, constant) static RIDGE_STD T name() { return constant; }
#endif

namespace std {
using ::size_t;
using ::ptrdiff_t;
typedef decltype(nullptr) nullptr_t;
using ::int8_t; using ::int16_t; using ::int32_t; using ::int64_t;
using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;
using ::uintptr_t; using ::intptr_t;

/* ---- traits ------------------------------------------------------------------------------------- */

template <typename T, T v> struct integral_constant
{
    static constexpr T value = v;
    typedef T value_type;
    typedef integral_constant type;
    RIDGE_STD operator T() const { return v; }
    RIDGE_STD T operator()() const { return v; }
};
typedef integral_constant<bool, true> true_type;
typedef integral_constant<bool, false> false_type;
template <bool b> using bool_constant = integral_constant<bool, b>;

template <bool b, typename T = void> struct enable_if {};
template <typename T> struct enable_if<true, T> { typedef T type; };
template <bool b, typename T = void> using enable_if_t = typename enable_if<b, T>::type;
template <bool b, typename T, typename F> struct conditional { typedef T type; };
template <typename T, typename F> struct conditional<false, T, F> { typedef F type; };
template <bool b, typename T, typename F> using conditional_t = typename conditional<b, T, F>::type;
template <typename...> using void_t = void;
template <typename T> struct type_identity { typedef T type; };

template <typename T> struct remove_const { typedef T type; };
template <typename T> struct remove_const<const T> { typedef T type; };
template <typename T> struct remove_volatile { typedef T type; };
template <typename T> struct remove_volatile<volatile T> { typedef T type; };
template <typename T> struct remove_cv { typedef typename remove_const<typename remove_volatile<T>::type>::type type; };
template <typename T> struct remove_reference { typedef T type; };
template <typename T> struct remove_reference<T &> { typedef T type; };
template <typename T> struct remove_reference<T &&> { typedef T type; };
template <typename T> struct remove_pointer { typedef T type; };
template <typename T> struct remove_pointer<T *> { typedef T type; };
template <typename T> struct remove_pointer<T *const> { typedef T type; };
template <typename T> struct add_pointer { typedef typename remove_reference<T>::type *type; };
template <typename T> struct add_const { typedef const T type; };
template <typename T> struct remove_extent { typedef T type; };
template <typename T> struct remove_extent<T[]> { typedef T type; };
template <typename T, size_t n> struct remove_extent<T[n]> { typedef T type; };
template <typename T> using remove_const_t = typename remove_const<T>::type;
template <typename T> using remove_volatile_t = typename remove_volatile<T>::type;
template <typename T> using remove_cv_t = typename remove_cv<T>::type;
template <typename T> using remove_reference_t = typename remove_reference<T>::type;
template <typename T> using remove_pointer_t = typename remove_pointer<T>::type;
template <typename T> using add_pointer_t = typename add_pointer<T>::type;
template <typename T> using add_const_t = typename add_const<T>::type;
template <typename T> struct remove_cvref { typedef remove_cv_t<remove_reference_t<T>> type; };
template <typename T> using remove_cvref_t = typename remove_cvref<T>::type;

template <typename T, typename U> struct is_same : false_type {};
template <typename T> struct is_same<T, T> : true_type {};
template <typename T> struct is_void : is_same<remove_cv_t<T>, void> {};
template <typename T> struct is_pointer : false_type {};
template <typename T> struct is_pointer<T *> : true_type {};
template <typename T> struct is_pointer<T *const> : true_type {};
template <typename T> struct is_reference : false_type {};
template <typename T> struct is_reference<T &> : true_type {};
template <typename T> struct is_reference<T &&> : true_type {};
template <typename T> struct is_lvalue_reference : false_type {};
template <typename T> struct is_lvalue_reference<T &> : true_type {};
template <typename T> struct is_const : false_type {};
template <typename T> struct is_const<const T> : true_type {};
template <typename T> struct is_array : false_type {};
template <typename T> struct is_array<T[]> : true_type {};
template <typename T, size_t n> struct is_array<T[n]> : true_type {};
template <typename T> struct ridge_is_integral : false_type {};
template <typename T> struct ridge_is_floating : false_type {};
#define RIDGE_INTEGRAL(T, S, U)                                                                     \
    template <> struct ridge_is_integral<T> : true_type { typedef S with_sign; typedef U without; };
RIDGE_INTEGRAL(bool, bool, bool)
RIDGE_INTEGRAL(char, signed char, unsigned char)
RIDGE_INTEGRAL(signed char, signed char, unsigned char)
RIDGE_INTEGRAL(unsigned char, signed char, unsigned char)
RIDGE_INTEGRAL(short, short, unsigned short)
RIDGE_INTEGRAL(unsigned short, short, unsigned short)
RIDGE_INTEGRAL(int, int, unsigned)
RIDGE_INTEGRAL(unsigned, int, unsigned)
RIDGE_INTEGRAL(long, long, unsigned long)
RIDGE_INTEGRAL(unsigned long, long, unsigned long)
RIDGE_INTEGRAL(long long, long long, unsigned long long)
RIDGE_INTEGRAL(unsigned long long, long long, unsigned long long)
#undef RIDGE_INTEGRAL
template <> struct ridge_is_floating<float> : true_type {};
template <> struct ridge_is_floating<double> : true_type {};
template <typename T> struct is_integral : bool_constant<ridge_is_integral<remove_cv_t<T>>::value> {};
template <typename T> struct is_floating_point : bool_constant<ridge_is_floating<remove_cv_t<T>>::value> {};
template <typename T> struct is_arithmetic : bool_constant<is_integral<T>::value || is_floating_point<T>::value> {};
template <typename T, bool = is_arithmetic<T>::value> struct is_signed : false_type {};
template <typename T> struct is_signed<T, true> : bool_constant<(T(-1) < T(0))> {};
template <typename T, bool = is_arithmetic<T>::value> struct is_unsigned : false_type {};
template <typename T> struct is_unsigned<T, true> : bool_constant<(T(0) < T(-1))> {};
template <typename T> struct make_signed { typedef typename ridge_is_integral<T>::with_sign type; };
template <typename T> struct make_unsigned { typedef typename ridge_is_integral<T>::without type; };
template <typename T> using make_signed_t = typename make_signed<T>::type;
template <typename T> using make_unsigned_t = typename make_unsigned<T>::type;
template <typename T> struct is_enum : bool_constant<__is_enum(T)> {};
template <typename T> struct is_class : bool_constant<__is_class(T)> {};
template <typename T> struct is_trivially_copyable : bool_constant<__is_trivially_copyable(T)> {};
template <typename T> struct is_pod : bool_constant<__is_pod(T)> {};
template <typename B, typename D> struct is_base_of : bool_constant<__is_base_of(B, D)> {};
template <typename T> struct underlying_type { typedef __underlying_type(T) type; };
template <typename T> using underlying_type_t = typename underlying_type<T>::type;
template <typename T> struct decay
{
    typedef remove_reference_t<T> bare;
    typedef conditional_t<is_array<bare>::value, typename remove_extent<bare>::type *, remove_cv_t<bare>> type;
};
template <typename T> using decay_t = typename decay<T>::type;
template <typename...> struct conjunction : true_type {};
template <typename A, typename... R> struct conjunction<A, R...> : conditional_t<bool(A::value), conjunction<R...>, A> {};
template <typename...> struct disjunction : false_type {};
template <typename A, typename... R> struct disjunction<A, R...> : conditional_t<bool(A::value), A, disjunction<R...>> {};
template <typename A> struct negation : bool_constant<!bool(A::value)> {};
template <typename T> __host__ __device__ T &&declval() noexcept;
template <typename F, typename T> struct is_convertible : bool_constant<__is_convertible_to(F, T)> {};

#define RIDGE_TRAIT(name) template <typename T> inline constexpr bool name##_v = name<T>::value;
#if __cplusplus >= 201703L
RIDGE_TRAIT(is_void) RIDGE_TRAIT(is_pointer) RIDGE_TRAIT(is_reference) RIDGE_TRAIT(is_const) RIDGE_TRAIT(is_array)
RIDGE_TRAIT(is_integral) RIDGE_TRAIT(is_floating_point) RIDGE_TRAIT(is_arithmetic) RIDGE_TRAIT(is_signed)
RIDGE_TRAIT(is_unsigned) RIDGE_TRAIT(is_enum) RIDGE_TRAIT(is_class) RIDGE_TRAIT(is_trivially_copyable) RIDGE_TRAIT(is_pod)
template <typename T, typename U> inline constexpr bool is_same_v = is_same<T, U>::value;
template <typename T, typename U> inline constexpr bool is_base_of_v = is_base_of<T, U>::value;
template <typename T, typename U> inline constexpr bool is_convertible_v = is_convertible<T, U>::value;
template <typename... T> inline constexpr bool conjunction_v = conjunction<T...>::value;
template <typename... T> inline constexpr bool disjunction_v = disjunction<T...>::value;
#endif
#undef RIDGE_TRAIT

/* ---- limits ------------------------------------------------------------------------------------- */

template <typename T, bool = is_integral<T>::value> struct numeric_limits
{
    static constexpr bool is_specialized = false;
};
template <typename T> struct numeric_limits<T, true>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = std::is_signed<T>::value;
    static constexpr bool has_infinity = false, has_quiet_NaN = false;
    static constexpr int digits = int(sizeof(T) * 8) - is_signed;
    static RIDGE_STD T max() { return is_signed ? T(((make_unsigned_t<T>)~(make_unsigned_t<T>)0) >> 1) : T(~T(0)); }
    static RIDGE_STD T min() { return is_signed ? T(-max() - 1) : T(0); }
    static RIDGE_STD T lowest() { return min(); }
    static RIDGE_STD T epsilon() { return T(0); }
};
template <> struct numeric_limits<bool, true>
{
    static constexpr bool is_specialized = true, is_integer = true, is_signed = false;
    static constexpr int digits = 1;
    static RIDGE_STD bool max() { return true; }
    static RIDGE_STD bool min() { return false; }
    static RIDGE_STD bool lowest() { return false; }
};
template <> struct numeric_limits<float, false>
{
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true;
    static constexpr bool has_infinity = true, has_quiet_NaN = true;
    static constexpr int digits = 24, digits10 = 6, max_exponent = 128, min_exponent = -125;
    static RIDGE_STD float max() { return 3.402823466e+38f; }
    static RIDGE_STD float min() { return 1.175494351e-38f; }
    static RIDGE_STD float lowest() { return -3.402823466e+38f; }
    static RIDGE_STD float epsilon() { return 1.192092896e-07f; }
    RIDGE_SPECIAL(float, infinity, __int_as_float(0x7f800000), __builtin_huge_valf())
    RIDGE_SPECIAL(float, quiet_NaN, __int_as_float(0x7fffffff), __builtin_nanf(""))
};
template <> struct numeric_limits<double, false>
{
    static constexpr bool is_specialized = true, is_integer = false, is_signed = true;
    static constexpr bool has_infinity = true, has_quiet_NaN = true;
    static constexpr int digits = 53, digits10 = 15, max_exponent = 1024, min_exponent = -1021;
    static RIDGE_STD double max() { return 1.7976931348623157e+308; }
    static RIDGE_STD double min() { return 2.2250738585072014e-308; }
    static RIDGE_STD double lowest() { return -1.7976931348623157e+308; }
    static RIDGE_STD double epsilon() { return 2.2204460492503131e-16; }
    RIDGE_SPECIAL(double, infinity, __longlong_as_double(0x7ff0000000000000LL), __builtin_huge_val())
    RIDGE_SPECIAL(double, quiet_NaN, __longlong_as_double(0x7ff8000000000000LL), __builtin_nan(""))
};

/* ---- values ------------------------------------------------------------------------------------- */

#ifndef __CUDACC_RTC__ // NVRTC has these two built in
template <typename T> RIDGE_STD remove_reference_t<T> &&move(T &&v) noexcept { return static_cast<remove_reference_t<T> &&>(v); }
template <typename T> RIDGE_STD T &&forward(remove_reference_t<T> &v) noexcept { return static_cast<T &&>(v); }
template <typename T> RIDGE_STD T &&forward(remove_reference_t<T> &&v) noexcept { return static_cast<T &&>(v); }
#endif
template <typename T> RIDGE_STD const T &min(const T &a, const T &b) { return b < a ? b : a; }
template <typename T> RIDGE_STD const T &max(const T &a, const T &b) { return a < b ? b : a; }
template <typename T, typename C> RIDGE_STD const T &min(const T &a, const T &b, C less) { return less(b, a) ? b : a; }
template <typename T, typename C> RIDGE_STD const T &max(const T &a, const T &b, C less) { return less(a, b) ? b : a; }
template <typename T> RIDGE_STD const T &clamp(const T &v, const T &a, const T &b) { return v < a ? a : b < v ? b : v; }
template <typename T> RIDGE_STD void swap(T &a, T &b) { T c = a; a = b; b = c; }
template <typename T, typename U = T> RIDGE_STD T exchange(T &a, U b) { T c = a; a = b; return c; }
template <typename A, typename B> struct pair
{
    typedef A first_type;
    typedef B second_type;
    A first;
    B second;
};
template <typename A, typename B> RIDGE_STD pair<decay_t<A>, decay_t<B>> make_pair(A a, B b) { return {a, b}; }
template <typename T, size_t n> struct array
{
    T items[n ? n : 1];
    RIDGE_STD T &operator[](size_t i) { return items[i]; }
    RIDGE_STD const T &operator[](size_t i) const { return items[i]; }
    RIDGE_STD T *data() { return items; }
    RIDGE_STD const T *data() const { return items; }
    RIDGE_STD T *begin() { return items; }
    RIDGE_STD const T *begin() const { return items; }
    RIDGE_STD T *end() { return items + n; }
    RIDGE_STD const T *end() const { return items + n; }
    RIDGE_STD size_t size() const { return n; }
};
template <typename T, T... i> struct integer_sequence { static RIDGE_STD size_t size() { return sizeof...(i); } };
template <size_t... i> using index_sequence = integer_sequence<size_t, i...>;
#define RIDGE_OPERATION(name, op) \
    template <typename T = void> struct name { RIDGE_STD T operator()(const T &a, const T &b) const { return a op b; } };
RIDGE_OPERATION(plus, +) RIDGE_OPERATION(minus, -) RIDGE_OPERATION(multiplies, *) RIDGE_OPERATION(divides, /)
#undef RIDGE_OPERATION
#define RIDGE_OPERATION(name, op) \
    template <typename T = void> struct name { RIDGE_STD bool operator()(const T &a, const T &b) const { return a op b; } };
RIDGE_OPERATION(less, <) RIDGE_OPERATION(greater, >) RIDGE_OPERATION(less_equal, <=) RIDGE_OPERATION(greater_equal, >=)
RIDGE_OPERATION(equal_to, ==)
#undef RIDGE_OPERATION

// Functions of the device that are called as std::sqrt and the like.
using ::sqrt; using ::fabs; using ::exp; using ::exp2; using ::log; using ::log2; using ::log10; using ::pow;
using ::sin; using ::cos; using ::tan; using ::tanh; using ::sinh; using ::cosh; using ::asin; using ::acos; using ::atan;
using ::atan2; using ::floor; using ::ceil; using ::trunc; using ::fmin; using ::fmax; using ::fmod; using ::abs;
using ::hypot; using ::erf; using ::cbrt; using ::fma; using ::rint; using ::round;
using ::isnan; using ::isinf; using ::isfinite;
} // namespace std

#endif
