// The page "Observability".
import { Page } from '../../shell/page.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'

export function ObservabilityPage() {
  return (
    <Page title="Observability">
      <EmptyState title="Observability">This page is being built.</EmptyState>
    </Page>
  )
}
