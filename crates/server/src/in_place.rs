//! Boxes whose content is made where it stays. `Box::new` and `Box::pin` are given a value that is there already, on
//! the stack, and copy all of its room: of a future that has not begun, kilobytes that nothing is in yet.

use std::pin::Pin;

/// A box with what is made for it.
#[inline]
pub fn boxed<T>(make: impl FnOnce() -> T) -> Box<T> {
    // First the room: with it at hand, the compiler puts each part of the value there.
    let room = Box::new_uninit();
    Box::write(room, make())
}

/// The same for a future.
#[inline]
pub fn pinned<T>(make: impl FnOnce() -> T) -> Pin<Box<T>> {
    Box::into_pin(boxed(make))
}
