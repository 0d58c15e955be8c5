//! What the service runs on.

use crate::support::Office;

#[test]
fn administrators_see_nodes_database_and_disk() {
    let office = Office::with("[server]\ndata_dir = \".\"\n");
    let system = office.administrator.get("/api/system/").data();
    assert_eq!(system["version"], env!("CARGO_PKG_VERSION"));
    assert!(system["database"]["size_bytes"].as_i64().unwrap() > 0);
    assert_eq!(system["database"]["engine"], "sqlite");
    let disk = &system["disk"];
    assert!(disk["total_bytes"].as_u64() >= disk["free_bytes"].as_u64());
    assert!(disk["total_bytes"].as_u64().unwrap() > 0);
    assert!(system["nodes"].is_array());
}
