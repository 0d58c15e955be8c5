import { ColumnChooser, type ColumnChooserProps } from "./ColumnChooser";
import { CsvButton, type CsvButtonProps } from "./CsvButton";

type ListToolsProps<Row> = CsvButtonProps<Row> & {
  hidden: ColumnChooserProps<Row>["hidden"];
  onHide: (search: { hide: string[] | undefined }) => void;
};

/** What every list has: which columns it shows, and its rows as a file. */
export function ListTools<Row>({ hidden, onHide, ...csv }: ListToolsProps<Row>) {
  return (
    <>
      <ColumnChooser columns={csv.columns} hidden={hidden} onChange={(hide) => onHide({ hide })} />
      <CsvButton {...csv} />
    </>
  );
}
