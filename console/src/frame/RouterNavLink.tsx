// Mantine's navigation entry as a typed link of the router, marked while its page is open.

import { NavLink, type NavLinkProps } from "@mantine/core";
import { createLink } from "@tanstack/react-router";
import type { ComponentProps } from "react";

type EntryProps = NavLinkProps & Omit<ComponentProps<"a">, keyof NavLinkProps>;

function Entry(props: EntryProps) {
  return <NavLink {...props} active={props["aria-current"] === "page"} />;
}

export const RouterNavLink = createLink(Entry);
