// The four states of every region that shows data from the gateway: loading, empty for the first
// time, empty by filter, failed. A failure keeps older data in view, dimmed and with its age.

import { Box, Skeleton, Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Age } from "./Age";
import classes from "./DataRegion.module.css";
import { FailureNotice } from "./FailureNotice";
import { NoneMatch } from "./NoneMatch";

/** The part of a query's result that a region draws. */
interface RegionQuery<T> {
  data: T | undefined;
  error: Error | null;
  isFetching: boolean;
  /** When the data arrived, in milliseconds since 1970. */
  dataUpdatedAt: number;
  refetch: () => unknown;
}

/** How many there are before filtering, and how to see them all again. */
interface AppliedFilter {
  total: number;
  onClear: () => void;
}

export interface DataRegionProps<T> {
  query: RegionQuery<T>;
  /** Height of what will appear, so that nothing jumps. */
  skeletonHeight: number;
  isEmpty?: (data: T) => boolean;
  /** What this region is for, told to someone who has never had data in it. */
  emptyFirst?: ReactNode;
  /** Set while a filter narrows the data. */
  filter?: AppliedFilter | undefined;
  children: (data: T) => ReactNode;
}

export function DataRegion<T>(props: DataRegionProps<T>) {
  const { query } = props;
  const { t } = useTranslation();
  if (query.error !== null) {
    return (
      <Stack gap="md">
        <FailureNotice
          failure={query.error}
          onRetry={query.refetch}
          isRetrying={query.isFetching}
        />
        {query.data !== undefined && (
          <>
            <Text size="sm" c="dimmed">
              {t("region.stale")} <Age of={query.dataUpdatedAt} />
            </Text>
            <Box className={classes.stale}>
              <Content {...props} data={query.data} />
            </Box>
          </>
        )}
      </Stack>
    );
  }
  if (query.data === undefined) {
    return (
      <Box className={classes.loading} role="status" aria-label={t("region.loading")}>
        <Skeleton height={props.skeletonHeight} />
      </Box>
    );
  }
  return <Content {...props} data={query.data} />;
}

function Content<T>({
  data,
  isEmpty,
  emptyFirst,
  filter,
  children,
}: DataRegionProps<T> & { data: T }) {
  if (isEmpty?.(data) !== true) {
    return children(data);
  }
  if (filter !== undefined && filter.total > 0) {
    return <EmptyByFilter {...filter} />;
  }
  return <Box className={classes.empty}>{emptyFirst}</Box>;
}

function EmptyByFilter({ total, onClear }: AppliedFilter) {
  const { t, i18n } = useTranslation();
  const shown = new Intl.NumberFormat(i18n.language).format(total);
  return (
    <Box className={classes.empty}>
      <NoneMatch title={t("region.noneMatch", { total: shown })} onClear={onClear} />
    </Box>
  );
}
