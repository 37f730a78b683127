//! The tutorial in the crate's documentation is the example program, line by line.

#[test]
fn tutorial_is_the_example() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/knapsack.rs");
    let example = std::fs::read_to_string(path).unwrap();
    let program = &example[example.find("use soloist").unwrap()..example.find("#[cfg(test)]").unwrap()];
    let lines = |text: &str| text.lines().map(str::to_owned).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let program = lines(program);
    let guide = include_str!("../../src/guide.md");
    let tutorial = &guide[guide.find("# Ten minutes").unwrap()..guide.find("**The test.**").unwrap()];
    let blocks: Vec<&str> = tutorial.split("```\n").skip(1).step_by(2).collect();
    // What a reader sees, block after block, is the whole program.
    let visible: Vec<String> =
        blocks.iter().flat_map(|block| lines(block)).filter(|line| line != "#" && !line.starts_with("# ")).collect();
    assert_eq!(visible, program);
    // And what the documentation's last block runs is the whole program as well.
    let bare = |line: String| line.strip_prefix("# ").map_or(line.clone(), str::to_owned);
    let run: Vec<String> = lines(blocks[2]).into_iter().filter(|line| line != "#").map(bare).collect();
    assert_eq!(run, program);
}
