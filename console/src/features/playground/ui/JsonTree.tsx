import { Text } from "@mantine/core";
import { isObject, type Json } from "../request/json";
import classes from "./Message.module.css";

/** JSON as a tree: names, values, and what is inside indented. */
export function JsonTree({ value }: { value: Json }) {
  if (isObject(value) || Array.isArray(value)) {
    const entries: [string, Json][] = Array.isArray(value)
      ? value.map((item, index) => [String(index), item])
      : Object.entries(value);
    return (
      <ul className={classes.tree}>
        {entries.map(([name, item]) => (
          <li key={name}>
            <Text span size="sm" ff="monospace" c="dimmed">
              {`${name}: `}
            </Text>
            <JsonTree value={item} />
          </li>
        ))}
      </ul>
    );
  }
  return (
    <Text span size="sm" ff="monospace" className={classes.breaks}>
      {JSON.stringify(value)}
    </Text>
  );
}
