import { Button, Group, Paper, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { formatUsd, nanosOf } from "@/lib/money";
import { quotaOfUsd } from "@/lib/quota";
import { useRefreshSession } from "@/session/session";
import { CopyField } from "@/ui/CopyButton";
import { Count } from "@/ui/Count";
import { DataRegion } from "@/ui/DataRegion";
import { DollarInput } from "@/ui/form/DollarInput";
import { FormFailure } from "@/ui/form/FormFailure";
import { useSubmit } from "@/ui/form/useSubmit";
import { Money } from "@/ui/Money";
import { toast } from "@/ui/toast";
import { moveEarnings, type Referral, referralQuery } from "./api";

const SKELETON_HEIGHT = 220;

/** The invite link, what it brought, and moving that to the balance. */
export function ReferralCard() {
  const { t } = useTranslation();
  const referral = useQuery(referralQuery);
  if (referral.data !== undefined && !isOffered(referral.data)) {
    return null;
  }
  return (
    <Paper withBorder p="lg" component="section" aria-label={t("wallet.referral")}>
      <Stack gap="md">
        <Title order={2} size="h4">
          {t("wallet.referral")}
        </Title>
        <DataRegion query={referral} skeletonHeight={SKELETON_HEIGHT}>
          {(known) => <ReferralFacts referral={known} />}
        </DataRegion>
      </Stack>
    </Paper>
  );
}

function ReferralFacts({ referral }: { referral: Referral }) {
  const { t } = useTranslation();
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        <Reward referral={referral} />
      </Text>
      <CopyField text={referral.invite_url} label={t("wallet.inviteLink")} />
      <SimpleGrid cols={2}>
        <Figure name={t("wallet.invited")}>
          <Count value={referral.aff_count} />
        </Figure>
        <Figure name={t("wallet.earned")}>
          <Money usd={referral.aff_quota_usd} />
        </Figure>
      </SimpleGrid>
      <Move key={referral.aff_quota} referral={referral} />
    </Stack>
  );
}

/** Whether invitations bring something here, or once did. */
function isOffered({ inviter_usd, invitee_usd, aff_quota, aff_count }: Referral): boolean {
  const promised = nanosOf(inviter_usd) + nanosOf(invitee_usd);
  return promised > 0n || aff_quota > 0 || aff_count > 0;
}

/** What an invitation brings here. */
function Reward({ referral }: { referral: Referral }) {
  const { t, i18n } = useTranslation();
  const { inviter_usd, invitee_usd, event } = referral;
  const amounts = {
    you: formatUsd(inviter_usd, i18n.language),
    they: formatUsd(invitee_usd, i18n.language),
  };
  return event === "first_topup"
    ? t("wallet.rewardAfterTopUp", amounts)
    : t("wallet.rewardAfterRegistration", amounts);
}

function Figure({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <Text size="sm" c="dimmed">
        {name}
      </Text>
      <Text fz="lg" fw={600}>
        {children}
      </Text>
    </div>
  );
}

function Move({ referral }: { referral: Referral }) {
  const { t, i18n } = useTranslation();
  const client = useQueryClient();
  const refresh = useRefreshSession();
  const { aff_quota, aff_quota_usd, minimum_transfer_quota, minimum_transfer_usd } = referral;
  const least = formatUsd(minimum_transfer_usd, i18n.language);
  const canMove = aff_quota > 0 && aff_quota >= minimum_transfer_quota;
  const form = useForm({
    initialValues: { quota: aff_quota_usd },
    validate: {
      quota: (usd) => {
        const quota = quotaOfUsd(usd);
        const isRight =
          quota !== undefined && quota >= minimum_transfer_quota && quota <= aff_quota;
        return isRight
          ? null
          : t("wallet.badMove", { least, most: formatUsd(aff_quota_usd, i18n.language) });
      },
    },
  });
  const { isBusy, failure, submit } = useSubmit(
    form,
    ({ quota }) => moveEarnings(quotaOfUsd(quota) ?? 0),
    (now) => {
      toast(t("wallet.moved", { balance: formatUsd(now.quota_usd, i18n.language) }));
      void refresh();
      void client.invalidateQueries({ queryKey: referralQuery.queryKey });
    },
  );
  if (!canMove) {
    return (
      <Group gap="sm">
        <Button variant="default" disabled>
          {t("wallet.move")}
        </Button>
        <Text size="sm" c="dimmed">
          {t("wallet.moveFrom", { least })}
        </Text>
      </Group>
    );
  }
  return (
    <form noValidate onSubmit={form.onSubmit((values) => void submit(values))}>
      <Stack gap="sm">
        <DollarInput
          label={t("wallet.moveAmount")}
          description={t("wallet.moveFrom", { least })}
          {...form.getInputProps("quota")}
        />
        <FormFailure failure={failure} />
        <Group>
          <Button type="submit" variant="default" loading={isBusy}>
            {t("wallet.move")}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
