//! GPUs, models, and the memory and disk that a run needs: plain numbers in, a breakdown out.
