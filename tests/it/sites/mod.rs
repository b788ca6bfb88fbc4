//! Many sites: whole exchanges by files, and what goes wrong in them.

mod attacks;
mod consortium;
mod groups;
mod neighbours;
mod regression;
mod rounds;
