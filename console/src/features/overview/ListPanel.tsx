import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { DataRegion, type DataRegionProps } from "@/ui/DataRegion";
import classes from "./overview.module.css";
import { Panel, type PanelProps } from "./Panel";

export interface ListPanelProps<Data, Item> extends Omit<PanelProps, "children"> {
  query: DataRegionProps<Data>["query"];
  /** The lines; `undefined` where there was never anything to list. */
  itemsOf: (data: Data) => readonly Item[] | undefined;
  /** Said where there was never anything. */
  never?: string;
  /** Said where nothing is listed now. */
  none?: (data: Data) => string;
  /** One line, with its key. */
  children: (item: Item) => ReactNode;
}

const SKELETON_HEIGHT = 130;

/** A panel whose answer is a short list. */
export function ListPanel<Data, Item>(props: ListPanelProps<Data, Item>) {
  const { title, aside, query, itemsOf, never, none, children } = props;
  return (
    <Panel title={title} aside={aside}>
      <DataRegion
        query={query}
        skeletonHeight={SKELETON_HEIGHT}
        isEmpty={(data) => itemsOf(data) === undefined}
        emptyFirst={<Text size="sm">{never}</Text>}
      >
        {(data) => {
          const items = itemsOf(data) ?? [];
          return items.length === 0 ? (
            <Text size="sm">{none?.(data)}</Text>
          ) : (
            <ul className={classes.facts}>{items.map(children)}</ul>
          );
        }}
      </DataRegion>
    </Panel>
  );
}

/** The list itself, or that there was never one. */
export function someOf<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}
