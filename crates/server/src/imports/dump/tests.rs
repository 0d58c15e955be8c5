//! Dumps as the two programs write them, and dumps that are broken.

use super::{Dialect, read_dump};
use crate::imports::table::Tables;

const MYSQL: &str = r#"-- MySQL dump 10.13  Distrib 8.0.36
/*!40101 SET NAMES utf8mb4 */;
DROP TABLE IF EXISTS `users`;
CREATE TABLE `users` (
  `id` bigint NOT NULL AUTO_INCREMENT,
  `username` varchar(191) COLLATE utf8mb4_unicode_ci DEFAULT 'it''s, (new)',
  `quota` bigint DEFAULT '0',
  `note` longblob,
  PRIMARY KEY (`id`),
  UNIQUE KEY `uni_users_username` (`username`),
  KEY `idx` (`quota`,`id`)
) ENGINE=InnoDB AUTO_INCREMENT=3 DEFAULT CHARSET=utf8mb4;
LOCK TABLES `users` WRITE;
INSERT INTO `users` VALUES (1,'a\'b\\c;d',-5,NULL),(2,'x\n\ty''z',12.50,_binary 'q\0r');
INSERT IGNORE INTO `users` (`username`,`id`) VALUES ('last',3);
UNLOCK TABLES;
DELIMITER ;;
CREATE TRIGGER t BEFORE INSERT ON users FOR EACH ROW BEGIN SET @a = ';'; END ;;
DELIMITER ;
CREATE TABLE `logs` (`id` int);
INSERT INTO `logs` VALUES (1,'it is (not) wanted; at "all"');
INSERT INTO `users` VALUES (0x34,0x6162,b'101',X'6364');
"#;

const POSTGRES: &str = "--\n-- PostgreSQL database dump\n--\n\\restrict abc'def\n\
SET client_encoding = 'UTF8';\n\
CREATE TABLE public.tokens (\n    id bigint NOT NULL,\n    key character(48),\n    \"group\" text \
DEFAULT ''::text,\n    CONSTRAINT c CHECK ((id > 0))\n);\n\
COPY public.tokens (id, key, \"group\") FROM stdin;\n1\tab\\tc\\\\d\t\\N\n2\t\tvip\n\\.\n\n\
COPY public.logs (id) FROM stdin;\n1\n\\.\n\
INSERT INTO public.tokens VALUES (3, 'it''s \\n', E'a\\nb');\n";

fn read(text: &str, dialect: Dialect) -> Tables {
    read_dump(text.as_bytes(), dialect).unwrap()
}

fn refusal(text: &str, dialect: Dialect) -> String {
    read_dump(text.as_bytes(), dialect).unwrap_err().to_string()
}

#[test]
fn a_dump_of_mysql_is_read_with_all_its_escapes() {
    let tables = read(MYSQL, Dialect::MySql);
    let rows: Vec<_> = tables.rows("users").collect();
    assert_eq!(rows.len(), 4);
    assert_eq!(rows[0].text("username"), Some("a'b\\c;d"));
    assert_eq!(
        (rows[0].number("quota"), rows[0].text("note")),
        (Some(-5), None)
    );
    assert_eq!(rows[1].text("username"), Some("x\n\ty'z"));
    assert_eq!(rows[1].text("quota"), Some("12.50"));
    assert_eq!(rows[1].text("note"), Some("q\0r"));
    assert_eq!(
        (rows[2].number("id"), rows[2].text("quota")),
        (Some(3), None)
    );
    assert_eq!(
        (rows[3].number("id"), rows[3].text("username")),
        (Some(4), Some("ab"))
    );
    assert_eq!(
        (rows[3].number("quota"), rows[3].text("note")),
        (Some(5), Some("cd"))
    );
    assert_eq!(tables.others, ["logs"]);
}

#[test]
fn a_dump_of_postgres_is_read_whether_it_copies_or_inserts() {
    let tables = read(POSTGRES, Dialect::Postgres);
    let rows: Vec<_> = tables.rows("tokens").collect();
    assert_eq!(rows.len(), 3);
    assert_eq!(
        (rows[0].text("key"), rows[0].text("group")),
        (Some("ab\tc\\d"), None)
    );
    assert_eq!(
        (rows[1].text("key"), rows[1].text("group")),
        (None, Some("vip"))
    );
    assert_eq!(
        (rows[2].text("key"), rows[2].text("group")),
        (Some("it's \\n"), Some("a\nb"))
    );
    assert_eq!(tables.others, ["logs"]);
}

#[test]
fn a_dump_that_is_cut_anywhere_never_gives_half_a_row() {
    let whole = read(MYSQL, Dialect::MySql).rows("users").count();
    for end in 0..MYSQL.len() {
        if let Ok(tables) = read_dump(&MYSQL.as_bytes()[..end], Dialect::MySql) {
            assert!(tables.rows("users").count() <= whole);
        }
    }
    let cut = &MYSQL[..MYSQL.find("12.50").unwrap()];
    assert!(refusal(cut, Dialect::MySql).contains("the dump was cut"));
    let cut = &POSTGRES[..POSTGRES.find("2\t\tvip").unwrap()];
    assert!(refusal(cut, Dialect::Postgres).contains("the dump was cut"));
}

#[test]
fn what_is_wrong_is_said_with_its_line() {
    for (text, words) in [
        (
            "INSERT INTO `users` VALUES (1);",
            "does not say which columns",
        ),
        (
            "INSERT INTO `users` (`id`) VALUES (1,2);",
            "2 values for 1 columns",
        ),
        ("INSERT INTO `users` (`id`) VALUES (1 2);", "side by side"),
        (
            "\nINSERT INTO `users` (`id`) VALUES (now());",
            "line 2 of the dump: a value",
        ),
        ("INSERT INTO `users` (`id`) VALUES (0xA);", "hexadecimal"),
        ("INSERT INTO `users` (`id`) VALUES ('\u{e9}x", "was cut"),
    ] {
        let refusal = refusal(text, Dialect::MySql);
        assert!(refusal.contains(words), "{text}: {refusal}");
    }
    let huge = format!(
        "INSERT INTO `users` (`id`) VALUES ('{}');",
        "x".repeat(1 << 21)
    );
    assert!(refusal(&huge, Dialect::MySql).contains("longer than"));
    assert!(refusal(&"x".repeat(4000), Dialect::MySql).contains("this is no SQL"));
}
