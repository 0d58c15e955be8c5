import { Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useTranslation } from "react-i18next";
import { isRefusal, RequestFailure } from "@/api/failure";
import { FormFailure } from "@/ui/form/FormFailure";
import { PageHead } from "@/ui/PageHead";

export interface Root {
  [field: string]: string;
  code: string;
  username: string;
  password: string;
}

export interface YouStepProps {
  root: Root;
  /** Whether the link had the code, so that nobody needs to see it. */
  isCodeGiven: boolean;
  /** Why the gateway did not take it. */
  refused: Error | undefined;
  leastLength: number;
  onDone: (root: Root) => void;
}

/** Who runs this: the first user, who may do everything. */
export function YouStep({ root, isCodeGiven, refused, leastLength, onDone }: YouStepProps) {
  const { t } = useTranslation();
  const isCodeWrong = isRefusal(refused, "setup_code_wrong");
  const field = refused instanceof RequestFailure ? refused.field : undefined;
  const form = useForm<Root>({
    initialValues: root,
    initialErrors: {
      ...(isCodeWrong ? { code: t("setup.codeWrong") } : {}),
      ...(field === undefined
        ? {}
        : { [field]: (refused as RequestFailure).context.detail?.slice(field.length + 2) }),
    },
    validate: {
      password: (value) =>
        [...value].length < leastLength ? t("setup.passwordShort", { count: leastLength }) : null,
    },
  });
  const isNamed = isCodeWrong || (field !== undefined && field in root);
  return (
    <form onSubmit={form.onSubmit(onDone)}>
      <Stack gap="md">
        <PageHead title={t("setup.youTitle")} description={t("setup.youText")} />
        {(!isCodeGiven || isCodeWrong) && (
          <TextInput
            label={t("setup.code")}
            description={t("setup.codeText")}
            autoComplete="off"
            required
            withAsterisk={false}
            ff="monospace"
            {...form.getInputProps("code")}
          />
        )}
        <TextInput
          label={t("session.username")}
          autoComplete="username"
          required
          withAsterisk={false}
          {...form.getInputProps("username")}
        />
        <PasswordInput
          label={t("session.password")}
          description={t("setup.passwordText", { count: leastLength })}
          autoComplete="new-password"
          required
          withAsterisk={false}
          visibilityToggleButtonProps={{ "aria-label": t("session.showPassword") }}
          {...form.getInputProps("password")}
        />
        <FormFailure failure={isNamed ? undefined : refused} />
        <Group justify="flex-end">
          <Button type="submit">{t("setup.continue")}</Button>
        </Group>
      </Stack>
    </form>
  );
}
