import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";

export interface CodeModalProps<A> {
  isOpen: boolean;
  title: string;
  text: string;
  action: string;
  isDangerous?: boolean;
  /** What the code is for. */
  send: (code: string) => Promise<A>;
  onDone: (answer: A) => void;
  onClose: () => void;
}

/** Asks for a code of the second factor and does something with it. */
export function CodeModal<A>(props: CodeModalProps<A>) {
  const { t } = useTranslation();
  return (
    <Modal
      opened={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      closeButtonProps={{ "aria-label": t("ui.close") }}
    >
      <CodeForm {...props} />
    </Modal>
  );
}

function CodeForm<A>({ text, action, isDangerous = false, send, onDone }: CodeModalProps<A>) {
  const { t } = useTranslation();
  const form = useForm({
    initialValues: { code: "" },
    validate: { code: (code) => (code.trim() === "" ? t("account.codeMissing") : null) },
  });
  const { isBusy, failure, submit } = useSubmit(form, ({ code }) => send(code.trim()), onDone);
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="md">
        <Text size="sm">{text}</Text>
        <TextInput
          label={t("account.code")}
          autoComplete="one-time-code"
          data-autofocus
          {...form.getInputProps("code")}
        />
        <FormFailure failure={failure} />
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} {...(isDangerous ? { color: "red" } : {})}>
            {action}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
