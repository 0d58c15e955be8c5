// Mantine's button as a typed link of the router.

import { Button, type ButtonProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type LinkProps = ButtonProps & Omit<ComponentProps<"a">, keyof ButtonProps>;

function ButtonLink(props: LinkProps) {
  return <Button component="a" {...props} />;
}

export const RouterButton = createLink(ButtonLink);
