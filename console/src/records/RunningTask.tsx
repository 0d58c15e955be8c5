import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { failureToast } from "@/ui/toast";
import { cancelTask, type Task } from "./task";

export interface RunningTaskProps {
  task: Task;
  /** What the bar shows. */
  label: string;
  /** How far it is. */
  text: string;
  /** The deed of the button that ends it. */
  cancel: string;
}

/** How far a running task is, and a way to end it. */
export function RunningTask({ task, label, text, cancel }: RunningTaskProps) {
  const ending = useMutation({ mutationFn: () => cancelTask(task.id), onError: failureToast });
  const total = task.total ?? 0;
  return (
    <Stack gap="xs">
      <Progress
        value={total > 0 ? (task.done / total) * 100 : 100}
        animated={total === 0}
        aria-label={label}
      />
      <Group justify="space-between">
        <Text size="sm" role="status">
          {text}
        </Text>
        <Button
          variant="default"
          size="xs"
          disabled={task.cancel_asked}
          loading={ending.isPending}
          onClick={() => ending.mutate()}
        >
          {cancel}
        </Button>
      </Group>
    </Stack>
  );
}
