//! Choosing the kernels at run time.

use super::geometry::Geometry;
use super::ops::{Ops, PORTABLE};

/// Work on boards that is compiled once for each engine.
///
/// [`run`](Self::run) and what it calls must be `#[inline(always)]`: only then do the engine's instructions reach it.
pub trait KernelTask<G: Geometry> {
    /// What it yields.
    type Output;
    /// Does the work with the operations of one engine.
    fn run<O: Ops<G>>(self, ops: O) -> Self::Output;
}

/// Which machine instructions the kernels use. Every engine plays the same moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// No more than the target's baseline.
    Portable,
    /// BMI1, BMI2, POPCNT and LZCNT. (With AVX2 besides, compilers move masks to and fro between registers: measured
    /// slower.)
    Bmi2,
    /// AVX2 and AVX-512 (F, BW, DQ, VL, VBMI2, BITALG, VPOPCNTDQ) besides those of `Bmi2`.
    Avx512,
}

impl Engine {
    /// Every engine, the slowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Bmi2, Self::Avx512];

    /// Returns the name that `SOLOIST_ENGINE` takes.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Bmi2 => "bmi2",
            Self::Avx512 => "avx512",
        }
    }

    /// Whether this processor can run the engine.
    #[inline]
    #[must_use]
    pub fn is_supported(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        {
            let bmi2 = || {
                is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("popcnt")
                    && is_x86_feature_detected!("lzcnt")
            };
            match self {
                Self::Portable => true,
                Self::Bmi2 => bmi2(),
                Self::Avx512 => {
                    bmi2()
                        && is_x86_feature_detected!("avx2")
                        && is_x86_feature_detected!("avx512f")
                        && is_x86_feature_detected!("avx512bw")
                        && is_x86_feature_detected!("avx512dq")
                        && is_x86_feature_detected!("avx512vl")
                        && is_x86_feature_detected!("avx512vbmi2")
                        && is_x86_feature_detected!("avx512bitalg")
                        && is_x86_feature_detected!("avx512vpopcntdq")
                }
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        {
            self == Self::Portable
        }
    }

    /// Returns the fastest engine of this processor, or the one named by the environment variable `SOLOIST_ENGINE`.
    ///
    /// # Errors
    /// The variable names no engine, or one that this processor cannot run.
    pub fn detect() -> Result<Self, String> {
        match std::env::var_os("SOLOIST_ENGINE") {
            Some(name) if !name.is_empty() => Self::named(&name.to_string_lossy()),
            _ => Ok(Self::fastest()),
        }
    }

    /// Returns the engine called `name`.
    ///
    /// # Errors
    /// The engine does not exist, or this processor cannot run it.
    pub fn named(name: &str) -> Result<Self, String> {
        let choices = || {
            let names: Vec<_> = Self::ALL.into_iter().filter(|e| e.is_supported()).map(Self::name).collect();
            names.join(", ")
        };
        match Self::ALL.into_iter().find(|e| e.name() == name) {
            Some(engine) if engine.is_supported() => Ok(engine),
            Some(_) => Err(format!("SOLOIST_ENGINE={name}: this processor cannot run it; choices here: {}", choices())),
            None => Err(format!("SOLOIST_ENGINE={name}: no such engine; choices here: {}", choices())),
        }
    }

    fn fastest() -> Self {
        let good = |engine: &Self| engine.is_supported() && !(*engine == Self::Bmi2 && extraction_is_slow());
        Self::ALL.into_iter().rfind(good).unwrap_or(Self::Portable)
    }

    /// Returns the engine for everything but uniform playouts: masks that move between vector and general registers
    /// cost more there than AVX-512 saves (measured, see `docs/performance.md`), so it gives way to BMI2.
    #[must_use]
    pub fn for_lists(self) -> Self {
        if self == Self::Avx512 { Self::Bmi2 } else { self }
    }

    /// Runs `job` with this engine's operations; with the portable ones where the processor lacks what the engine
    /// needs.
    #[inline]
    pub fn run<G: Geometry, J: KernelTask<G>>(self, job: J) -> J::Output {
        #[cfg(target_arch = "x86_64")]
        if self.is_supported() {
            match self {
                Self::Portable => {}
                // SAFETY: the processor has the instructions, just asked.
                Self::Avx512 if G::HAS_AVX512 => return unsafe { run_avx512(job) },
                // SAFETY: as above; whatever has AVX-512 has these too.
                Self::Bmi2 | Self::Avx512 => return unsafe { run_bmi2(job) },
            }
        }
        job.run(PORTABLE)
    }
}

/// Whether PEXT and PDEP are microcode: AMD before family 19h (Zen 3).
fn extraction_is_slow() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        // SAFETY: every x86-64 processor has CPUID with leaves 0 and 1.
        #[allow(unused_unsafe, reason = "safe to call in newer standard libraries")]
        let (vendor, version) = unsafe { (__cpuid(0), __cpuid(1).eax) };
        let amd = [vendor.ebx, vendor.edx, vendor.ecx] == [0x6874_7541, 0x6974_6e65, 0x444d_4163];
        let family = (version >> 8 & 0xf) + (version >> 20 & 0xff);
        amd && family < 0x19
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        false
    }
}

/// # Safety
/// The processor has what [`Engine::Bmi2`] asks for.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi1,bmi2,popcnt,lzcnt")]
unsafe fn run_bmi2<G: Geometry, J: KernelTask<G>>(job: J) -> J::Output {
    // SAFETY: the caller's promise.
    job.run(unsafe { G::Bmi2::assume() })
}

/// # Safety
/// The processor has what [`Engine::Avx512`] asks for.
#[cfg(target_arch = "x86_64")]
#[target_feature(
    enable = "bmi1,bmi2,popcnt,lzcnt,avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi2,avx512bitalg,avx512vpopcntdq"
)]
unsafe fn run_avx512<G: Geometry, J: KernelTask<G>>(job: J) -> J::Output {
    // SAFETY: the caller's promise.
    job.run(unsafe { G::Avx512::assume() })
}
