use std::{path::Path, time::Instant};
fn main() {
    let file = std::env::args().nth(1).unwrap();
    for _ in 0..5 {
        let t = Instant::now();
        let p = cfg_project::Projects::new(None);
        let s = p.settings(Path::new(&file));
        let a = t.elapsed();
        let d = p.target(Path::new(&file));
        let b = t.elapsed();
        let t = Instant::now();
        for _ in 0..10000 {
            std::hint::black_box(p.target(Path::new(&file)));
            std::hint::black_box(p.settings(Path::new(&file)));
        }
        println!(
            "settings {a:?} +target {b:?} files {} target {:?}; 10000 more: {:?}",
            s.files.len(),
            d.map(|d| d.as_ref().as_ref().map(|d| d.source.to_string()).map_err(|e| e.to_string())),
            t.elapsed()
        );
    }
    if let Some(dir) = std::env::args().nth(2) {
        let t = Instant::now();
        let f = cfg_project::discover(&[dir.into()], Default::default());
        println!("discover {} in {:?}", f.len(), t.elapsed());
    }
}
