// The page "Session".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function SessionPage() {
  return (
    <Page title="Session">
      <EmptyState title="Session">This page is being built.</EmptyState>
    </Page>
  )
}
