// The page "Pull request".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function PullPage() {
  return (
    <Page title="Pull request">
      <EmptyState title="Pull request">This page is being built.</EmptyState>
    </Page>
  )
}
