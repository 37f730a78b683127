//! Choosing the kernels at run time.

/// Which machine instructions the kernels use. Every engine plays the same moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Engine {
    /// No more than the target's baseline.
    Portable,
    /// BMI1, BMI2, POPCNT, LZCNT and AVX2.
    Bmi2,
    /// AVX-512 (F, BW, DQ, VL, VBMI2, BITALG, VPOPCNTDQ) besides those of `Bmi2`.
    Avx512,
}

impl Engine {
    /// Every engine, the slowest first.
    pub const ALL: [Self; 3] = [Self::Portable, Self::Bmi2, Self::Avx512];

    /// The name that `SOLOIST_ENGINE` takes.
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
                    && is_x86_feature_detected!("avx2")
            };
            match self {
                Self::Portable => true,
                Self::Bmi2 => bmi2(),
                Self::Avx512 => {
                    bmi2()
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

    /// The fastest engine of this processor, or the one named by the environment variable `SOLOIST_ENGINE`.
    ///
    /// # Errors
    /// The variable names no engine, or one that this processor cannot run.
    pub fn detect() -> Result<Self, String> {
        match std::env::var_os("SOLOIST_ENGINE") {
            Some(name) => Self::named(&name.to_string_lossy()),
            None => Ok(Self::fastest()),
        }
    }

    /// The engine called `name`.
    ///
    /// # Errors
    /// There is none, or this processor cannot run it.
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
        Self::ALL.into_iter().rfind(|e| e.is_supported()).unwrap_or(Self::Portable)
    }
}
