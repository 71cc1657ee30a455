//! What prime-rl never checks: rules over the plan of a run.
