//! A whole run: the processes on each GPU, and their assessment.

use crate::{
    accuracy::Accuracy,
    architecture::Architecture,
    catalogue::Gpu,
    disk::{Disk, Writes, disk},
    inference::{Budget, Inference},
    trainer::{Peak, Trainer},
    units::Bytes,
    verdict::{Judgement, Verdict, judge},
};

/// The processes of a run and their GPUs.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    /// The trained model. It is also the served one unless that is given.
    pub model: Architecture,
    /// The served model, if it is a different one.
    pub served: Option<Architecture>,
    /// Whether the trained model's shape comes from its own `config.json`.
    pub confirmed: bool,
    /// The machine's GPUs, which are all of one kind; `None` if that is not known.
    pub gpu: Option<Gpu>,
    /// The trainer.
    pub trainer: Option<Trainer>,
    /// Indices of its GPUs.
    pub trainer_gpus: Vec<u32>,
    /// The inference server.
    pub inference: Option<Inference>,
    /// Indices of its GPUs.
    pub inference_gpus: Vec<u32>,
    /// The files written to disk.
    pub writes: Option<Writes>,
}

/// The assessment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Assessment {
    /// Each GPU, by index.
    pub gpus: Vec<OnGpu>,
    /// The trainer's peak, the same on each of its GPUs, with the range of measured errors.
    pub peak: Option<Peak>,
    /// vLLM's budget, the same on each of its GPUs; `None` if the card is not known.
    pub budget: Option<Budget>,
    /// The files written to disk.
    pub disk: Option<Disk>,
    /// Memory of the hosts of all nodes together that an offload needs; zero without one.
    pub host_memory: Bytes,
    /// How reliable the trainer's peak is.
    pub accuracy: Option<Accuracy>,
}

/// The assessment of one GPU.
#[derive(Clone, Debug, PartialEq)]
pub struct OnGpu {
    /// Its index.
    pub index: u32,
    /// Whether the trainer runs on it.
    pub trains: bool,
    /// Whether the inference server runs on it.
    pub serves: bool,
    /// Its judgement.
    pub judgement: Judgement,
}

impl Run {
    /// The served model.
    pub fn served_model(&self) -> &Architecture {
        self.served.as_ref().unwrap_or(&self.model)
    }

    /// Judges each GPU.
    pub fn assess(&self) -> Assessment {
        let accuracy = self.trainer.as_ref().map(|trainer| Accuracy::of(trainer, &self.model, self.confirmed));
        let peak = self.trainer.as_ref().zip(accuracy.as_ref());
        let peak = peak.map(|(trainer, accuracy)| {
            let mut peak = trainer.peak(&self.model).within(&accuracy.spread);
            if trainer.packs > 1 {
                // The orchestrator packs fewer sequences if there are no more.
                peak.low = peak.low.min(Trainer { packs: 1, ..trainer.clone() }.peak(&self.model).within(&accuracy.spread).low);
            }
            peak
        });
        let budget =
            self.inference.as_ref().zip(self.gpu.as_ref()).map(|(inference, gpu)| inference.budget(self.served_model(), gpu));
        let mut indices: Vec<u32> = self.trainer_gpus.iter().chain(&self.inference_gpus).copied().collect();
        indices.sort_unstable();
        indices.dedup();
        let (mut trainer_gpus, mut inference_gpus) = (self.trainer_gpus.clone(), self.inference_gpus.clone());
        trainer_gpus.sort_unstable();
        inference_gpus.sort_unstable();
        let judged = |trains: bool, serves: bool| {
            let (peak, budget) = (peak.as_ref().filter(|_| trains), budget.as_ref().filter(|_| serves));
            self.gpu.as_ref().map_or_else(unknown, |gpu| judge(gpu.total, peak, budget))
        };
        // GPUs with the same processes are judged once.
        let kinds = [[judged(false, false), judged(false, true)], [judged(true, false), judged(true, true)]];
        let on_gpu = |index: u32| {
            let trains = self.trainer.is_some() && trainer_gpus.binary_search(&index).is_ok();
            let serves = self.inference.is_some() && inference_gpus.binary_search(&index).is_ok();
            OnGpu { index, trains, serves, judgement: kinds[usize::from(trains)][usize::from(serves)].clone() }
        };
        let gpus = indices.into_iter().map(on_gpu).collect();
        let disk = self.trainer.as_ref().zip(self.writes.as_ref()).map(|(trainer, writes)| disk(trainer, &self.model, writes));
        let host_memory = self.trainer.as_ref().map_or(Bytes::ZERO, |trainer| trainer.host_memory(&self.model));
        Assessment { gpus, peak, budget, disk, host_memory, accuracy }
    }
}

impl Assessment {
    /// The worst verdict of all GPUs: an error has priority over unknown, and unknown over tight.
    pub fn verdict(&self) -> Verdict {
        let rank = |verdict: Verdict| match verdict {
            Verdict::Fits => 0,
            Verdict::Tight => 1,
            Verdict::Unknown => 2,
            Verdict::OutOfMemory | Verdict::StartUpFailure => 3,
        };
        self.gpus.iter().map(|gpu| gpu.judgement.verdict).max_by_key(|verdict| rank(*verdict)).unwrap_or(Verdict::Unknown)
    }
}

/// An unknown card has no assessment.
fn unknown() -> Judgement {
    let nothing = (Bytes::ZERO, Bytes::ZERO);
    Judgement { verdict: Verdict::Unknown, reasons: Vec::new(), held: nothing, idle: Bytes::ZERO, margin: nothing }
}
