//! Forms cut anywhere read the same.

use bytes::Bytes;
use futures_util::stream;

use super::*;

const FORM: &str = "ignored\r\n--X\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nwhisper-1\r\n\
    --X  \r\ncontent-disposition: form-data; name=\"file\"; filename=\"a \\\"b\\\".wav\"\r\n\
    Content-Type: audio/wav\r\n\r\nRIFF\r\n--Y\r\n\r\n--X\r\n\
    Content-Disposition: form-data; filename=x; name=empty\r\n\r\n\r\n--X--\r\nepilogue";

async fn read(pieces: Vec<Bytes>) -> Result<Vec<(PartHead, String)>, BadForm> {
    let pieces = stream::iter(pieces.into_iter().map(Ok));
    let mut reader = FormReader::new(Box::pin(pieces), "X");
    let mut parts: Vec<(PartHead, String)> = Vec::new();
    loop {
        match reader.next().await? {
            Item::Head(head) => parts.push((head, String::new())),
            Item::Data(data) => {
                let text = std::str::from_utf8(&data).unwrap();
                parts.last_mut().unwrap().1.push_str(text);
            }
            Item::PartEnd => {}
            Item::End => return Ok(parts),
        }
    }
}

#[tokio::test]
async fn a_form_reads_the_same_wherever_it_is_cut() {
    let whole = read(vec![FORM.into()]).await.unwrap();
    assert_eq!(whole[0], (PartHead::text("model"), "whisper-1".to_owned()));
    assert_eq!(whole[1].0.file_name.as_deref(), Some("a \"b\".wav"));
    assert_eq!(whole[1].0.content_type.as_deref(), Some("audio/wav"));
    assert_eq!(whole[1].1, "RIFF\r\n--Y\r\n");
    assert_eq!(
        (whole[2].0.name.as_str(), whole[2].1.as_str()),
        ("empty", "")
    );
    for at in 0..FORM.len() {
        let (a, b) = FORM.split_at(at);
        assert_eq!(read(vec![a.into(), b.into()]).await.unwrap(), whole);
    }
    let bytes = FORM.bytes().map(|byte| Bytes::from(vec![byte])).collect();
    assert_eq!(read(bytes).await.unwrap(), whole);
}

#[tokio::test]
async fn what_is_no_form_is_refused() {
    let cut = read(vec![FORM[..FORM.len() / 2].to_owned().into()]).await;
    assert!(matches!(cut, Err(BadForm::Incomplete)));
    for form in [
        "--X\r\n\r\nx\r\n--X--",
        "--X\r\nA: b\r\n\r\nx\r\n--X--",
        "--X\r\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\r\n\r\nx\r\n--X--",
        "--Xy\r\n",
    ] {
        let read = read(vec![form.into()]).await;
        assert!(matches!(read, Err(BadForm::Malformed(_))), "{form}");
    }
    let long = format!("--X\r\nA: {}", "x".repeat(20_000));
    assert!(matches!(
        read(vec![long.into()]).await,
        Err(BadForm::Malformed(_))
    ));
}

#[tokio::test]
async fn blanks_after_a_boundary_are_bounded_and_end_no_form() {
    let blanks = format!("--X{}", " ".repeat(20_000));
    let bytes = blanks.bytes().map(|byte| Bytes::from(vec![byte])).collect();
    assert!(matches!(read(bytes).await, Err(BadForm::Malformed(_))));
    let end = read(vec!["--X  --\r\n".into()]).await;
    assert!(matches!(end, Err(BadForm::Malformed(_))));
}

#[test]
fn the_boundary_is_found_or_missed_by_name() {
    let found = |text| boundary(Some(text));
    assert_eq!(found("multipart/form-data; boundary=X"), Ok("X".to_owned()));
    assert_eq!(
        found("Multipart/Form-Data; charset=utf-8; Boundary=\"a b\""),
        Ok("a b".to_owned())
    );
    assert_eq!(found("multipart/form-data"), Err(BadBoundary::Missing));
    assert_eq!(
        found("multipart/form-data; boundary="),
        Err(BadBoundary::Missing)
    );
    assert_eq!(found("application/json"), Err(BadBoundary::OtherType));
    for text in [
        "multipart/form-data; boundary=X; boundary=Y",
        "multipart/form-data; boundary=\"X",
        "multipart/form-data; boundary=\"X\"Y",
        "multipart/form-data; x; boundary=X",
    ] {
        assert_eq!(found(text), Err(BadBoundary::Missing), "{text}");
    }
    assert_eq!(
        found("multipart/form-data; a=\"; boundary=Y\"; boundary=X"),
        Ok("X".to_owned())
    );
    assert_eq!(boundary(None), Err(BadBoundary::OtherType));
}

