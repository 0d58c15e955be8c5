// A reply's Markdown: no raw HTML, no picture from elsewhere. It is a chunk of its own; until it is there,
// replies are plain text.

import { Anchor } from "@mantine/core";
import { isValidElement, memo, type ReactNode, useMemo } from "react";
import ReactMarkdown, { type Components, defaultUrlTransform } from "react-markdown";
import remarkGfm from "remark-gfm";
import remend from "remend";
import { markdownBlocks } from "../model/markdownBlocks";
import { CodeBlock } from "./CodeBlock";
import classes from "./Markdown.module.css";

export interface MarkdownProps {
  text: string;
  /** Whether more may come: then the last block is mended, and its code not coloured yet. */
  isGrowing: boolean;
}

export default function Markdown({ text, isGrowing }: MarkdownProps) {
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  return (
    <div className={classes.markdown}>
      {blocks.map((block, index) => (
        <Block
          // A block keeps its place while the text grows.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          key={index}
          text={block}
          isOpen={isGrowing && index === blocks.length - 1}
        />
      ))}
    </div>
  );
}

const PLUGINS = [remarkGfm];

const Block = memo(function Block({ text, isOpen }: { text: string; isOpen: boolean }) {
  return (
    <ReactMarkdown
      remarkPlugins={PLUGINS}
      components={isOpen ? OPEN : DONE}
      urlTransform={(url) => (url.startsWith("data:image/") ? url : defaultUrlTransform(url))}
    >
      {isOpen ? remend(text) : text}
    </ReactMarkdown>
  );
});

function componentsFor(isOpen: boolean): Components {
  return {
    a: ({ href, children }) => (
      <Anchor href={href} target="_blank" rel="noreferrer noopener">
        {children}
      </Anchor>
    ),
    // Showing a picture from elsewhere would tell its host who reads this.
    img: ({ src, alt }) =>
      typeof src === "string" && src.startsWith("data:") ? (
        <img src={src} alt={alt ?? ""} />
      ) : (
        <Anchor
          href={typeof src === "string" ? src : undefined}
          target="_blank"
          rel="noreferrer noopener"
        >
          {alt || src}
        </Anchor>
      ),
    table: ({ children }) => (
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
      <div className={classes.table} tabIndex={0}>
        <table>{children}</table>
      </div>
    ),
    pre: ({ children }) => <CodeBlock {...codeOf(children)} isOpen={isOpen} />,
  };
}

const OPEN = componentsFor(true);
const DONE = componentsFor(false);

function codeOf(child: ReactNode): { text: string; language: string } {
  if (!isValidElement<{ className?: string; children?: ReactNode }>(child)) {
    return { text: String(child ?? ""), language: "" };
  }
  const language = /language-(\S+)/.exec(child.props.className ?? "")?.[1] ?? "";
  return { text: String(child.props.children ?? "").replace(/\n$/, ""), language };
}
