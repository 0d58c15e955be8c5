// Mantine's text link as a typed link of the router.

import { Anchor, type AnchorProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type LinkProps = AnchorProps & Omit<ComponentProps<"a">, keyof AnchorProps>;

function TextLink(props: LinkProps) {
  return <Anchor {...props} />;
}

export const RouterAnchor = createLink(TextLink);
