//! Rows of a CSV file that a spreadsheet can open safely: what comes from clients must not become a
//! formula.

use super::view::CallView;

/// The first line.
pub const HEADER: &str = "created_at,request_id,user_id,username,token_id,token_name,endpoint,\
    model,upstream_model,channel,status,error_cause,stream,source,ip,input_tokens,output_tokens,\
    cache_read_tokens,cache_write_tokens,reasoning_tokens,estimated,charge_usd,quota,\
    first_byte_ms,total_ms,attempts,loss_usd\r\n";

/// Adds one call as a line.
pub fn add_row(text: &mut String, call: &CallView) {
    let number = |value: Option<i64>| value.map(|value| value.to_string()).unwrap_or_default();
    let optional = |value: &Option<String>| value.clone().unwrap_or_default();
    let created = serde_json::to_value(call.created_at).unwrap_or_default();
    let usage = &call.usage;
    let cells = [
        created.as_str().unwrap_or_default().to_owned(),
        call.request_id.clone(),
        call.user_id.to_string(),
        optional(&call.username),
        number(call.token_id),
        optional(&call.token_name),
        call.endpoint.clone(),
        call.model.clone(),
        optional(&call.upstream_model),
        optional(&call.channel),
        call.status.to_string(),
        optional(&call.error_cause),
        call.stream.to_string(),
        call.source.clone(),
        optional(&call.ip),
        usage.input_tokens.to_string(),
        usage.output_tokens.to_string(),
        usage.cache_read_tokens.to_string(),
        usage.cache_write_tokens.to_string(),
        usage.reasoning_tokens.to_string(),
        call.estimated.to_string(),
        call.charge_usd.clone(),
        call.quota.to_string(),
        number(call.first_byte_ms),
        call.total_ms.to_string(),
        call.attempts.len().to_string(),
        optional(&call.loss_usd),
    ];
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        add_cell(text, cell);
    }
    text.push_str("\r\n");
}

/// A cell. One that a spreadsheet would take for a formula gets an apostrophe in front.
fn add_cell(text: &mut String, cell: &str) {
    let is_formula =
        cell.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']);
    let is_quoted = is_formula || cell.contains([',', '"', '\r', '\n', ';']);
    if !is_quoted {
        text.push_str(cell);
        return;
    }
    text.push('"');
    if is_formula {
        text.push('\'');
    }
    text.push_str(&cell.replace('"', "\"\""));
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(text: &str) -> String {
        let mut written = String::new();
        add_cell(&mut written, text);
        written
    }

    #[test]
    fn what_would_be_a_formula_is_text() {
        assert_eq!(cell("gpt-5"), "gpt-5");
        assert_eq!(cell("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        for begin in ['=', '+', '-', '@', '\t', '\r'] {
            let written = cell(&format!("{begin}1"));
            assert!(written.starts_with("\"'"), "{written}");
        }
    }

    #[test]
    fn separators_and_quotes_stay_inside_their_cell() {
        assert_eq!(cell("a,b"), "\"a,b\"");
        assert_eq!(cell("a\"b"), "\"a\"\"b\"");
        assert_eq!(cell("a\r\nb"), "\"a\r\nb\"");
        assert_eq!(cell(""), "");
    }
}
