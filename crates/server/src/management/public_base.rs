//! The address under which others reach the gateway, for payment redirects, logins through providers, and links. It is
//! never taken from the Host header, which is the sender's choice.

use crate::app::App;
use crate::management::frame::ApiError;
use crate::middleware::Caller;

/// `[server] public_url`. Without it, a gateway that listens on a loopback address is reached at that address, if
/// the call came that way: behind a proxy it is not.
pub fn public_base(app: &App, caller: &Caller) -> Result<String, ApiError> {
    let config = app.config();
    if let Some(url) = &config.server.public_url {
        return Ok(url.trim_end_matches('/').to_owned());
    }
    let scheme = match config.server.tls() {
        Some(_) => "https",
        None => "http",
    };
    let own = app.listening().filter(|address| address.ip().is_loopback());
    let own = own.into_iter().flat_map(|address| {
        [
            format!("{scheme}://{address}"),
            format!("{scheme}://localhost:{}", address.port()),
        ]
    });
    let mut own = own.filter(|base| *base == caller.base_url);
    own.next().ok_or_else(ApiError::no_public_url)
}
