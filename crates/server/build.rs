//! Makes a release build notice that the console was built anew. A debug build reads the
//! console's folder at run time and needs nothing.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var_os("PROFILE").is_some_and(|profile| profile == "release") {
        println!("cargo:rerun-if-changed=../../console/dist");
    }
}
