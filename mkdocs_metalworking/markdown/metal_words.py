"""The words of the Metal Shading Language, by what they are to a reader of code."""

from pygments.token import Keyword, Name, _TokenType


def table(words: str, form: str = "{}") -> list[str]:
    """Read a table of words, each put into a form."""
    return [form.format(word) for word in words.split()]


# Address spaces get a class of their own, Keyword.Reserved: where a pointer points is the first thing to read in a
# kernel, and a theme can pick `.kr` out. C++ words that Pygments puts there too are moved to Keyword below.
ADDRESS_SPACES = table("device constant threadgroup thread threadgroup_imageblock ray_data object_data")

# Keyword.Declaration, as `def` or `fn` elsewhere: these words open an entry point.
STAGES = table("kernel vertex fragment")
# The same, but reserved nowhere, hence also names of variables: qualifiers only when a type follows.
SOFT_STAGES = table("mesh object visible intersection stitchable")

CPP_KEYWORDS = table("inline __inline __inline__ __restrict __restrict__ __asm __asm__ __typeof__")

# Keywords to Pygments, plain names in the C++17 that Metal is.
PLAIN_NAMES = table(
    "complex concept contract_assert countof defer fortran import module naked post pre requires restricted throws "
    "typeof typeof_unqual"
)

NAMESPACES = table("metal fast precise raytracing mpp tensor_ops std")

SCALARS = "char uchar short ushort int uint long ulong half float bfloat"

TYPES = [
    *table("uchar ushort uint ulong half bfloat size_t ptrdiff_t nullptr_t bool2 bool3 bool4"),
    *table("int8 int16 int32 int64 uint8 uint16 uint32 uint64", "{}_t"),
    *(form.format(scalar, n) for form in ("{}{}", "packed_{}{}") for scalar in table(SCALARS) for n in "234"),
    *(f"{scalar}{columns}x{rows}" for scalar in ("half", "float") for columns in "234" for rows in "234"),
    *table("half float bfloat", "simdgroup_{}8x8"),
    *table("bool int uint long ulong float", "atomic_{}"),
    *table("1d 1d_array 2d 2d_array 2d_ms 2d_ms_array 3d cube cube_array _buffer", "texture{}"),
    *table("2d 2d_array 2d_ms 2d_ms_array cube cube_array", "depth{}"),
    *table("sampler array_ref imageblock imageblock_slice simdgroup_matrix simd_vote quad_vote"),
    *table("mem_flags memory_order thread_scope patch_control_point mesh_grid_properties"),
    *table("tensor_handle tensor_inline tensor_offset extents dextents cooperative_tensor"),
    *table("matmul2d matmul2d_descriptor convolution2d convolution2d_descriptor"),
    *table("thread simdgroup simdgroups threadgroup", "execution_{}"),
    *table("intersector intersection_params intersection_query intersection_result"),
    *table("acceleration_structure primitive_acceleration_structure instance_acceleration_structure"),
    *table("visible_function_table intersection_function_table"),
    *table("command_buffer render_command compute_command render_pipeline_state compute_pipeline_state"),
]

# Templates with everyday names: types only before `<` or `(`.
TEMPLATES = frozenset(table("vec packed_vec matrix atomic array tensor mesh interpolant uniform"))

# Enumerations with everyday names: types only before `::`, and what follows that is a constant.
ENUMS = table(
    "access address border_color compare_func component coord filter mag_filter mem_flags memory_order min_filter "
    "mip_filter r_address s_address t_address thread_scope topology"
)

CONSTANTS = [
    *table("none device threadgroup texture threadgroup_imageblock object_data", "mem_{}"),
    *table("relaxed acquire release acq_rel seq_cst", "memory_order_{}"),
    *table("thread simdgroup threadgroup device", "thread_scope_{}"),
    *table("CHAR SCHAR SHRT INT LONG FLT HALF", "{}_MIN"),
    *table("CHAR SCHAR UCHAR SHRT USHRT INT UINT LONG ULONG FLT HALF", "{}_MAX"),
    *(f"M_{name}_{kind}" for name in table("E LN2 LN10 PI PI_2 PI_4 1_PI 2_PI SQRT2 SQRT1_2") for kind in "FH"),
    *table("INFINITY NAN MAXFLOAT MAXHALF HUGE_VALF HUGE_VALH FLT_EPSILON HALF_EPSILON"),
    *table("dynamic_extent dynamic_length_v"),
]

ACROSS_LANES = (
    "active_threads_mask all and any ballot broadcast broadcast_first first is_first is_helper_thread max min or "
    "prefix_exclusive_product prefix_exclusive_sum prefix_inclusive_product prefix_inclusive_sum product shuffle "
    "shuffle_and_fill_down shuffle_and_fill_up shuffle_down shuffle_rotate_down shuffle_rotate_up shuffle_up "
    "shuffle_xor sum xor"
)

BUILTINS = [
    *table(ACROSS_LANES, "simd_{}"),
    *table(ACROSS_LANES, "quad_{}"),
    *table("compare_exchange_weak exchange load max min store", "atomic_{}_explicit"),
    *table("add and max min or sub xor", "atomic_fetch_{}_explicit"),
    *table("atomic_thread_fence threadgroup_barrier simdgroup_barrier make_filled_simdgroup_matrix"),
    *table("load store multiply multiply_accumulate", "simdgroup_{}"),
    *table("as_type discard_fragment is_function_constant_defined is_null_texture make_uniform"),
    *(form.format(packed, scalar) for form in ("pack_{1}_to_{0}", "unpack_{0}_to_{1}")
      for packed in table("unorm4x8 snorm4x8 unorm2x16 snorm2x16") for scalar in ("float", "half")),
]  # fmt: skip

# Functions with everyday names: builtins only when called.
CALLS = frozenset([
    # integer
    *table("abs absdiff addsat clamp clz ctz extract_bits hadd insert_bits mad24 madhi madsat max max3 median3 min"),
    *table("min3 mul24 mulhi popcount reverse_bits rhadd rotate subsat"),
    # relational
    *table("all any isfinite isinf isnan isnormal isordered isunordered select signbit"),
    # floating point
    *table("acos acosh asin asinh atan atan2 atanh ceil copysign cos cosh cospi divide exp exp10 exp2 fabs fdim"),
    *table("floor fma fmax fmax3 fmedian3 fmin fmin3 fmod fract frexp ilogb ldexp log log10 log2 mix modf nextafter"),
    *table("pow powr rint round rsqrt saturate sign sin sincos sinh sinpi smoothstep sqrt step tan tanh tanpi trunc"),
    # geometric, matrix, fragment
    *table("cross determinant distance distance_squared dot faceforward length length_squared normalize reflect"),
    *table("refract transpose dfdx dfdy fwidth"),
])  # fmt: skip

NAMES: dict[str, _TokenType] = {
    **dict.fromkeys(TYPES, Keyword.Type),
    **dict.fromkeys(CONSTANTS, Name.Constant),
    **dict.fromkeys(BUILTINS, Name.Builtin),
}
