//! Records as lists: those that every call brings are written without the names of their fields, which would be most
//! of their bytes. They are read both ways, since earlier versions wrote the names.

/// Writes a record as the list of its fields, in the order that they are declared in. A field that comes to a record
/// later comes last and has a default, so that a shorter list can still be read.
#[macro_export]
macro_rules! written_as_list {
    ($record:ty: $($field:ident),+ $(,)?) => {
        impl ::serde::Serialize for $record {
            fn serialize<S: ::serde::Serializer>(&self, serializer: S) -> ::core::result::Result<S::Ok, S::Error> {
                use ::serde::ser::SerializeTuple as _;
                let count = [$(stringify!($field)),+].len();
                let mut list = serializer.serialize_tuple(count)?;
                $(list.serialize_element(&self.$field)?;)+
                list.end()
            }
        }
    };
}
