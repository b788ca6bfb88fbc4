//! What reading a file takes of memory, counted by an allocator: long files and hostile ones.

mod counting;
mod hostile;
mod long_files;

#[global_allocator]
static ALLOCATOR: counting::Counting = counting::Counting;