#[test]
fn a_head_cannot_be_made_to_say_more() {
    let head = PartHead {
        name: "file\"\r\nX: y".to_owned(),
        file_name: Some("a\"b".to_owned()),
        content_type: Some("audio/wav\r\nX: y".to_owned()),
    };
    let mut out = Vec::new();
    head.write(&mut out);
    let text = String::from_utf8(out).unwrap();
    assert_eq!(
        text,
        "Content-Disposition: form-data; name=\"file%22X: y\"; filename=\"a%22b\"\r\n\
        Content-Type: audio/wavX: y\r\n\r\n"
    );
}

#[test]
fn a_files_name_has_no_folders() {
    for (sent, kept) in [
        ("filename=\"../a/b.wav\"", "b.wav"),
        ("filename=\"C:\\sound\\b.wav\"", "b.wav"),
        ("filename=a b.wav", "a b.wav"),
        ("filename*=utf-8''%C3%BC%2Fb.wav", "%C3%BC%2Fb.wav"),
        ("filename=b.wav; filename*=utf-8''%C3%BC.wav", "b.wav"),
    ] {
        let line = format!("Content-Disposition: form-data; name=\"file\"; {sent}\r\n");
        let head = PartHead::read(line.as_bytes()).unwrap();
        assert!(head.is_file(), "{sent}");
        let mut out = Vec::new();
        head.write(&mut out);
        let text = String::from_utf8(out).unwrap();
        assert!(
            text.ends_with(&format!("; filename=\"{kept}\"\r\n\r\n")),
            "{text}"
        );
    }
}

#[test]
fn names_of_fields_have_one_meaning_or_none() {
    let read = |lines: &str| PartHead::read(lines.as_bytes());
    for (sent, name) in [
        ("name=\"a\"", "a"),
        ("name=a", "a"),
        ("NAME = a ; filename=\"b\"", "a"),
        ("filename=\"name=\\\"b\\\"; name=c\"; name=\"a\"", "a"),
        ("name=\"a%22b\"", "a\"b"),
        ("name=\"a\\\"b\"", "a\"b"),
        ("name=\"image[]\"", "image[]"),
    ] {
        let head = read(&format!("Content-Disposition: form-data; {sent}"));
        assert_eq!(head.expect(sent).name, name, "{sent}");
    }
    for sent in [
        "form-data",
        "form-data; filename=\"a\"",
        "form-data; name=\"\"",
        "form-data; name=\"a\"; name=\"b\"",
        "form-data; name=\"a\"; NAME=\"a\"",
        "form-data; name=\"a\"; filename=\"x\"; filename=\"y\"",
        "form-data; name=\"a",
        "form-data; name=\"a\"b",
        "form-data; name=a\"b\"",
        "form-data; name*=utf-8''a",
        "form-data; name=\"b\"; name*=utf-8''a",
        "form-data; name*0=\"mo\"; name*1=\"del\"",
        "form-data; name=\"mod%65l\"",
        "form-data; name=\"mod\\el\"",
        "form-data; name=\" a\"",
        "form-data; name=\"a\"; filename*=b",
        "attachment; name=\"a\"",
        "form-data; name=\"a\"\r\nContent-Disposition: form-data; name=\"b\"",
        "form-data; name=\"a\"\r\nContent-Type: a/b\r\ncontent-type: a/c",
        "form-data; name=\"a\"\r\nContent-Transfer-Encoding: base64",
        "form-data;\r\n name=\"a\"",
        "form-data; name=\"a\"\nx: y",
        "form-data; name=\"a\"\r\nno header",
    ] {
        let head = read(&format!("Content-Disposition: {sent}"));
        assert_eq!(head, None, "{sent}");
    }
}
