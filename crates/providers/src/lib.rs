//! Vendors: where to send a call, how to sign it, what to tweak, and the transport to them. Empty so
//! far; it will know nothing of users, tokens, money or the database.
