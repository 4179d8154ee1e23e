// The page "Settings".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function SettingsPage() {
  return (
    <Page title="Settings">
      <EmptyState title="Settings">This page is being built.</EmptyState>
    </Page>
  )
}
