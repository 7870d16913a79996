// Our own small kernels in Rust, for nvptx64-nvidia-cuda: make_rust.sh compiles them to one file of PTX.
// SPDX-License-Identifier: Apache-2.0
#![no_std]
#![feature(abi_ptx, stdsimd)]
use core::arch::nvptx::*;
use core::panic::PanicInfo;
use core::slice::{from_raw_parts, from_raw_parts_mut};
use core::sync::atomic::{AtomicU32, Ordering};

#[panic_handler]
fn panic(_: &PanicInfo) -> ! {
    unsafe { trap() }
}

unsafe fn at() -> usize {
    (_block_idx_x() * _block_dim_x() + _thread_idx_x()) as usize
}

/// Slices, whose indices are checked.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn saxpy(out: *mut f32, x: *const f32, y: *const f32, a: f32, n: usize, m: usize) {
    let (x, y) = (from_raw_parts(x, n), from_raw_parts(y, m));
    let out = from_raw_parts_mut(out, n);
    let i = at();
    if i < n {
        // y[i] would call core's own panic, which is in no module of ours.
        out[i] = a * x[i] + y.get(i).unwrap_or_else(|| trap());
    }
}

/// core's atomics, on memory of any state space.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn histogram(bins: *const AtomicU32, x: *const u8, n: u32) {
    let stride = (_block_dim_x() * _grid_dim_x()) as usize;
    let mut i = at();
    while i < n as usize {
        (*bins.add(*x.add(i) as usize)).fetch_add(1, Ordering::Relaxed);
        i += stride;
    }
}

/// Integers that wrap, saturate and are checked; a match of many arms; 128 bits.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn mix(out: *mut u64, x: *const u64, n: u32) {
    let i = at();
    if i >= n as usize {
        return;
    }
    let v = (*x.add(i)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let w = v.rotate_left(23); // by a variable LLVM 14 compiles it wrong: amounts above 63 are not reduced
    *out.add(i) = match v % 9 {
        0 => v.wrapping_mul(w),
        1 => v.saturating_add(w),
        2 => v.checked_sub(w).unwrap_or(7),
        3 => u64::from(v.leading_zeros() * 100 + w.trailing_zeros() * 10 + v.count_ones()),
        4 => v.swap_bytes() ^ w.reverse_bits(),
        5 => ((u128::from(v) * u128::from(w)) >> 64) as u64,
        6 => w / (v | 1),
        7 => (v as i64).wrapping_abs() as u64 % 1000003,
        _ => v.abs_diff(w),
    };
}

/// An array per thread, sorted in local memory.
#[no_mangle]
pub unsafe extern "ptx-kernel" fn median(out: *mut f32, x: *const f32, n: u32) {
    let i = at();
    if i >= n as usize {
        return;
    }
    let mut window = [0f32; 9];
    for (k, w) in window.iter_mut().enumerate() {
        *w = *x.add((i + k) % n as usize);
    }
    for k in 1..window.len() {
        let mut j = k;
        while j > 0 && window[j - 1] > window[j] {
            window.swap(j - 1, j);
            j -= 1;
        }
    }
    *out.add(i) = window[4];
}
