import { Table } from "@mantine/core";
import type { ReactNode } from "react";

/** Names and values of a record, one under the other. */
export function Lines({ children }: { children: ReactNode }) {
  return (
    <Table variant="vertical" layout="fixed" withRowBorders={false}>
      <Table.Tbody>{children}</Table.Tbody>
    </Table>
  );
}

export function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <Table.Tr>
      <Table.Th w="38%" fw={500} c="dimmed" style={{ background: "none" }}>
        {name}
      </Table.Th>
      <Table.Td style={{ overflowWrap: "anywhere" }}>{children}</Table.Td>
    </Table.Tr>
  );
}
