import { lazy, Suspense } from "react";
import type { MarkdownProps } from "./Markdown";
import classes from "./Message.module.css";

const Markdown = lazy(() => import("./Markdown"));

/** Markdown, and its plain text while the part that draws it is on its way. */
export function RichText(props: MarkdownProps) {
  return (
    <Suspense fallback={<div className={classes.plain}>{props.text}</div>}>
      <Markdown {...props} />
    </Suspense>
  );
}
