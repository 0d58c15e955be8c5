//! Images that an edit names by their address, for models that take them as data alone.

use dialects::canonical::Failure;
use dialects::images::ImageSource;

use crate::app::App;
use crate::model_call::fetch::{Room, fetch_all};

/// Puts what the addresses hold in their place, as data URLs.
pub async fn inline(
    app: &App,
    images: &mut [ImageSource],
    mask: Option<&mut ImageSource>,
) -> Result<(), Failure> {
    let named = images.iter_mut().enumerate();
    let named = named.map(|(place, image)| (format!("images[{place}]"), image));
    let mut named: Vec<_> = named
        .chain(mask.map(|mask| ("mask".to_owned(), mask)))
        .filter(|(_, image)| address(image).is_some())
        .collect();
    let fetched = fetch_all(app, named.iter().filter_map(|(_, image)| address(image))).await;
    let mut room = Room::new();
    for ((name, image), content) in named.iter_mut().zip(fetched) {
        let refused = |why: &str| {
            let text = format!(
                "This model takes images as data, and what is at this address cannot be sent so: {why}."
            );
            Failure::unsupported(name.as_str(), text)
        };
        let content = content.map_err(refused)?;
        if !content.mime.starts_with("image/") {
            return Err(refused("it is no image"));
        }
        room.take(&content, 1)
            .map_err(|text| Failure::bad_request(name.as_str(), text))?;
        **image = ImageSource::Url(format!("data:{};base64,{}", content.mime, content.data));
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
