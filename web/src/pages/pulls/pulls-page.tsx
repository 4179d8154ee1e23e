// The page "Pull requests".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function PullsPage() {
  return (
    <Page title="Pull requests">
      <EmptyState title="Pull requests">This page is being built.</EmptyState>
    </Page>
  )
}
