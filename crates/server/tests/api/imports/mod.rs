//! Importing from other gateways: databases made by their schemas with made-up rows, through the
//! interface and through the command line.

mod command;
mod databases;
mod forms;
mod hostile;
mod litellm;
mod litellm_database;
mod office;
mod rows;
mod schemas;
mod undo;
