//! `#[derive(GetSize)]` that implements nothing.

use proc_macro::TokenStream;

/// Nothing: nobody asks the types for their size.
#[proc_macro_derive(GetSize, attributes(get_size))]
pub fn get_size(_type: TokenStream) -> TokenStream {
    TokenStream::new()
}
