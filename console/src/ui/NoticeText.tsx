import { Typography } from "@mantine/core";
import Markdown from "react-markdown";
import remarkGfm from "remark-gfm";

const PLUGINS = [remarkGfm];

/** Markdown without raw HTML. Images are left out: they would ask another origin. */
export function NoticeText({ text }: { text: string }) {
  return (
    <Typography style={{ overflowWrap: "anywhere" }}>
      <Markdown remarkPlugins={PLUGINS} disallowedElements={["img"]}>
        {text}
      </Markdown>
    </Typography>
  );
}
