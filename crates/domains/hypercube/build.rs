//! Says which published instances the tests can read.

fn main() {
    soloist_testdata::declare_shared_data();
}
