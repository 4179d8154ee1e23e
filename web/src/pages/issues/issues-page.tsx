// The page "Issues".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function IssuesPage() {
  return (
    <Page title="Issues">
      <EmptyState title="Issues">This page is being built.</EmptyState>
    </Page>
  )
}
