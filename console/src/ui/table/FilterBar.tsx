import { Group, type GroupProps } from "@mantine/core";
import classes from "./FilterBar.module.css";

/** What narrows a list, side by side; on a phone two fields share a line and a search has one of its own. */
export function FilterBar(props: GroupProps) {
  return <Group gap="sm" align="flex-end" className={classes.bar} {...props} />;
}
