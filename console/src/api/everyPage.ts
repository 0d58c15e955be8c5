// All rows of a paged list, for a file of the current filter.

/** A list by numbered pages, as the interface answers it. */
export interface Paged<Row> {
  page: number;
  page_size: number;
  total: number;
  items: Row[];
}

const PAGE_SIZE = 100;

/** Reads page after page; `read` gets the page's number and size. */
export async function everyPage<Row>(
  read: (p: number, page_size: number) => Promise<Paged<Row>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (let page = 1; ; page += 1) {
    const { items, total } = await read(page, PAGE_SIZE);
    rows.push(...items);
    if (items.length < PAGE_SIZE || rows.length >= total) {
      return rows;
    }
  }
}
