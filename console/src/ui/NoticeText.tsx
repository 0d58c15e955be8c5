import { Typography } from "@mantine/core";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";
import classes from "./NoticeText.module.css";

const PLUGINS = [remarkGfm];

/** Markdown without raw HTML. Images are left out: they would ask another origin. */
export default function NoticeText({ text }: { text: string }) {
  return (
    <Typography className={classes.text}>
      <Markdown remarkPlugins={PLUGINS} disallowedElements={["img"]}>
        {text}
      </Markdown>
    </Typography>
  );
}
