//! Images that an edit names by their address, for models that take them as data alone.

use dialects::canonical::Failure;
use dialects::images::ImageSource;

use crate::app::App;
use crate::model_call::fetch::{Room, fetch_all};

/// Puts what the addresses hold in their place, as data URLs.
pub async fn inline(app: &App, images: &mut [ImageSource]) -> Result<(), Failure> {
    let fetched = fetch_all(app, images.iter().filter_map(address)).await;
    let mut room = Room::new();
    let addresses = images.iter_mut().enumerate();
    let addresses = addresses.filter(|(_, image)| address(image).is_some());
    for ((place, image), content) in addresses.zip(fetched) {
        let name = format!("images[{place}]");
        let refused = |why: &str| {
            let text = format!(
                "This model takes images as data, and what is at this address cannot be sent so: {why}."
            );
            Failure::unsupported(&name, text)
        };
        let content = content.map_err(refused)?;
        if !content.mime.starts_with("image/") {
            return Err(refused("it is no image"));
        }
        room.take(&content, 1)
            .map_err(|text| Failure::bad_request(&name, text))?;
        *image = ImageSource::Url(format!("data:{};base64,{}", content.mime, content.data));
    }
    Ok(())
}

/// The address that an image is at.
fn address(image: &ImageSource) -> Option<&str> {
    match image {
        ImageSource::Url(url) if url.starts_with("http") => Some(url),
        ImageSource::Url(_) | ImageSource::File(_) => None,
    }
}
